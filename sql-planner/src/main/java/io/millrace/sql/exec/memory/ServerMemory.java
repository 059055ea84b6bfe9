package io.millrace.sql.exec.memory;

import java.util.concurrent.atomic.AtomicLong;

/** The memory of all queries together. */
public final class ServerMemory {
  private final long limit;
  private final AtomicLong used = new AtomicLong();

  public ServerMemory(long limit) {
    this.limit = limit;
  }

  public long limit() {
    return limit;
  }

  public long used() {
    return used.get();
  }

  boolean tryReserve(long bytes) {
    while (true) {
      long u = used.get();
      if (bytes > limit - u) {
        return false;
      }
      if (used.compareAndSet(u, u + bytes)) {
        return true;
      }
    }
  }

  void release(long bytes) {
    used.addAndGet(-bytes);
  }
}
