package io.millrace.sql.plan.analyse;

import io.millrace.sql.plan.analyse.Scope.Entry;
import io.millrace.sql.plan.analyse.Scope.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * A FROM item: its rows, its entries and the columns that unqualified names find, merged ones of
 * USING first.
 */
record Relation(RelNode rel, List<Entry> entries, List<Field> columns) {
  /** The same over a wider row: input references moved and typed as that row says. */
  static List<Entry> moved(List<Entry> entries, int by, RelNode row) {
    var out = new ArrayList<Entry>();
    for (Entry e : entries) {
      out.add(e.over(movedFields(e.fields(), by, row)));
    }
    return out;
  }

  static List<Field> movedFields(List<Field> fields, int by, RelNode row) {
    var out = new ArrayList<Field>();
    for (Field f : fields) {
      out.add(f.over(moved(f.rex(), by, row)));
    }
    return out;
  }

  static RexNode moved(RexNode node, int by, RelNode row) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            int at = ref.getIndex() + by;
            return new RexInputRef(at, row.getRowType().getFieldList().get(at).getType());
          }
        });
  }
}
