package io.millrace.storage.read;

import io.millrace.storage.sst.SstMeta;
import java.util.List;

/**
 * What a flush wrote; the files are forced and visible, but no manifest names them yet.
 *
 * @param files in key order; empty if nothing was left
 * @param rowsIn rows of the memtables
 * @param rowsOut rows written
 * @param feedStartKeys raised to the largest tombstone dropped
 * @param feedStartRows raised to the largest sequence whose predecessor was dropped
 */
public record FlushOutput(
    List<SstMeta> files, long rowsIn, long rowsOut, long feedStartKeys, long feedStartRows) {}
