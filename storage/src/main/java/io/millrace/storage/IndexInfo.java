package io.millrace.storage;

import io.millrace.common.id.RegionId;

/**
 * An index of a file.
 *
 * @param fileId of the SST
 * @param sequence the SST's highest sequence
 * @param path of the index file in the object store
 * @param fileBytes size of the index file, which has all indexes of the SST
 * @param columnId 0 for an index of keys
 * @param bytes stored
 */
public record IndexInfo(
    RegionId region,
    String fileId,
    long sequence,
    String path,
    long fileBytes,
    IndexKind kind,
    int columnId,
    long bytes) {}
