package io.millrace.sql.plan.analyse;

import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;

/** Items of ORDER BY: NULLs are larger than every value unless the text says otherwise. */
final class Sorting {
  private Sorting() {}

  /** The expression of an item. */
  static SqlNode expression(SqlNode item) {
    SqlNode n = item;
    while (n.getKind() == SqlKind.DESCENDING
        || n.getKind() == SqlKind.NULLS_FIRST
        || n.getKind() == SqlKind.NULLS_LAST) {
      n = ((SqlCall) n).operand(0);
    }
    return n;
  }

  static boolean descending(SqlNode item) {
    SqlNode n = item;
    while (n.getKind() == SqlKind.NULLS_FIRST || n.getKind() == SqlKind.NULLS_LAST) {
      n = ((SqlCall) n).operand(0);
    }
    return n.getKind() == SqlKind.DESCENDING;
  }

  static boolean nullsFirst(SqlNode item) {
    return switch (item.getKind()) {
      case NULLS_FIRST -> true;
      case NULLS_LAST -> false;
      default -> descending(item);
    };
  }

  static Collector.Key key(SqlNode item, RexNode rex) {
    return new Collector.Key(rex, descending(item), nullsFirst(item));
  }

  static RelFieldCollation collation(int field, boolean descending, boolean nullsFirst) {
    return new RelFieldCollation(
        field,
        descending ? RelFieldCollation.Direction.DESCENDING : RelFieldCollation.Direction.ASCENDING,
        nullsFirst ? RelFieldCollation.NullDirection.FIRST : RelFieldCollation.NullDirection.LAST);
  }
}
