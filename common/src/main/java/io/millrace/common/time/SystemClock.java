package io.millrace.common.time;

import java.time.Instant;

/** The machine's clock. The one place that asks for it. */
public final class SystemClock implements Clock {
  @Override
  public long wallMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000L + now.getNano() / 1000;
  }

  @Override
  public long monotonicNanos() {
    return System.nanoTime();
  }
}
