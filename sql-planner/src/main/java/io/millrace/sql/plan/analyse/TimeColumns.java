package io.millrace.sql.plan.analyse;

import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.plan.rel.DistinctOn;
import io.millrace.sql.plan.rel.MillScan;
import io.millrace.sql.plan.rel.MillTable;
import io.millrace.sql.plan.rel.MillWindow;
import io.millrace.sql.plan.rel.ProjectSet;
import io.millrace.sql.plan.rel.RangeSelect;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Follows columns through sub-queries down to the table that they come from unchanged. Of set
 * operations the first input counts, whose names they have too.
 */
final class TimeColumns {
  private TimeColumns() {}

  /** A column of a table, as one scan gives it. */
  record Origin(MillScan scan, MillTable table, int column) {
    private int id() {
      return table.columnIds().get(column);
    }

    TableInfo info() {
      return table.info();
    }

    boolean isTimeIndex() {
      return info().timeIndex().isPresent() && id() == info().storage().timeIndexId();
    }

    boolean isTag() {
      return info().storage().tagIds().contains(id());
    }
  }

  /** Null if the column is computed, or is none of a stored table. */
  static @Nullable Origin of(RelNode rel, int column) {
    return switch (rel) {
      case MillScan s ->
          s.getTable() instanceof MillTable t && column < t.columnIds().size()
              ? new Origin(s, t, column)
              : null;
      case Filter f -> of(f.getInput(), column);
      case Sort s -> of(s.getInput(), column);
      case DistinctOn d -> of(d.getInput(), column);
      case Project p -> through(p.getInput(), p.getProjects().get(column));
      case ProjectSet s -> through(s.getInput(), s.items().get(column));
      case Aggregate a ->
          column < a.getGroupCount() ? of(a.getInput(), a.getGroupSet().nth(column)) : null;
      case MillWindow w -> inner(w.getInput(), column);
      case RangeSelect r -> column <= r.keys() ? of(r.getInput(), column) : null;
      case SetOp s -> of(s.getInput(0), column);
      case Join j -> side(j.getLeft(), j.getRight(), column);
      case LogicalCorrelate c -> side(c.getLeft(), c.getRight(), column);
      default -> null;
    };
  }

  private static @Nullable Origin through(RelNode input, RexNode e) {
    return e instanceof RexInputRef ref ? of(input, ref.getIndex()) : null;
  }

  private static @Nullable Origin inner(RelNode input, int column) {
    return column < input.getRowType().getFieldCount() ? of(input, column) : null;
  }

  private static @Nullable Origin side(RelNode left, RelNode right, int column) {
    int width = left.getRowType().getFieldCount();
    return column < width ? of(left, column) : inner(right, column - width);
  }
}
