package io.millrace.storage;

import java.util.List;

/** What a truncate takes away. */
public sealed interface Truncation {
  /** Everything. Leaves a RESET event. */
  record All() implements Truncation {}

  /** What is in no file yet. Leaves a RESET event over its times. */
  record Unflushed() implements Truncation {}

  /** Files whose times lie wholly in one of the ranges. Leaves a RESET event over their times. */
  record Files(List<TimeRange> ranges) implements Truncation {
    public Files {
      ranges = List.copyOf(ranges);
    }

    /** Whether a file with these times goes. */
    public boolean covers(long minTime, long maxTime) {
      for (TimeRange r : ranges) {
        if (r.min <= minTime && maxTime <= r.max) {
          return true;
        }
      }
      return false;
    }
  }

  /** Times, both ends included, in the time index's unit. */
  record TimeRange(long min, long max) {}
}
