package io.millrace.storage;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import java.util.List;

/**
 * Rows for one region, all with one operation, in order: later rows win over earlier ones.
 *
 * @param schemaVersion version of the schema that the writer saw; older ones are mapped by column
 *     id
 * @param columnIds the batch's columns; contains all tags and the time index (for KeyMode.ROW_ID a
 *     PUT may leave the time index out and gets it at admission)
 */
public record RegionWrite(
    RegionId region, int schemaVersion, OpType op, List<Integer> columnIds, Batch rows) {
  private static final long ROW_BYTES = 24;
  private static final long CODE_BYTES = 4;

  public RegionWrite {
    columnIds = List.copyOf(columnIds);
    if (columnIds.size() != rows.width()) {
      throw new IllegalArgumentException(columnIds + " for " + rows.width() + " columns");
    }
  }

  /**
   * Bytes that the rows are taken to need in memory: as they are, with what is kept of each, and of
   * dictionaries what the rows use at most.
   */
  public long memoryBytes() {
    long n = rows.byteSize() + ROW_BYTES * rows.rows();
    for (Vector v : rows.columns()) {
      if (v instanceof DictVector d) {
        n += texts(d, rows.rows());
      }
    }
    return n;
  }

  /** The dictionary, which may be much larger than the rows, or their texts, whichever is less. */
  private static long texts(DictVector d, int rows) {
    long whole = d.dictionary().byteSize();
    if (whole <= CODE_BYTES * rows) {
      return whole;
    }
    long n = 0;
    for (int i = 0; i < rows && n < whole; i++) {
      n += d.isNull(i) ? 0 : d.size(i);
    }
    return Math.min(whole, n);
  }
}
