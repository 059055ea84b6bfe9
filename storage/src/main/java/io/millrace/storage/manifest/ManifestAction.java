package io.millrace.storage.manifest;

import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SstMeta;
import java.util.List;

/** A step in a region's history. */
public sealed interface ManifestAction {
  /** The region begins; log entries up to the position are none of it. */
  record Create(TableSchema schema, RegionOptions options, long position)
      implements ManifestAction {}

  /** ALTER. */
  record Change(TableSchema schema, RegionOptions options) implements ManifestAction {}

  /**
   * Files come and go; what is in them up to the sequence and log position is safe.
   *
   * @param removed file ids
   */
  record Edit(
      List<SstMeta> added,
      List<String> removed,
      long flushedSequence,
      long flushedPosition,
      long feedStartKeys,
      long feedStartRows)
      implements ManifestAction {}

  /** Everything up to the sequence is gone; leaves a RESET event. */
  record Truncate(long sequence) implements ManifestAction {}

  /** A region event. */
  record Event(RegionEvent event) implements ManifestAction {}

  /** Events up to the sequence are needed no more; feeds from below it are stale. */
  record ForgetEvents(long sequence) implements ManifestAction {}

  /** Files whose times are all below the bound are gone: their time to live is over. */
  record Expire(long below) implements ManifestAction {}

  /** The length of compaction windows, in the time index's unit. */
  record Window(long ticks) implements ManifestAction {}

  /** A range delete. */
  record DeleteRange(Rectangle rectangle) implements ManifestAction {}

  /** Files were written without the rows that the range delete of that sequence takes. */
  record CleanedRange(long sequence, List<String> files) implements ManifestAction {}

  /** The range delete of that sequence has nothing left to take. */
  record ForgetRange(long sequence) implements ManifestAction {}

  /** What the log has up to the position that is no rows is in the manifest. */
  record Settled(long position) implements ManifestAction {}

  /** A leader has the region, and all sequences up to this one are taken. */
  record Incarnation(long number, long sequence) implements ManifestAction {}

  /** The region is dropped; its files may go. */
  record Remove() implements ManifestAction {}
}
