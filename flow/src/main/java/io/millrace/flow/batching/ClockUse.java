package io.millrace.flow.batching;

import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds functions that read the clock, and those that give other values each time. */
public final class ClockUse {
  private static final List<String> CLOCK =
      List.of("now(", "transaction_timestamp(", "statement_timestamp(", "current_", "localtime");

  private ClockUse() {}

  /** Whether a plan reads now() or the like outside its init expressions. */
  public static boolean readsClock(PhysicalPlan p) {
    return exprs(p).stream().anyMatch(ClockUse::readsClock)
        || p.inputs().stream().anyMatch(ClockUse::readsClock);
  }

  /** Whether an expression reads now() or the like. */
  public static boolean readsClock(Expr e) {
    boolean here =
        e instanceof Expr.Call c
            && c.volatility() != 'v'
            && CLOCK.stream()
                .anyMatch(c.function().signature().toLowerCase(Locale.ROOT)::startsWith);
    return here || children(e).stream().anyMatch(ClockUse::readsClock);
  }

  /** Whether a plan has a volatile function anywhere; its name, or null. */
  public static @Nullable String volatileFunction(PhysicalPlan p) {
    for (Expr e : exprs(p)) {
      String found = volatileFunction(e);
      if (found != null) {
        return found;
      }
    }
    for (PhysicalPlan i : p.inputs()) {
      String found = volatileFunction(i);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** The name of a volatile function in an expression, or null. */
  public static @Nullable String volatileFunction(Expr e) {
    if (e instanceof Expr.Call c && c.volatility() == 'v') {
      String s = c.function().signature();
      return s.contains("(") ? s.substring(0, s.indexOf('(')) : s;
    }
    for (Expr x : children(e)) {
      String found = volatileFunction(x);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** The expressions of a plan's own node. */
  private static List<Expr> exprs(PhysicalPlan p) {
    return switch (p) {
      case PhysicalPlan.Filter f -> List.of(f.condition());
      case PhysicalPlan.Project q -> q.exprs();
      case PhysicalPlan.ProjectSet s -> s.items().stream().map(i -> i.expr()).toList();
      case PhysicalPlan.TableFunction t -> t.calls();
      case PhysicalPlan.TableScan s ->
          s.conjuncts().stream().flatMap(c -> c.values().stream()).toList();
      case PhysicalPlan.Aggregate a -> a.calls().stream().flatMap(c -> exprs(c).stream()).toList();
      case PhysicalPlan.Values v -> v.rows().stream().flatMap(List::stream).toList();
      case PhysicalPlan.Join j -> {
        var out = new ArrayList<>(j.leftKeys());
        out.addAll(j.rightKeys());
        add(out, j.residual());
        yield out;
      }
      case PhysicalPlan.Sort s -> sortKeys(s.keys());
      case PhysicalPlan.Limit l -> {
        var out = new ArrayList<Expr>();
        add(out, l.limit());
        add(out, l.offset());
        yield out;
      }
      case PhysicalPlan.GapFill g -> {
        var out = new ArrayList<>(List.of(g.width(), g.origin()));
        g.bounds().forEach(b -> out.add(b.value()));
        yield out;
      }
      case PhysicalPlan.RangeSelect r -> {
        var out = new ArrayList<Expr>(List.of(r.align()));
        add(out, r.origin());
        for (PhysicalPlan.RangeItem i : r.items()) {
          out.addAll(exprs(i.call()));
          out.add(i.span());
          add(out, i.value());
        }
        yield out;
      }
      case PhysicalPlan.Window w -> {
        var out = new ArrayList<>(sortKeys(w.orderBy()));
        for (PhysicalPlan.WindowCall c : w.calls()) {
          out.addAll(c.args());
          add(out, c.filter());
        }
        yield out;
      }
      default -> List.of();
    };
  }

  private static List<Expr> exprs(PhysicalPlan.AggregateCall c) {
    var out = new ArrayList<>(c.args());
    add(out, c.filter());
    out.addAll(sortKeys(c.orderBy()));
    out.addAll(c.direct());
    return out;
  }

  private static List<Expr> sortKeys(List<PhysicalPlan.SortKey> keys) {
    return keys.stream().map(PhysicalPlan.SortKey::expr).toList();
  }

  private static void add(List<Expr> out, @Nullable Expr e) {
    if (e != null) {
      out.add(e);
    }
  }

  private static List<Expr> children(Expr e) {
    return switch (e) {
      case Expr.Column c -> List.of();
      case Expr.Literal l -> List.of();
      case Expr.Param p -> List.of();
      case Expr.Call c -> c.args();
      case Expr.And a -> a.args();
      case Expr.Or o -> o.args();
      case Expr.Not n -> List.of(n.arg());
      case Expr.IsNull n -> List.of(n.arg());
      case Expr.Compare c -> List.of(c.left(), c.right());
      case Expr.In i -> {
        var out = new ArrayList<>(i.options());
        out.add(i.value());
        yield out;
      }
      case Expr.Coalesce c -> c.args();
      case Expr.Case c -> {
        var out = new ArrayList<Expr>();
        for (Expr.When w : c.whens()) {
          out.add(w.condition());
          out.add(w.value());
        }
        add(out, c.otherwise());
        yield out;
      }
      case Expr.ArrayOf a -> a.elements();
      case Expr.RowOf r -> r.fields();
      case Expr.FieldOf f -> List.of(f.record());
      case Expr.Subscript s -> {
        var out = new ArrayList<>(s.indexes());
        out.add(s.array());
        yield out;
      }
      case Expr.Slice s -> {
        var out = new ArrayList<Expr>(List.of(s.array()));
        add(out, s.lower());
        add(out, s.upper());
        yield out;
      }
      case Expr.Quantified q -> List.of(q.value(), q.array(), q.op());
    };
  }
}
