package io.millrace.sql.exec.operator;

import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.Dates;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.ArrayList;
import java.util.List;

/** Makes the operators of gap filling: rows of finite buckets, sorted by group, then filled. */
final class GapCompiler {
  private final Execution run;
  private final PlanCompiler plans;
  private final PhysicalPlan.GapFill plan;
  private final SqlType time;
  private final RangeGrid grid;

  GapCompiler(Execution run, PlanCompiler plans, PhysicalPlan.GapFill plan) {
    this.run = run;
    this.plans = plans;
    this.plan = plan;
    this.time = plan.input().types().get(plan.time());
    this.grid = RangeGrid.of(run, time, plan.width(), plan.origin());
  }

  BaseOperator compile() {
    var columns = new ArrayList<RangeFill.Column>();
    for (PhysicalPlan.GapColumn c : plan.columns()) {
      columns.add(
          new RangeFill.Column(plan.input().types().get(c.place()), c.fill(), null, c.type()));
    }
    List<SqlType> keyTypes = plan.keys().stream().map(plan.input().types()::get).toList();
    RangeFill.Bounds bounds = bounds();
    Operator rows = plans.compile(sorted());
    try {
      return new RangeFill(run, keyTypes, grid, columns, bounds, rows);
    } catch (RuntimeException | Error e) {
      rows.close();
      throw e;
    }
  }

  /** The keys, the bucket and the columns to fill, in order of the first two. */
  private PhysicalPlan sorted() {
    var at = new Expr.Column(plan.time(), time);
    var finite =
        new PhysicalPlan.Filter(
            plan.input(),
            new Expr.And(
                List.of(
                    new Expr.Compare(Expr.Op.GT, at, instant(Dates.MINUS_INFINITY)),
                    new Expr.Compare(Expr.Op.LT, at, instant(Dates.INFINITY)))));
    var places = new ArrayList<>(plan.keys());
    places.add(plan.time());
    plan.columns().forEach(c -> places.add(c.place()));
    var exprs = new ArrayList<Expr>();
    places.forEach(p -> exprs.add(new Expr.Column(p, plan.input().types().get(p))));
    var order = new ArrayList<PhysicalPlan.SortKey>();
    for (int k = 0; k <= plan.keys().size(); k++) {
      order.add(new PhysicalPlan.SortKey(new Expr.Column(k, exprs.get(k).type()), false, false));
    }
    return new PhysicalPlan.Sort(new PhysicalPlan.Project(finite, exprs), order);
  }

  private Expr instant(long value) {
    return new Expr.Literal(time, new LongVector(time, new long[] {value}, 1, null));
  }

  private RangeFill.Bounds bounds() {
    long first = Long.MIN_VALUE;
    long last = Long.MAX_VALUE;
    for (PhysicalPlan.GapBound b : plan.bounds()) {
      Vector v = run.exprs().constant(b.value());
      if (v.isNull(0) || RangeGrid.infinite(((LongVector) v).get(0))) {
        continue;
      }
      long at = ((LongVector) v).get(0);
      switch (b.kind()) {
        case FROM -> first = Math.max(first, grid.point(at));
        case BEFORE -> last = Math.min(last, grid.point(at - 1));
        case UP_TO -> last = Math.min(last, grid.point(at));
      }
    }
    // A side without bound is that of each group's own rows.
    return new RangeFill.Bounds(
        first == Long.MIN_VALUE ? Long.MAX_VALUE : first,
        last == Long.MAX_VALUE ? Long.MIN_VALUE : last);
  }
}
