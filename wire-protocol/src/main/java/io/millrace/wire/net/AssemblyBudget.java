package io.millrace.wire.net;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that all connections together may hold in long messages that have not arrived whole, so
 * that clients which announce much and send slowly cannot take the heap.
 */
public final class AssemblyBudget {
  private final long limit;
  private final AtomicLong used = new AtomicLong();

  public AssemblyBudget(long limit) {
    this.limit = limit;
  }

  /** Takes bytes; false if there is no room for them. */
  public boolean reserve(long bytes) {
    if (used.addAndGet(bytes) <= limit) {
      return true;
    }
    used.addAndGet(-bytes);
    return false;
  }

  public void release(long bytes) {
    used.addAndGet(-bytes);
  }

  /** Bytes reserved now. */
  public long used() {
    return used.get();
  }
}
