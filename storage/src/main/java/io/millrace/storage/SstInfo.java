package io.millrace.storage;

import io.millrace.common.id.RegionId;

/**
 * A file of a region.
 *
 * @param fileId unique over all regions and times
 * @param path in the object store
 * @param bytes its size
 * @param rows versions and tombstones counted
 * @param minTime lowest time index value, in the column's own unit
 * @param maxTime highest
 * @param minSequence lowest sequence of a row
 * @param maxSequence highest
 * @param multiVersion a key may have several versions in it
 * @param tombstones holds rows that take others away
 */
public record SstInfo(
    RegionId region,
    String fileId,
    String path,
    long bytes,
    long rows,
    int rowGroups,
    long minTime,
    long maxTime,
    long minSequence,
    long maxSequence,
    boolean multiVersion,
    boolean tombstones) {}
