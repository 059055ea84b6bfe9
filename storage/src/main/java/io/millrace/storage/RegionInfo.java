package io.millrace.storage;

import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;

/**
 * A region at a moment.
 *
 * @param incarnation grows at every open as leader and at events that break sequence history
 * @param committedSequence largest published sequence
 * @param flushedSequence largest sequence that is in files
 * @param rows estimated rows
 * @param memtableBytes in memory
 * @param fileBytes in SSTs
 * @param files number of SSTs
 * @param minTime lowest time index value seen; Long.MAX_VALUE when empty
 * @param maxTime highest; Long.MIN_VALUE when empty
 * @param expiredBelow rows with lower times may be gone by the table's TTL; Long.MIN_VALUE if none
 */
public record RegionInfo(
    RegionId id,
    TableSchema schema,
    RegionOptions options,
    long incarnation,
    long committedSequence,
    long flushedSequence,
    long rows,
    long memtableBytes,
    long fileBytes,
    int files,
    long minTime,
    long maxTime,
    long expiredBelow) {}
