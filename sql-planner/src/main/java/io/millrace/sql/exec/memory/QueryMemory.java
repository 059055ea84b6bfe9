package io.millrace.sql.exec.memory;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.MemoryContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/*
 * One query's memory.
 * Above the soft limit (three quarters) the largest revocable operator is told to spill in its next
 * step, so that the hard limit is seldom met; an operator that meets it spills itself if it can and
 * otherwise fails with 53200.
 */
/** The memory budget of one query, a part of the server's. */
public final class QueryMemory implements MemoryContext {
  private final ServerMemory server;
  private final long limit;
  private final AtomicLong reserved = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();
  private final List<Revocable> revocables = new CopyOnWriteArrayList<>();

  public QueryMemory(ServerMemory server, long limit) {
    this.server = server;
    this.limit = limit;
  }

  /** Reserves if the budgets allow it. */
  public boolean tryReserve(long bytes) {
    while (true) {
      long r = reserved.get();
      if (bytes > limit - r) {
        revokeLargest();
        return false;
      }
      if (reserved.compareAndSet(r, r + bytes)) {
        break;
      }
    }
    if (!server.tryReserve(bytes)) {
      reserved.addAndGet(-bytes);
      revokeLargest();
      return false;
    }
    long now = reserved.get();
    peak.accumulateAndGet(now, Math::max);
    if (now > limit - limit / 4 || server.used() > server.limit() - server.limit() / 8) {
      revokeLargest();
    }
    return true;
  }

  @Override
  public void reserve(long bytes) {
    if (!tryReserve(bytes)) {
      throw exceeded(bytes);
    }
  }

  MillraceException exceeded(long bytes) {
    return new MillraceException(ErrorCode.OUT_OF_MEMORY, "out of memory")
        .withDetail(
            "Failed on request of size "
                + bytes
                + "; the query holds "
                + reserved.get()
                + " of "
                + limit
                + " bytes, all queries "
                + server.used()
                + " of "
                + server.limit()
                + ".");
  }

  @Override
  public void release(long bytes) {
    reserved.addAndGet(-bytes);
    server.release(bytes);
  }

  @Override
  public long reserved() {
    return reserved.get();
  }

  public long peak() {
    return peak.get();
  }

  public void register(Revocable r) {
    revocables.add(r);
  }

  public void unregister(Revocable r) {
    revocables.remove(r);
  }

  private void revokeLargest() {
    @Nullable Revocable largest = null;
    long most = 1 << 16;
    for (Revocable r : revocables) {
      long b = r.revocableBytes();
      if (b > most) {
        most = b;
        largest = r;
      }
    }
    if (largest != null) {
      largest.revoke();
    }
  }
}
