package io.millrace.flow.ledger;

/** Times in [from, to), microseconds; Long.MIN_VALUE and Long.MAX_VALUE are unbounded. */
public record TimeRange(long from, long to) {
  public static final TimeRange ALL = new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);

  /** Microseconds as nanoseconds; beyond their range the last one. */
  public static long nanos(long micros) {
    long n = micros * 1000;
    return Math.floorDiv(n, 1000L) == micros ? n : micros < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
  }

  public boolean isAll() {
    return from == Long.MIN_VALUE && to == Long.MAX_VALUE;
  }
}
