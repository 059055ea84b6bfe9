package io.millrace.storage;

import io.millrace.common.batch.Batch;
import org.jspecify.annotations.Nullable;

/**
 * Changed keys.
 *
 * @param keys tags in key order, then the time index
 * @param now the asked columns of the row visible in the snapshot
 * @param present bit i set = row i exists in the snapshot; clear = it is gone
 * @param old the asked columns of the row visible before; null unless asked for
 * @param oldPresent bit i set = row i existed before; null unless asked for
 */
public record ChangeBatch(
    Batch keys, Batch now, long[] present, @Nullable Batch old, long @Nullable [] oldPresent) {}
