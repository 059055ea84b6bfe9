package io.millrace.sql.plan;

import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Takes what is the same for a whole run out of a plan: every largest subtree of parameters,
 * constants and stable functions becomes an init, evaluated once at opening. Arms of CASE and
 * COALESCE that a row may never reach keep theirs, unless it cannot fail. At the end the Params
 * that Correlates set get their numbers behind the inits.
 */
final class Hoister {
  /** Functions that do not fail on arguments they are usually given. */
  private static final Set<String> HARMLESS =
      Set.of(
          "now",
          "timestamptz_mi_interval",
          "timestamptz_pl_interval",
          "timestamp_mi_interval",
          "timestamp_pl_interval",
          "date_mi_interval",
          "date_pl_interval",
          "date_trunc",
          "timestamptz_trunc",
          "timestamp_trunc",
          "lower",
          "upper");

  private final int parameters;
  private final List<Expr> inits = new ArrayList<>();

  /**
   * @param parameters how many Params come before the inits
   */
  Hoister(int parameters) {
    this.parameters = parameters;
  }

  /** The plan without its inits. */
  PhysicalPlan hoist(PhysicalPlan plan) {
    PhysicalPlan hoisted =
        new PlanRewriter() {
          @Override
          Expr value(Expr e) {
            return hoisted(e, false);
          }

          @Override
          Expr cell(Expr e) {
            return e;
          }
        }.plan(plan);
    int base = parameters + inits.size();
    boolean correlated = correlates(hoisted);
    return correlated ? renumbered(hoisted, base) : hoisted;
  }

  List<Expr> inits() {
    return List.copyOf(inits);
  }

  private static boolean correlates(PhysicalPlan plan) {
    if (plan instanceof PhysicalPlan.Correlate) {
      return true;
    }
    for (PhysicalPlan p : plan.inputs()) {
      if (correlates(p)) {
        return true;
      }
    }
    return false;
  }

  private static PhysicalPlan renumbered(PhysicalPlan plan, int base) {
    return new PlanRewriter() {
      @Override
      Expr value(Expr e) {
        return e instanceof Expr.Param p
            ? p.index() < ExprTranslator.CORRELATED
                ? p
                : new Expr.Param(p.index() - ExprTranslator.CORRELATED + base, p.type())
            : Exprs.map(e, this::value);
      }

      @Override
      int firstParam(int firstParam) {
        return firstParam - ExprTranslator.CORRELATED + base;
      }
    }.plan(plan);
  }

  private Expr hoisted(Expr e, boolean mayNotBeReached) {
    if (e instanceof Expr.Column || e instanceof Expr.Literal || e instanceof Expr.Param) {
      return e;
    }
    if (isFixed(e) && (!mayNotBeReached || cannotFail(e))) {
      int at = inits.indexOf(e);
      if (at < 0) {
        at = inits.size();
        inits.add(e);
      }
      return new Expr.Param(parameters + at, e.type());
    }
    return switch (e) {
      case Expr.Case c -> {
        var whens = new ArrayList<Expr.When>();
        boolean first = true;
        for (Expr.When w : c.whens()) {
          whens.add(
              new Expr.When(
                  hoisted(w.condition(), mayNotBeReached || !first), hoisted(w.value(), true)));
          first = false;
        }
        yield new Expr.Case(c.type(), whens, Exprs.maybe(c.otherwise(), x -> hoisted(x, true)));
      }
      case Expr.Coalesce c -> {
        var args = new ArrayList<Expr>();
        for (Expr a : c.args()) {
          args.add(hoisted(a, mayNotBeReached || !args.isEmpty()));
        }
        yield new Expr.Coalesce(c.type(), args);
      }
      default -> Exprs.map(e, x -> hoisted(x, mayNotBeReached));
    };
  }

  private static boolean isFixed(Expr e) {
    return !Exprs.any(
        e,
        c ->
            c instanceof Expr.Column
                || (c instanceof Expr.Param p && p.index() >= ExprTranslator.CORRELATED)
                || (c instanceof Expr.Call f && f.volatility() == 'v')
                || c instanceof Expr.RowOf
                || (c instanceof Expr.Quantified q && Exprs.isVolatile(q.op())));
  }

  private static boolean cannotFail(Expr e) {
    return !Exprs.any(
        e,
        c -> {
          if (!(c instanceof Expr.Call f) || f.args().isEmpty()) {
            return false;
          }
          String signature = f.function().signature();
          int open = signature.indexOf('(');
          return !HARMLESS.contains(open < 0 ? signature : signature.substring(0, open));
        });
  }
}
