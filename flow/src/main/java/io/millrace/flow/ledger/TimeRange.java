package io.millrace.flow.ledger;

/** Times in [from, to), microseconds; Long.MIN_VALUE and Long.MAX_VALUE are unbounded. */
public record TimeRange(long from, long to) {
  public static final TimeRange ALL = new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);

  public boolean isAll() {
    return from == Long.MIN_VALUE && to == Long.MAX_VALUE;
  }
}
