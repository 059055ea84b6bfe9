package io.millrace.wire;

import java.util.concurrent.atomic.AtomicInteger;

/** Numbers sessions over all protocols of a server. Thread-safe. */
public final class ProcessIds {
  private final AtomicInteger last = new AtomicInteger();

  /** The next number, positive. */
  public int next() {
    return last.updateAndGet(n -> n == Integer.MAX_VALUE ? 1 : n + 1);
  }
}
