package io.millrace.flow.batching;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/*
 * Reads a physical plan from the top down to its driving scan through projections and filters, at most one
 * aggregation, and filters and projections again:
 *
 *   (Project | Filter)*  Aggregate?  (Project | Filter)*  TableScan
 *
 * On the way back up the output key is carried along: each projection gets the key columns appended that it
 * does not show, so that the top gives them all. A plan of another shape, or an aggregation without a
 * monotone expression of the time index among its keys, is evaluated as a whole; its key is what makes its
 * output rows distinct, or else all its columns and which of the equal rows it is.
 */
/** Analyses the query of a flow. */
public final class FlowPlanner {
  private final ExprEvaluator evaluator;

  public FlowPlanner(ExprEvaluator evaluator) {
    this.evaluator = evaluator;
  }

  /**
   * A plan with its key appended.
   *
   * @param key places of the key's columns
   * @param window place of the window's column, -1 none
   */
  private record Carried(
      PhysicalPlan plan,
      List<Integer> key,
      int window,
      Optional<TimeWindow> expression,
      PhysicalPlan.TableScan scan,
      boolean aggregate) {}

  public FlowPlan plan(
      Planner.PlannedQuery query,
      CatalogSnapshot catalog,
      SessionFormat format,
      EvalContext context) {
    PlanTemplate t = query.template();
    var constants = new Constants(evaluator, query.literals(), t.inits(), context);
    boolean aggregates = hasAggregate(t.plan());
    Optional<Carried> carried =
        t.tables().size() == 1 ? carry(t.plan(), catalog, format, constants) : Optional.empty();
    if (carried.isPresent() && (!carried.get().aggregate() || carried.get().window() >= 0)) {
      Carried c = carried.get();
      var template =
          new PlanTemplate(c.plan(), t.columns(), t.parameterTypes(), t.inits(), t.tables());
      return new FlowPlan(
          template,
          query.literals(),
          t.columns(),
          c.key(),
          false,
          c.expression(),
          c.window(),
          c.expression()
              .filter(w -> w instanceof TimeWindow.Fixed(long width, long o) && width == 1)
              .isPresent(),
          Optional.of(c.scan()),
          aggregates,
          "");
    }
    if (carried.isPresent()) {
      Carried c = carried.get();
      return new FlowPlan(
          new PlanTemplate(c.plan(), t.columns(), t.parameterTypes(), t.inits(), t.tables()),
          query.literals(),
          t.columns(),
          c.key(),
          false,
          Optional.empty(),
          -1,
          false,
          Optional.empty(),
          aggregates,
          "no GROUP BY key is monotone in the source's time index");
    }
    Optional<List<Integer>> unique = OutputKeys.of(t.plan(), catalog);
    List<Integer> all = IntStream.range(0, t.plan().types().size()).boxed().toList();
    return new FlowPlan(
        t,
        query.literals(),
        t.columns(),
        unique.orElse(all),
        unique.isEmpty(),
        Optional.empty(),
        -1,
        false,
        Optional.empty(),
        aggregates,
        "it is more than one aggregation or projection over one table");
  }

  private static boolean hasAggregate(PhysicalPlan p) {
    return p instanceof PhysicalPlan.Aggregate
        || p instanceof PhysicalPlan.DistinctOn
        || p instanceof PhysicalPlan.RangeSelect
        || p.inputs().stream().anyMatch(FlowPlanner::hasAggregate);
  }

  private Optional<Carried> carry(
      PhysicalPlan plan, CatalogSnapshot catalog, SessionFormat format, Constants constants) {
    return switch (plan) {
      case PhysicalPlan.TableScan s -> scan(s, catalog);
      case PhysicalPlan.Filter f ->
          carry(f.input(), catalog, format, constants)
              .map(
                  c ->
                      new Carried(
                          new PhysicalPlan.Filter(c.plan(), f.condition()),
                          c.key(),
                          c.window(),
                          c.expression(),
                          c.scan(),
                          c.aggregate()));
      case PhysicalPlan.Project p ->
          carry(p.input(), catalog, format, constants).map(c -> project(p, c));
      case PhysicalPlan.Aggregate a ->
          carry(a.input(), catalog, format, constants)
              .filter(c -> !c.aggregate())
              .flatMap(c -> aggregate(a, c, format, constants));
      default -> Optional.empty();
    };
  }

  private static Optional<Carried> scan(PhysicalPlan.TableScan s, CatalogSnapshot catalog) {
    Optional<TableInfo> found = catalog.table(s.table());
    if (found.isEmpty() || s.limit() != null || s.lastRow()) {
      return Optional.empty();
    }
    TableInfo t = found.get();
    var ids = new ArrayList<>(s.columnIds());
    var types = new ArrayList<SqlType>(s.types());
    var wanted = new ArrayList<Integer>(t.storage().tagIds());
    wanted.add(t.storage().timeIndexId());
    if (t.appendMode()) {
      wanted.add(io.millrace.storage.VirtualColumns.SEQUENCE);
    }
    var key = new ArrayList<Integer>();
    for (int id : wanted) {
      int at = ids.indexOf(id);
      if (at < 0) {
        at = ids.size();
        ids.add(id);
        types.add(
            id == io.millrace.storage.VirtualColumns.SEQUENCE
                ? SqlType.INT8
                : t.storage().columns().get(t.storage().indexOf(id)).type());
      }
      key.add(at);
    }
    int time = ids.indexOf(t.storage().timeIndexId());
    var scan =
        new PhysicalPlan.TableScan(
            s.table(),
            s.tableVersion(),
            s.name(),
            ids,
            types,
            s.conjuncts(),
            PhysicalPlan.ScanOrder.ANY,
            null,
            false);
    boolean timed = t.timeIndex().isPresent();
    return Optional.of(
        new Carried(
            scan,
            key,
            timed ? time : -1,
            timed ? Optional.of(new TimeWindow.Fixed(1, 0)) : Optional.empty(),
            scan,
            false));
  }

  /** Keeps the projection's own outputs in front and appends what of the key it does not show. */
  private static Carried project(PhysicalPlan.Project p, Carried c) {
    var exprs = new ArrayList<>(p.exprs());
    var key = new ArrayList<Integer>();
    for (int k : c.key()) {
      key.add(place(exprs, k, c.plan()));
    }
    int window = c.window() < 0 ? -1 : place(exprs, c.window(), c.plan());
    return new Carried(
        new PhysicalPlan.Project(c.plan(), exprs),
        key,
        window,
        c.expression(),
        c.scan(),
        c.aggregate());
  }

  private static int place(List<Expr> exprs, int column, PhysicalPlan input) {
    for (int i = 0; i < exprs.size(); i++) {
      if (exprs.get(i) instanceof Expr.Column x && x.index() == column) {
        return i;
      }
    }
    exprs.add(new Expr.Column(column, input.types().get(column)));
    return exprs.size() - 1;
  }

  private Optional<Carried> aggregate(
      PhysicalPlan.Aggregate a, Carried c, SessionFormat format, Constants constants) {
    boolean plain =
        a.groupingSets().size() == 1 && a.groupingSets().getFirst().size() == a.keys().size();
    if (!plain && !a.groupingSets().isEmpty()) {
      return Optional.empty();
    }
    int window = -1;
    Optional<TimeWindow> expression = Optional.empty();
    for (int i = 0; i < a.keys().size() && window < 0; i++) {
      Optional<Expr> e = overScan(c.plan(), a.keys().get(i), c.scan());
      int time = c.scan().columnIds().indexOf(timeId(c));
      expression = e.flatMap(x -> new WindowFinder(constants, format, time).find(x));
      if (expression.isPresent()) {
        window = i;
      }
    }
    var key = new ArrayList<Integer>();
    for (int i = 0; i < a.keys().size(); i++) {
      key.add(i);
    }
    var plan = new PhysicalPlan.Aggregate(c.plan(), a.keys(), a.groupingSets(), a.calls(), false);
    return Optional.of(
        new Carried(plan, key, window, window < 0 ? Optional.empty() : expression, c.scan(), true));
  }

  /** Column id of the time index: the last of the key before a sequence. */
  private static int timeId(Carried c) {
    List<Integer> ids = c.scan().columnIds();
    return c.window() < 0 ? Integer.MIN_VALUE : ids.get(scanPlaceOfTime(c));
  }

  private static int scanPlaceOfTime(Carried c) {
    PhysicalPlan p = c.plan();
    int at = c.window();
    while (!(p instanceof PhysicalPlan.TableScan)) {
      if (p instanceof PhysicalPlan.Project q && q.exprs().get(at) instanceof Expr.Column x) {
        at = x.index();
        p = q.input();
      } else if (p instanceof PhysicalPlan.Filter f) {
        p = f.input();
      } else {
        throw new IllegalStateException("the time index was lost on the way");
      }
    }
    return at;
  }

  /**
   * A column of a plan as an expression over the scan's columns, through projections and filters.
   */
  private static Optional<Expr> overScan(
      PhysicalPlan plan, int column, PhysicalPlan.TableScan scan) {
    return switch (plan) {
      case PhysicalPlan.TableScan s -> Optional.of(new Expr.Column(column, s.types().get(column)));
      case PhysicalPlan.Filter f -> overScan(f.input(), column, scan);
      case PhysicalPlan.Project p -> substitute(p.exprs().get(column), p.input(), scan);
      default -> Optional.empty();
    };
  }

  private static Optional<Expr> substitute(
      Expr e, PhysicalPlan input, PhysicalPlan.TableScan scan) {
    return switch (e) {
      case Expr.Column c -> overScan(input, c.index(), scan);
      case Expr.Literal l -> Optional.of(l);
      case Expr.Param p -> Optional.of(p);
      case Expr.Call c -> {
        var args = new ArrayList<Expr>();
        for (Expr a : c.args()) {
          Optional<Expr> s = substitute(a, input, scan);
          if (s.isEmpty()) {
            yield Optional.empty();
          }
          args.add(s.get());
        }
        yield Optional.of(new Expr.Call(c.function(), c.type(), args, c.strict(), c.volatility()));
      }
      default -> Optional.empty();
    };
  }
}
