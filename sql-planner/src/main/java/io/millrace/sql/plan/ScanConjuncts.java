package io.millrace.sql.plan;

import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct.Kind;
import io.millrace.storage.IndexKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Conditions that a scan evaluates by itself: a column against values fixed at opening. */
final class ScanConjuncts {
  private static final FunctionId MATCHES = new FunctionId("matches(text,text)");
  private static final FunctionId MATCHES_TERM = new FunctionId("matches_term(text,text)");
  private static final FunctionId LIKE = new FunctionId("textlike(text,text)");

  private ScanConjuncts() {}

  /**
   * Adds the conjunct if a scan can take it.
   *
   * @param ids of the columns that the expression's columns are
   */
  static boolean push(Expr e, List<Integer> ids, List<ScanConjunct> out) {
    switch (e) {
      case Expr.Column c -> {
        return add(out, ids.get(c.index()), Kind.EQ, List.of(Folder.literal(true)));
      }
      case Expr.Not n when n.arg() instanceof Expr.Column c -> {
        return add(out, ids.get(c.index()), Kind.EQ, List.of(Folder.literal(false)));
      }
      case Expr.IsNull n when n.arg() instanceof Expr.Column c && c.type().fields().isEmpty() -> {
        return add(
            out, ids.get(c.index()), n.negated() ? Kind.IS_NOT_NULL : Kind.IS_NULL, List.of());
      }
      case Expr.In i when !i.negated() && i.value() instanceof Expr.Column c -> {
        for (Expr o : i.options()) {
          if (!isFixed(o) || !fits(c, o)) {
            return false;
          }
        }
        return add(out, ids.get(c.index()), Kind.IN, i.options());
      }
      case Expr.Compare c -> {
        return compare(c, ids, out);
      }
      case Expr.Call c when c.function().equals(MATCHES) -> {
        return text(c, Kind.MATCHES, ids, out);
      }
      case Expr.Call c when c.function().equals(MATCHES_TERM) -> {
        return text(c, Kind.MATCHES_TERM, ids, out);
      }
      default -> {
        return false;
      }
    }
  }

  private static boolean text(Expr.Call c, Kind kind, List<Integer> ids, List<ScanConjunct> out) {
    return c.args().get(0) instanceof Expr.Column column
        && IndexKind.FULLTEXT.supports(column.type())
        && isFixed(c.args().get(1))
        && add(out, ids.get(column.index()), kind, List.of(c.args().get(1)));
  }

  /** What a scan cannot evaluate, but by which it can skip rows; checked above the scan as well. */
  static void hint(Expr e, List<Integer> ids, List<ScanConjunct> out) {
    ZonedBounds.add(e, ids, out);
    if (e instanceof Expr.Call c && c.function().equals(LIKE)) {
      var _ = text(c, Kind.LIKE_PREFIX, ids, out);
    }
  }

  private static boolean compare(Expr.Compare c, List<Integer> ids, List<ScanConjunct> out) {
    if (c.left() instanceof Expr.Column column && isFixed(c.right()) && fits(column, c.right())) {
      Kind kind = kind(c.op());
      return kind != null && add(out, ids.get(column.index()), kind, List.of(c.right()));
    }
    if (c.right() instanceof Expr.Column column && isFixed(c.left()) && fits(column, c.left())) {
      Kind kind = kind(flipped(c.op()));
      return kind != null && add(out, ids.get(column.index()), kind, List.of(c.left()));
    }
    return false;
  }

  private static boolean add(List<ScanConjunct> out, int id, Kind kind, List<Expr> values) {
    out.add(new ScanConjunct(id, kind, List.copyOf(values)));
    return true;
  }

  /** Fixed when the plan is opened. */
  static boolean isFixed(Expr e) {
    return !Exprs.readsInput(e) && !Exprs.isVolatile(e);
  }

  /**
   * Whether the values have the column's own form, so that storage may compare them as they are.
   */
  private static boolean fits(Expr.Column c, Expr value) {
    return switch (c.type().kind()) {
      case TEXT, VARCHAR, NAME ->
          switch (value.type().kind()) {
            case TEXT, VARCHAR, NAME, UNKNOWN -> true;
            default -> false;
          };
      case BPCHAR, TIMETZ, INTERVAL, JSON, JSONB, ARRAY, RECORD, INT2VECTOR, OIDVECTOR -> false;
      default -> c.type().kind() == value.type().kind();
    };
  }

  private static @Nullable Kind kind(Expr.Op op) {
    return switch (op) {
      case EQ -> Kind.EQ;
      case NE -> Kind.NE;
      case LT -> Kind.LT;
      case LE -> Kind.LE;
      case GT -> Kind.GT;
      case GE -> Kind.GE;
      case IS_DISTINCT, IS_NOT_DISTINCT -> null;
    };
  }

  static Expr.Op flipped(Expr.Op op) {
    return switch (op) {
      case LT -> Expr.Op.GT;
      case LE -> Expr.Op.GE;
      case GT -> Expr.Op.LT;
      case GE -> Expr.Op.LE;
      case EQ, NE, IS_DISTINCT, IS_NOT_DISTINCT -> op;
    };
  }

  static List<ScanConjunct> distinct(List<ScanConjunct> conjuncts) {
    return List.copyOf(new ArrayList<>(new LinkedHashSet<>(conjuncts)));
  }
}
