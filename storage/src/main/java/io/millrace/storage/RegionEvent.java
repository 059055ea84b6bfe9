package io.millrace.storage;

/** Something that changed a region's contents without a row. */
public sealed interface RegionEvent {
  long sequence();

  /** Everything may have changed: truncate, lost tail, remap. */
  record ResetAll(long sequence) implements RegionEvent {}

  /** Rows with a time in [min, max] may have changed. */
  record ResetRange(long sequence, long minTime, long maxTime) implements RegionEvent {}

  /** Rows below the bound were dropped by TTL. */
  record Expired(long sequence, long below) implements RegionEvent {}

  /** Files became visible whose rows have times in [min, max]; the rows follow as rows. */
  record FilesAdded(long sequence, long minTime, long maxTime) implements RegionEvent {}
}
