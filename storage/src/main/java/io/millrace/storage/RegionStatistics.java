package io.millrace.storage;

import io.millrace.common.id.RegionId;

/**
 * Figures of a region at a moment.
 *
 * @param rows estimated rows: versions and tombstones in memory and in files counted
 * @param memtables parts of memory that rows lie in
 * @param memtableRows rows in memory
 * @param memtableBytes in memory
 * @param series series that have rows in memory
 * @param files number of SSTs
 * @param fileBytes in SSTs
 * @param indexBytes in index files beside them
 * @param manifestBytes in the manifest
 * @param manifestVersion number of its last commit
 * @param logBytes rows that only the log keeps, in bytes of memory
 * @param writtenBytes rows written since the region was opened, in bytes of memory
 * @param minTime lowest time index value; Long.MAX_VALUE when empty
 * @param maxTime highest; Long.MIN_VALUE when empty
 * @param flushedPosition log entries up to here are in files
 * @param flushedSequence largest sequence that is in files
 * @param committedSequence largest published sequence
 * @param incarnation grows at every open as leader
 */
public record RegionStatistics(
    RegionId region,
    RegionRole role,
    long rows,
    int memtables,
    long memtableRows,
    long memtableBytes,
    long series,
    int files,
    long fileBytes,
    long indexBytes,
    long manifestBytes,
    long manifestVersion,
    long logBytes,
    long writtenBytes,
    long minTime,
    long maxTime,
    long flushedPosition,
    long flushedSequence,
    long committedSequence,
    long incarnation) {

  /** Everything that the region takes on disk, its share of the log apart. */
  public long diskBytes() {
    return fileBytes + indexBytes + manifestBytes;
  }
}
