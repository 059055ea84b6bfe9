package io.millrace.storage.sst;

import org.jspecify.annotations.Nullable;

/**
 * What the manifest knows of an SST; plain values only, so that it can be written in any form.
 *
 * @param fileId unique over all regions and times
 * @param schemaVersion version of the schema it was written with
 * @param rows rows, all versions and tombstones counted
 * @param bytes size of the file
 * @param minTime lowest time index value
 * @param maxTime highest time index value
 * @param minSequence lowest sequence of a row
 * @param maxSequence highest sequence of a row
 * @param visibleSince for a file that was added after its rows were written: the sequence of that
 *     event; otherwise 0
 * @param multiVersion a key may have several versions in it
 * @param tombstones holds DELETE or CLEAR rows
 * @param fresh no key in it is in anything with lower sequences
 * @param run files of the same run were written by one job and share no key; 0 = a run of its own
 * @param uniform the sequence of all its rows, for a file written before that was known; otherwise
 *     0, and the file has them
 * @param rowGroups number of row groups
 * @param footerLength bytes of the footer at the end of the file
 * @param footerCrc CRC32C of those bytes
 * @param index the indexes beside it; null if there are none
 */
public record SstMeta(
    String fileId,
    int schemaVersion,
    long rows,
    long bytes,
    long minTime,
    long maxTime,
    long minSequence,
    long maxSequence,
    long visibleSince,
    boolean multiVersion,
    boolean tombstones,
    boolean fresh,
    long run,
    long uniform,
    int rowGroups,
    int footerLength,
    int footerCrc,
    @Nullable SideCarMeta index) {

  /** A file without indexes. */
  public SstMeta(
      String fileId,
      int schemaVersion,
      long rows,
      long bytes,
      long minTime,
      long maxTime,
      long minSequence,
      long maxSequence,
      long visibleSince,
      boolean multiVersion,
      boolean tombstones,
      boolean fresh,
      long run,
      long uniform,
      int rowGroups,
      int footerLength,
      int footerCrc) {
    this(
        fileId,
        schemaVersion,
        rows,
        bytes,
        minTime,
        maxTime,
        minSequence,
        maxSequence,
        visibleSince,
        multiVersion,
        tombstones,
        fresh,
        run,
        uniform,
        rowGroups,
        footerLength,
        footerCrc,
        null);
  }

  public SstMeta withVisibleSince(long sequence) {
    return with(minSequence, maxSequence, sequence, false, run, uniform, index);
  }

  public SstMeta withRun(long number) {
    return with(minSequence, maxSequence, visibleSince, fresh, number, uniform, index);
  }

  /** All its rows have that sequence. */
  public SstMeta withUniform(long sequence) {
    return with(sequence, sequence, visibleSince, false, run, sequence, index);
  }

  /** With other indexes beside it. */
  public SstMeta withIndex(@Nullable SideCarMeta other) {
    return with(minSequence, maxSequence, visibleSince, fresh, run, uniform, other);
  }

  private SstMeta with(
      long min,
      long max,
      long visible,
      boolean isFresh,
      long runNumber,
      long sequence,
      @Nullable SideCarMeta sideCar) {
    return new SstMeta(
        fileId,
        schemaVersion,
        rows,
        bytes,
        minTime,
        maxTime,
        min,
        max,
        visible,
        multiVersion,
        tombstones,
        isFresh,
        runNumber,
        sequence,
        rowGroups,
        footerLength,
        footerCrc,
        sideCar);
  }
}
