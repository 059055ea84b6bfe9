package io.millrace.sql.exec.memory;

import io.millrace.sql.exec.MemoryContext;

/** What one operator holds of its query's memory; given back whole by {@link #close}. */
public final class OperatorMemory implements MemoryContext, AutoCloseable {
  private final QueryMemory query;
  private volatile long reserved;
  private long peak;

  public OperatorMemory(QueryMemory query) {
    this.query = query;
  }

  public QueryMemory query() {
    return query;
  }

  @Override
  public void reserve(long bytes) {
    if (!tryReserve(bytes)) {
      throw query.exceeded(bytes);
    }
  }

  public boolean tryReserve(long bytes) {
    if (!query.tryReserve(bytes)) {
      return false;
    }
    add(bytes);
    peak = Math.max(peak, reserved);
    return true;
  }

  @Override
  public void release(long bytes) {
    query.release(bytes);
    add(-bytes);
  }

  /** Makes the reservation exactly so large; throws 53200 if it cannot grow. */
  public void resize(long bytes) {
    long d = bytes - reserved;
    if (d > 0) {
      reserve(d);
    } else if (d < 0) {
      release(-d);
    }
  }

  // One operator is stepped by one thread at a time; the field is volatile for those who only look.
  @SuppressWarnings("NonAtomicVolatileUpdate")
  private void add(long bytes) {
    reserved += bytes;
  }

  @Override
  public long reserved() {
    return reserved;
  }

  public long peak() {
    return peak;
  }

  @Override
  public void close() {
    if (reserved != 0) {
      release(reserved);
    }
  }
}
