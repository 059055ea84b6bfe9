package io.millrace.sql.write;

import io.millrace.common.batch.Batch;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.OpType;
import java.util.List;

/**
 * Rows of one table with one operation; columns by storage column id, NOT NULL, CHECK and defaults
 * already dealt with. The columns that say which region a row belongs to must be there; of a
 * DELETE, all but the key are only for that.
 */
public record TableWrite(TableInfo table, OpType op, List<Integer> columnIds, Batch rows) {
  public TableWrite {
    columnIds = List.copyOf(columnIds);
    rows = stored(rows);
  }

  /** Rows with their columns typed as storage has them. */
  private static Batch stored(Batch rows) {
    if (rows.columns().stream().noneMatch(v -> v.type().kind() == TypeKind.ENUM)) {
      return rows;
    }
    return new Batch(
        rows.columns().stream().map(v -> v.withType(v.type().stored())).toList(), rows.rows());
  }
}
