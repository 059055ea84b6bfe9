package io.millrace.sql.exec.operator;

import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.AggregateCall;
import io.millrace.sql.physical.PhysicalPlan.RangeItem.Fill;
import io.millrace.sql.physical.PhysicalPlan.SortKey;
import java.util.ArrayList;
import java.util.List;

/*
 * A range query in stages:
 *   rows are grouped by the keys and the segment of the grid that they fall into, to partial states
 *   (beside the scan where that can be done, spilling as every aggregation);
 *   the states are sorted by keys and time;
 *   windows are merged from the states of their segments, series by series (RangeSlide);
 *   gaps are filled (RangeFill).
 * So a row costs as much as in a plain GROUP BY however many windows it is in. Aggregates whose
 * states cannot be merged (DISTINCT and ORDER BY inside) are given each row once per window instead
 * (RangeExpand), and are grouped by keys and align point at once.
 */
/** Makes the operators of a range query. */
final class RangeCompiler {
  private final Execution run;
  private final PlanCompiler plans;
  private final PhysicalPlan.RangeSelect plan;
  private final RangeGrid grid;
  private final List<SqlType> inputTypes;

  RangeCompiler(Execution run, PlanCompiler plans, PhysicalPlan.RangeSelect plan) {
    this.run = run;
    this.plans = plans;
    this.plan = plan;
    this.grid = RangeGrid.of(run, plan);
    this.inputTypes = plan.input().types();
  }

  private interface Maker {
    BaseOperator make(Operator input);
  }

  /** An operator over another one, which is closed if the making fails. */
  private static BaseOperator over(Operator input, Maker maker) {
    try {
      return maker.make(input);
    } catch (RuntimeException | Error e) {
      input.close();
      throw e;
    }
  }

  BaseOperator compile() {
    boolean merge = true;
    boolean fill = false;
    for (PhysicalPlan.RangeItem i : plan.items()) {
      merge &= !i.call().distinct() && i.call().orderBy().isEmpty();
      fill |= i.fill() != Fill.NONE;
    }
    BaseOperator out = merge ? merged() : expanded();
    if (fill) {
      out = over(out, in -> new RangeFill(run, plan, grid, in));
    }
    return grid.wall() ? over(out, this::zoned) : out;
  }

  // ---- by partial states ----

  private BaseOperator merged() {
    var segments =
        new PhysicalPlan.Aggregate(
            bySegment(), keys(), List.of(all(plan.keys().size() + 1)), calls(), false);
    BaseOperator states = plans.aggregate(segments, true);
    return over(
        over(states, in -> sorted(in, stateTypes())), in -> new RangeSlide(run, plan, grid, in));
  }

  private List<AggregateCall> calls() {
    return plan.items().stream().map(PhysicalPlan.RangeItem::call).toList();
  }

  /** The keys and, in a column behind all others, the align point or segment. */
  private List<Integer> keys() {
    var out = new ArrayList<>(plan.keys());
    out.add(inputTypes.size());
    return out;
  }

  private static List<Integer> all(int n) {
    var out = new ArrayList<Integer>();
    for (int i = 0; i < n; i++) {
      out.add(i);
    }
    return out;
  }

  private List<SqlType> stateTypes() {
    var out = new ArrayList<SqlType>();
    plan.keys().forEach(k -> out.add(inputTypes.get(k)));
    out.add(grid.time());
    for (AggregateCall c : calls()) {
      out.addAll(RangeSlide.kernel(run, c).stateTypes());
    }
    return out;
  }

  /** The input with the beginning of each row's segment: the last cut of its distance. */
  private PhysicalPlan bySegment() {
    long[] cuts = grid.cuts();
    var exprs = new ArrayList<Expr>(columns(inputTypes));
    for (long cut : cuts) {
      exprs.add(bin(cut));
    }
    var binned = new PhysicalPlan.Project(plan.input(), exprs);
    if (cuts.length == 1) {
      return binned;
    }
    int first = inputTypes.size();
    var point = new Expr.Column(first, grid.time());
    var whens = new ArrayList<Expr.When>();
    for (int c = cuts.length - 1; c > 0; c--) {
      var cut = new Expr.Column(first + c, grid.time());
      whens.add(new Expr.When(new Expr.Compare(Expr.Op.GE, cut, point), cut));
    }
    var out = new ArrayList<Expr>(columns(inputTypes));
    out.add(new Expr.Case(grid.time(), whens, point));
    return new PhysicalPlan.Project(binned, out);
  }

  private static List<Expr> columns(List<SqlType> types) {
    var out = new ArrayList<Expr>();
    for (SqlType t : types) {
      out.add(new Expr.Column(out.size(), t));
    }
    return out;
  }

  /** The last of the times that lie so far behind align points, at or before the row's time. */
  private Expr bin(long behind) {
    SqlType t = grid.time();
    String name = t.kind().typname();
    long micros = t.kind() == io.millrace.common.type.TypeKind.TIMESTAMP_NS ? 1000 : 1;
    var stride =
        new IntervalVector(
            SqlType.INTERVAL, new int[1], new int[1], new long[] {grid.align() / micros}, 1, null);
    var origin = new LongVector(t, new long[] {grid.origin() + behind}, 1, null);
    return new Expr.Call(
        new FunctionId("date_bin(interval," + name + "," + name + ")"),
        t,
        List.of(new Expr.Literal(SqlType.INTERVAL, stride), time(), new Expr.Literal(t, origin)),
        true,
        'i');
  }

  private Expr time() {
    var column = new Expr.Column(plan.time(), inputTypes.get(plan.time()));
    return grid.wall()
        ? new Expr.Call(
            new FunctionId("timestamp(timestamptz)"), grid.time(), List.of(column), true, 's')
        : column;
  }

  private BaseOperator sorted(Operator in, List<SqlType> types) {
    var order = new ArrayList<SortKey>();
    for (int k = 0; k <= plan.keys().size(); k++) {
      order.add(new SortKey(new Expr.Column(k, types.get(k)), false, false));
    }
    return new SortOperator(run, in, types, order);
  }

  // ---- row by row ----

  private BaseOperator expanded() {
    var expand = new RangeExpand.Shape(grid, time(), inputTypes);
    var calls = new ArrayList<AggregateCall>();
    for (int i = 0; i < plan.items().size(); i++) {
      AggregateCall c = plan.items().get(i).call();
      Expr within = expand.within(i);
      Expr filter = c.filter();
      calls.add(
          new AggregateCall(
              c.function(),
              c.type(),
              c.args(),
              c.distinct(),
              within == null || filter == null
                  ? (within == null ? filter : within)
                  : new Expr.And(List.of(within, filter)),
              c.orderBy(),
              c.direct()));
    }
    var stand = new PhysicalPlan.Values(expand.types(), List.of());
    var points =
        new PhysicalPlan.Aggregate(
            stand, keys(), List.of(all(plan.keys().size() + 1)), calls, false);
    BaseOperator rows = over(plans.compile(plan.input()), in -> new RangeExpand(run, expand, in));
    BaseOperator grouped = over(rows, in -> new AggregateOperator(run, points, in));
    return over(grouped, in -> sorted(in, points.types()));
  }

  /** Back from the wall clock to instants. */
  private BaseOperator zoned(Operator in) {
    List<SqlType> types = plan.types();
    var exprs = new ArrayList<Expr>(columns(types));
    int at = plan.keys().size();
    exprs.set(
        at,
        new Expr.Call(
            new FunctionId("timestamptz(timestamp)"),
            types.get(at),
            List.of(new Expr.Column(at, grid.time())),
            true,
            's'));
    return new SimpleOperators.Project(run, in, exprs);
  }
}
