package io.millrace.sql.plan;

import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Copies a plan with every expression of it replaced. */
abstract class PlanRewriter {
  /** A value. */
  abstract Expr value(Expr e);

  /** A call that returns a set: itself to be left a call. */
  Expr setCall(Expr e) {
    return Exprs.map(e, this::value);
  }

  /** A cell of constant rows, evaluated once per run anyway. */
  Expr cell(Expr e) {
    return value(e);
  }

  int firstParam(int firstParam) {
    return firstParam;
  }

  PhysicalPlan plan(PhysicalPlan p) {
    UnaryOperator<Expr> f = this::value;
    return switch (p) {
      case PhysicalPlan.TableScan t ->
          new PhysicalPlan.TableScan(
              t.table(),
              t.tableVersion(),
              t.name(),
              t.columnIds(),
              t.types(),
              conjuncts(t.conjuncts()),
              t.order(),
              Exprs.maybe(t.limit(), f),
              t.lastRow());
      case PhysicalPlan.SystemScan s ->
          new PhysicalPlan.SystemScan(
              s.schema(), s.relation(), s.columns(), s.types(), conjuncts(s.conjuncts()));
      case PhysicalPlan.Values v -> {
        var rows = new ArrayList<List<Expr>>(v.rows().size());
        for (List<Expr> r : v.rows()) {
          rows.add(Exprs.all(r, this::cell));
        }
        yield new PhysicalPlan.Values(v.types(), rows);
      }
      case PhysicalPlan.ParamRows x -> x;
      case PhysicalPlan.Filter x -> new PhysicalPlan.Filter(plan(x.input()), value(x.condition()));
      case PhysicalPlan.Project x ->
          new PhysicalPlan.Project(plan(x.input()), Exprs.all(x.exprs(), f));
      case PhysicalPlan.ProjectSet x -> {
        var items = new ArrayList<PhysicalPlan.ProjectSet.SetItem>();
        for (PhysicalPlan.ProjectSet.SetItem i : x.items()) {
          items.add(
              new PhysicalPlan.ProjectSet.SetItem(
                  i.returnsSet() ? setCall(i.expr()) : value(i.expr()), i.returnsSet()));
        }
        yield new PhysicalPlan.ProjectSet(plan(x.input()), items);
      }
      case PhysicalPlan.TableFunction x ->
          new PhysicalPlan.TableFunction(
              maybePlan(x.input()),
              Exprs.all(x.calls(), this::setCall),
              x.ordinality(),
              x.outer(),
              x.types());
      case PhysicalPlan.Aggregate x ->
          new PhysicalPlan.Aggregate(
              plan(x.input()),
              x.keys(),
              x.groupingSets(),
              x.calls().stream().map(this::call).toList(),
              x.ordered());
      case PhysicalPlan.RangeSelect x ->
          new PhysicalPlan.RangeSelect(
              plan(x.input()),
              x.keys(),
              x.time(),
              x.items().stream().map(this::item).toList(),
              value(x.align()),
              Exprs.maybe(x.origin(), f));
      case PhysicalPlan.GapFill x ->
          new PhysicalPlan.GapFill(
              plan(x.input()),
              x.keys(),
              x.time(),
              x.columns(),
              value(x.width()),
              value(x.origin()),
              x.bounds().stream()
                  .map(g -> new PhysicalPlan.GapBound(g.kind(), value(g.value())))
                  .toList());
      case PhysicalPlan.Join x ->
          new PhysicalPlan.Join(
              x.joinType(),
              plan(x.left()),
              plan(x.right()),
              Exprs.all(x.leftKeys(), f),
              Exprs.all(x.rightKeys(), f),
              x.nullSafe(),
              Exprs.maybe(x.residual(), f));
      case PhysicalPlan.Correlate x ->
          new PhysicalPlan.Correlate(
              x.joinType(),
              plan(x.left()),
              plan(x.right()),
              firstParam(x.firstParam()),
              x.correlated());
      case PhysicalPlan.SingleRow x -> new PhysicalPlan.SingleRow(plan(x.input()));
      case PhysicalPlan.Sort x -> new PhysicalPlan.Sort(plan(x.input()), keys(x.keys()));
      case PhysicalPlan.Limit x ->
          new PhysicalPlan.Limit(
              plan(x.input()), Exprs.maybe(x.limit(), f), Exprs.maybe(x.offset(), f), x.ties());
      case PhysicalPlan.DistinctOn x -> new PhysicalPlan.DistinctOn(plan(x.input()), x.keys());
      case PhysicalPlan.UnionAll x -> {
        var inputs = new ArrayList<PhysicalPlan>();
        for (PhysicalPlan i : x.inputs()) {
          inputs.add(plan(i));
        }
        yield new PhysicalPlan.UnionAll(inputs, x.types());
      }
      case PhysicalPlan.SetOp x ->
          new PhysicalPlan.SetOp(plan(x.left()), plan(x.right()), x.intersect(), x.all());
      case PhysicalPlan.Window x -> {
        var calls = new ArrayList<PhysicalPlan.WindowCall>();
        for (PhysicalPlan.WindowCall c : x.calls()) {
          PhysicalPlan.Frame r = c.frame();
          calls.add(
              new PhysicalPlan.WindowCall(
                  c.function(),
                  c.type(),
                  Exprs.all(c.args(), f),
                  Exprs.maybe(c.filter(), f),
                  c.aggregate(),
                  new PhysicalPlan.Frame(
                      r.mode(),
                      r.start(),
                      Exprs.maybe(r.startOffset(), f),
                      r.end(),
                      Exprs.maybe(r.endOffset(), f),
                      r.exclude())));
        }
        yield new PhysicalPlan.Window(plan(x.input()), x.partitionBy(), keys(x.orderBy()), calls);
      }
      case PhysicalPlan.Recurse x ->
          new PhysicalPlan.Recurse(x.id(), plan(x.seed()), plan(x.step()), x.distinct());
      case PhysicalPlan.WorkTable x -> x;
      case PhysicalPlan.Shared x ->
          new PhysicalPlan.Shared(x.id(), plan(x.definition()), plan(x.input()));
      case PhysicalPlan.SharedScan x -> x;
    };
  }

  private PhysicalPlan.AggregateCall call(PhysicalPlan.AggregateCall c) {
    return new PhysicalPlan.AggregateCall(
        c.function(),
        c.type(),
        Exprs.all(c.args(), this::value),
        c.distinct(),
        Exprs.maybe(c.filter(), this::value),
        keys(c.orderBy()),
        Exprs.all(c.direct(), this::value));
  }

  private PhysicalPlan.RangeItem item(PhysicalPlan.RangeItem i) {
    return new PhysicalPlan.RangeItem(
        call(i.call()), value(i.span()), i.fill(), Exprs.maybe(i.value(), this::value), i.type());
  }

  private @Nullable PhysicalPlan maybePlan(@Nullable PhysicalPlan p) {
    return p == null ? null : plan(p);
  }

  private List<PhysicalPlan.SortKey> keys(List<PhysicalPlan.SortKey> keys) {
    var out = new ArrayList<PhysicalPlan.SortKey>(keys.size());
    for (PhysicalPlan.SortKey k : keys) {
      out.add(new PhysicalPlan.SortKey(value(k.expr()), k.descending(), k.nullsFirst()));
    }
    return out;
  }

  private List<PhysicalPlan.ScanConjunct> conjuncts(List<PhysicalPlan.ScanConjunct> list) {
    var out = new ArrayList<PhysicalPlan.ScanConjunct>(list.size());
    for (PhysicalPlan.ScanConjunct c : list) {
      out.add(
          new PhysicalPlan.ScanConjunct(
              c.columnId(), c.kind(), Exprs.all(c.values(), this::value)));
    }
    return out;
  }
}
