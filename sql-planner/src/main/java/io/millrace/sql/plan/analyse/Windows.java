package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import io.millrace.sql.parser.ast.PgWindow;
import io.millrace.sql.physical.PhysicalPlan.Frame.Bound;
import io.millrace.sql.physical.PhysicalPlan.Frame.Exclude;
import io.millrace.sql.physical.PhysicalPlan.Frame.Mode;
import io.millrace.sql.plan.analyse.Typing.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlWindow;
import org.jspecify.annotations.Nullable;

/** The windows of one SELECT: those of its WINDOW clause, and what OVER says. */
final class Windows {
  static final Windows NONE = new Windows(SqlNodeList.EMPTY);

  /** A window with its expressions. */
  record Spec(List<RexNode> partition, List<Collector.Key> order, Collector.Frame frame) {}

  private final Map<String, SqlWindow> named = new HashMap<>();

  Windows(@Nullable SqlNodeList declared) {
    if (declared != null) {
      for (SqlNode n : declared) {
        var w = (SqlWindow) n;
        String name = Objects.requireNonNull(w.getDeclName()).getSimple();
        if (named.put(name, w) != null) {
          throw Problems.error(
              ErrorCode.WINDOWING_ERROR,
              ExpressionAnalyser.position(w),
              "window \"" + name + "\" is already defined");
        }
      }
    }
  }

  private SqlWindow find(SqlIdentifier id) {
    SqlWindow w = named.get(id.getSimple());
    if (w == null) {
      throw Problems.error(
          ErrorCode.UNDEFINED_OBJECT,
          ExpressionAnalyser.position(id),
          "window \"" + id.getSimple() + "\" does not exist");
    }
    return w;
  }

  Spec spec(SqlNode over, ExpressionAnalyser expressions, int position) {
    boolean byName = over instanceof SqlIdentifier;
    SqlWindow w = over instanceof SqlIdentifier id ? find(id) : (SqlWindow) over;
    SqlNodeList partition = w.getPartitionList();
    SqlNodeList order = w.getOrderList();
    SqlIdentifier ref = w.getRefName();
    var seen = new ArrayList<String>();
    SqlWindow at = w;
    while (ref != null) {
      SqlWindow base = find(ref);
      if (seen.contains(ref.getSimple())) {
        break;
      }
      seen.add(ref.getSimple());
      if (!at.getPartitionList().isEmpty()) {
        throw Problems.error(
            ErrorCode.WINDOWING_ERROR,
            ExpressionAnalyser.position(at),
            "cannot override PARTITION BY clause of window \"" + ref.getSimple() + "\"");
      }
      if (!at.getOrderList().isEmpty() && !base.getOrderList().isEmpty()) {
        throw Problems.error(
            ErrorCode.WINDOWING_ERROR,
            ExpressionAnalyser.position(at),
            "cannot override ORDER BY clause of window \"" + ref.getSimple() + "\"");
      }
      if (mode(base) != PgWindow.FrameMode.NONE && !byName) {
        throw Problems.error(
            ErrorCode.WINDOWING_ERROR,
            ExpressionAnalyser.position(at),
            "cannot copy window \"" + ref.getSimple() + "\" because it has a frame clause");
      }
      partition = base.getPartitionList();
      order = order.isEmpty() ? base.getOrderList() : order;
      at = base;
      ref = base.getRefName();
    }
    Rexes rexes = expressions.session.rexes;
    var keys = new ArrayList<RexNode>();
    for (SqlNode n : partition) {
      keys.add(rexes.rex(expressions.analyse(n)));
    }
    var sorts = new ArrayList<Collector.Key>();
    var types = new ArrayList<SqlType>();
    for (SqlNode n : order) {
      Ex.Value v = rexes.value(expressions.analyse(Sorting.expression(n)));
      Collector.Key key = Sorting.key(n, v.rex());
      if (!sorts.contains(key)) {
        types.add(v.type());
        sorts.add(key);
      }
    }
    int place = byName ? position : ExpressionAnalyser.position(w);
    return new Spec(keys, sorts, frame(w, types, expressions, place));
  }

  private static PgWindow.FrameMode mode(SqlWindow w) {
    return w instanceof PgWindow p ? p.mode() : PgWindow.FrameMode.NONE;
  }

  private static Collector.Frame frame(
      SqlWindow w, List<SqlType> order, ExpressionAnalyser expressions, int position) {
    PgWindow.FrameMode mode = mode(w);
    if (mode == PgWindow.FrameMode.NONE) {
      return new Collector.Frame(
          Mode.RANGE, Bound.UNBOUNDED_PRECEDING, null, Bound.CURRENT_ROW, null, Exclude.NO_OTHERS);
    }
    Mode m =
        switch (mode) {
          case ROWS -> Mode.ROWS;
          case GROUPS -> Mode.GROUPS;
          default -> Mode.RANGE;
        };
    if (m == Mode.GROUPS && order.isEmpty()) {
      throw Problems.error(
          ErrorCode.WINDOWING_ERROR, position, "GROUPS mode requires an ORDER BY clause");
    }
    SqlNode low = Objects.requireNonNull(w.getLowerBound());
    SqlNode high = w.getUpperBound();
    Bound start = bound(low);
    Bound end = high == null ? Bound.CURRENT_ROW : bound(high);
    check(start, end, place(low), place(high == null ? low : high));
    return new Collector.Frame(
        m,
        start,
        offset(low, start, m, order, expressions, position),
        end,
        high == null ? null : offset(high, end, m, order, expressions, position),
        exclude(w));
  }

  /** Where a bound begins: with its number if it has one. */
  private static int place(SqlNode bound) {
    return bound instanceof SqlCall c && c.operandCount() == 1
        ? ExpressionAnalyser.start(c.operand(0))
        : ExpressionAnalyser.position(bound);
  }

  private static void check(Bound start, Bound end, int first, int last) {
    int position = last;
    String message = null;
    if (start == Bound.UNBOUNDED_FOLLOWING) {
      message = "frame start cannot be UNBOUNDED FOLLOWING";
      position = first;
    } else if (end == Bound.UNBOUNDED_PRECEDING) {
      message = "frame end cannot be UNBOUNDED PRECEDING";
    } else if (start == Bound.CURRENT_ROW && end == Bound.PRECEDING) {
      message = "frame starting from current row cannot have preceding rows";
    } else if (start == Bound.FOLLOWING && (end == Bound.PRECEDING || end == Bound.CURRENT_ROW)) {
      message = "frame starting from following row cannot have preceding rows";
    }
    if (message != null) {
      throw Problems.error(ErrorCode.WINDOWING_ERROR, position, message);
    }
  }

  private static Bound bound(SqlNode n) {
    if (SqlWindow.isCurrentRow(n)) {
      return Bound.CURRENT_ROW;
    }
    if (SqlWindow.isUnboundedPreceding(n)) {
      return Bound.UNBOUNDED_PRECEDING;
    }
    if (SqlWindow.isUnboundedFollowing(n)) {
      return Bound.UNBOUNDED_FOLLOWING;
    }
    return n.getKind() == org.apache.calcite.sql.SqlKind.PRECEDING
        ? Bound.PRECEDING
        : Bound.FOLLOWING;
  }

  private static @Nullable RexNode offset(
      SqlNode n,
      Bound bound,
      Mode mode,
      List<SqlType> order,
      ExpressionAnalyser expressions,
      int window) {
    if (bound != Bound.PRECEDING && bound != Bound.FOLLOWING) {
      return null;
    }
    SqlNode e = ((SqlCall) n).operand(0);
    int position = ExpressionAnalyser.position(e);
    ExpressionAnalyser with =
        expressions.in(new Clause("window " + mode, false, false, false, false));
    Ex offset = with.analyse(e);
    SqlType type = SqlType.INT8;
    if (mode == Mode.RANGE) {
      if (order.size() != 1) {
        throw Problems.error(
            ErrorCode.WINDOWING_ERROR,
            window,
            "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column");
      }
      SqlType key = order.get(0);
      type =
          switch (Typing.category(key)) {
            case 'D' -> SqlType.INTERVAL;
            case 'T' -> SqlType.INTERVAL;
            case 'N' -> key.withTypmod(-1);
            default ->
                throw Problems.unsupported(
                    position,
                    "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "
                        + Problems.name(key));
          };
    }
    Ex.Value v = expressions.session.rexes.tryCoerce(offset, type, Context.IMPLICIT);
    if (v == null) {
      throw Problems.error(
          ErrorCode.DATATYPE_MISMATCH,
          position,
          "argument of "
              + mode
              + " must be type "
              + Problems.name(type)
              + ", not type "
              + Problems.name(offset.type()));
    }
    if (!RowRewriter.references(v.rex()).isEmpty()) {
      throw Problems.error(
          ErrorCode.INVALID_COLUMN_REFERENCE,
          position,
          "argument of " + mode + " must not contain variables");
    }
    return v.rex();
  }

  private static Exclude exclude(SqlWindow w) {
    var x = w.getExclude();
    if (SqlWindow.isExcludeCurrentRow(x)) {
      return Exclude.CURRENT_ROW;
    }
    if (SqlWindow.isExcludeGroup(x)) {
      return Exclude.GROUP;
    }
    if (SqlWindow.isExcludeTies(x)) {
      return Exclude.TIES;
    }
    return Exclude.NO_OTHERS;
  }
}
