package io.millrace.sql.plan.analyse;

import io.millrace.common.type.SqlType;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.jspecify.annotations.Nullable;

/** An analysed query: its rows and what its columns are. */
record Output(RelNode rel, List<Column> columns) {
  /**
   * A column.
   *
   * @param open an untyped literal or parameter that may still become any type; the row has a
   *     placeholder for it
   */
  record Column(String name, SqlType type, @Nullable Ex open, int tableOid, int attnum) {
    Column named(String newName) {
      return new Column(newName, type, open, tableOid, attnum);
    }

    Column typed(SqlType newType) {
      return new Column(name, newType, null, tableOid, attnum);
    }
  }

  /** The column as an operand of type rules. */
  Ex operand(int i, int position) {
    Column c = columns.get(i);
    Ex open = c.open();
    return open != null
        ? open
        : new Ex.Value(rel.getCluster().getRexBuilder().makeInputRef(rel, i), c.type(), position);
  }
}
