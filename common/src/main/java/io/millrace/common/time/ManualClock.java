package io.millrace.common.time;

import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves when told to. */
public final class ManualClock implements Clock {
  private final AtomicLong nanos;

  public ManualClock(long startMicros) {
    nanos = new AtomicLong(startMicros * 1000);
  }

  public void advanceMicros(long micros) {
    nanos.addAndGet(micros * 1000);
  }

  @Override
  public long wallMicros() {
    return nanos.get() / 1000;
  }

  @Override
  public long monotonicNanos() {
    return nanos.get();
  }
}
