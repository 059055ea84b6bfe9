package io.millrace.flow.batching;

import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.List;
import java.util.Locale;

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
  public static @org.jspecify.annotations.Nullable String volatileFunction(PhysicalPlan p) {
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
  public static @org.jspecify.annotations.Nullable String volatileFunction(Expr e) {
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

  private static List<Expr> exprs(PhysicalPlan p) {
    return switch (p) {
      case PhysicalPlan.Filter f -> List.of(f.condition());
      case PhysicalPlan.Project q -> q.exprs();
      case PhysicalPlan.TableScan s ->
          s.conjuncts().stream().flatMap(c -> c.values().stream()).toList();
      case PhysicalPlan.Aggregate a -> a.calls().stream().flatMap(c -> c.args().stream()).toList();
      case PhysicalPlan.Values v -> v.rows().stream().flatMap(List::stream).toList();
      default -> List.of();
    };
  }

  private static List<Expr> children(Expr e) {
    return switch (e) {
      case Expr.Call c -> c.args();
      case Expr.And a -> a.args();
      case Expr.Or o -> o.args();
      case Expr.Not n -> List.of(n.arg());
      case Expr.IsNull n -> List.of(n.arg());
      case Expr.Compare c -> List.of(c.left(), c.right());
      case Expr.In i -> i.options();
      case Expr.Coalesce c -> c.args();
      case Expr.Case c ->
          c.whens().stream().flatMap(w -> List.of(w.condition(), w.value()).stream()).toList();
      case Expr.ArrayOf a -> a.elements();
      case Expr.RowOf r -> r.fields();
      default -> List.of();
    };
  }
}
