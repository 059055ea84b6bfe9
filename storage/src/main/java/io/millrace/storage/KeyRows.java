package io.millrace.storage;

import io.millrace.common.batch.Batch;

/**
 * Answer of a lookup: row i belongs to key i.
 *
 * @param rows the asked columns; unspecified values where absent
 * @param found bit i set = key i exists
 */
public record KeyRows(Batch rows, long[] found) {}
