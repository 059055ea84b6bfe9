package io.millrace.storage;

import io.millrace.common.batch.Batch;
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
  public RegionWrite {
    columnIds = List.copyOf(columnIds);
    if (columnIds.size() != rows.width()) {
      throw new IllegalArgumentException(columnIds + " for " + rows.width() + " columns");
    }
  }
}
