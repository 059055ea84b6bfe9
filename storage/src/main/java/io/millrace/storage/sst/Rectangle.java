package io.millrace.storage.sst;

import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionEvent;

/**
 * A range delete that has its place among the rows.
 *
 * @param sequence its own; what it takes lies below
 * @param ownFrom where the rows of its own commit begin
 */
public record Rectangle(RangeDelete what, long sequence, long ownFrom) {
  /** Whether it takes rows with that sequence, keys aside. */
  public boolean takes(long rowSequence) {
    return rowSequence < sequence && (rowSequence <= what.cover() || rowSequence >= ownFrom);
  }

  /** Whether rows with such sequences and times can be among those that it takes. */
  public boolean touches(long minTime, long maxTime, long minSequence, long maxSequence) {
    return minTime <= what.maxTime()
        && maxTime >= what.minTime()
        && minSequence < sequence
        && (minSequence <= what.cover() || maxSequence >= ownFrom);
  }

  /** Whether it takes all rows with such times and sequences, whatever their tags. */
  public boolean swallows(long minTime, long maxTime, long maxSequence) {
    return what.tagIds().isEmpty()
        && minTime >= what.minTime()
        && maxTime <= what.maxTime()
        && maxSequence < sequence
        && maxSequence <= what.cover();
  }

  /** Whether the file can have rows that it takes; one that appeared later has none. */
  public boolean touches(SstMeta f) {
    return f.visibleSince() < sequence
        && touches(f.minTime(), f.maxTime(), f.minSequence(), f.maxSequence());
  }

  /** Whether nothing of the file is left. */
  public boolean swallows(SstMeta f) {
    return f.visibleSince() < sequence && swallows(f.minTime(), f.maxTime(), f.maxSequence());
  }

  /** What change feeds hear of it. */
  public RegionEvent event() {
    return what.minTime() == Long.MIN_VALUE && what.maxTime() == Long.MAX_VALUE
        ? new RegionEvent.ResetAll(sequence)
        : new RegionEvent.ResetRange(sequence, what.minTime(), what.maxTime());
  }
}
