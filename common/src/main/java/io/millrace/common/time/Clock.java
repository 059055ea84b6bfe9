package io.millrace.common.time;

/** The only source of time, so that tests and the simulation decide what time it is. */
public interface Clock {
  /** Wall time in microseconds since 1970-01-01 UTC. */
  long wallMicros();

  /** A time that never goes back, in nanoseconds, for durations. */
  long monotonicNanos();

  default long wallMillis() {
    return Math.floorDiv(wallMicros(), 1000L);
  }
}
