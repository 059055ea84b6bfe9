package io.millrace.flow.batching;

import io.millrace.common.batch.LongVector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.flow.ledger.TimeRange;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import io.millrace.sql.physical.PlanTemplate;
import java.util.ArrayList;
import java.util.List;

/** A window-local plan restricted to a range of times, by conjuncts on its driving scan. */
final class RangePlans {
  private RangePlans() {}

  static PlanTemplate restrict(FlowPlan plan, int timeIndexId, TimeRange range) {
    PlanTemplate t = plan.template();
    if (range.isAll() || !plan.windowLocal()) {
      return t;
    }
    PhysicalPlan restricted = restrict(t.plan(), timeIndexId, range);
    return new PlanTemplate(restricted, t.columns(), t.parameterTypes(), t.inits(), t.tables());
  }

  private static PhysicalPlan restrict(PhysicalPlan p, int timeId, TimeRange range) {
    return switch (p) {
      case PhysicalPlan.TableScan s -> {
        var conjuncts = new ArrayList<>(s.conjuncts());
        SqlType type = s.types().get(s.columnIds().indexOf(timeId));
        if (range.from() != Long.MIN_VALUE) {
          conjuncts.add(bound(timeId, ScanConjunct.Kind.GE, type, range.from()));
        }
        if (range.to() != Long.MAX_VALUE) {
          conjuncts.add(bound(timeId, ScanConjunct.Kind.LT, type, range.to()));
        }
        yield new PhysicalPlan.TableScan(
            s.table(),
            s.tableVersion(),
            s.name(),
            s.columnIds(),
            s.types(),
            conjuncts,
            s.order(),
            s.limit(),
            s.lastRow());
      }
      case PhysicalPlan.Filter f ->
          new PhysicalPlan.Filter(restrict(f.input(), timeId, range), f.condition());
      case PhysicalPlan.Project q ->
          new PhysicalPlan.Project(restrict(q.input(), timeId, range), q.exprs());
      case PhysicalPlan.Aggregate a ->
          new PhysicalPlan.Aggregate(
              restrict(a.input(), timeId, range),
              a.keys(),
              a.groupingSets(),
              a.calls(),
              a.ordered());
      default -> throw new IllegalStateException("not window-local: " + p.getClass());
    };
  }

  private static ScanConjunct bound(int timeId, ScanConjunct.Kind kind, SqlType type, long micros) {
    long value = type.kind() == TypeKind.TIMESTAMP_NS ? TimeRange.nanos(micros) : micros;
    return new ScanConjunct(
        timeId,
        kind,
        List.of(new Expr.Literal(type, new LongVector(type, new long[] {value}, 1, null))));
  }
}
