package io.millrace.sql.plan;

import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct.Kind;
import java.util.List;

/**
 * Bounds for {@code column::timestamptz op value} where the column is a timestamp, such as {@code
 * ts > now() - interval '1 hour'}: a scan cannot evaluate it, but a bound on the column itself lets
 * it skip what cannot match; the condition is checked above as well.
 *
 * <p>A local time behind the instant x lies behind x plus the smallest of the zone's offsets around
 * x. The offsets at x and 26 hours before and after it are all there are nearby (zones do not
 * change twice a day, and by a day at most), so the least of three conversions is a bound, and away
 * from changes of the clock it is exact.
 */
final class ZonedBounds {
  private static final long AROUND = 26L * 3_600_000_000L;
  private static final FunctionId TO_LOCAL = new FunctionId("cast(timestamptz):timestamp");
  private static final FunctionId TO_INSTANT = new FunctionId("cast(timestamp):timestamptz");

  private ZonedBounds() {}

  /** Adds bounds that the condition implies, if it is of this form. */
  static void add(Expr e, List<Integer> ids, List<ScanConjunct> out) {
    if (!(e instanceof Expr.Compare c)) {
      return;
    }
    Expr.Op op = c.op();
    Expr column = c.left();
    Expr value = c.right();
    if (!isZoned(column)) {
      column = c.right();
      value = c.left();
      op = ScanConjuncts.flipped(op);
    }
    if (!isZoned(column)
        || value.type().kind() != TypeKind.TIMESTAMPTZ
        || !ScanConjuncts.isFixed(value)) {
      return;
    }
    Expr.Column own = (Expr.Column) ((Expr.Call) column).args().get(0);
    int id = ids.get(own.index());
    if (op == Expr.Op.GT || op == Expr.Op.GE || op == Expr.Op.EQ) {
      out.add(new ScanConjunct(id, Kind.GE, List.of(bound(value, Expr.Op.LE))));
    }
    if (op == Expr.Op.LT || op == Expr.Op.LE || op == Expr.Op.EQ) {
      out.add(new ScanConjunct(id, Kind.LE, List.of(bound(value, Expr.Op.GE))));
    }
  }

  private static boolean isZoned(Expr e) {
    return e instanceof Expr.Call c
        && c.function().equals(TO_INSTANT)
        && c.args().size() == 1
        && c.args().get(0) instanceof Expr.Column own
        && own.type().kind() == TypeKind.TIMESTAMP;
  }

  /** The least (LE) or greatest (GE) local time of the instant by the offsets around it. */
  private static Expr bound(Expr value, Expr.Op op) {
    Expr here = local(value);
    Expr before = moved(local(moved(value, -AROUND)), AROUND);
    Expr after = moved(local(moved(value, AROUND)), -AROUND);
    return choice(op, choice(op, here, before), after);
  }

  private static Expr choice(Expr.Op op, Expr a, Expr b) {
    return new Expr.Case(
        SqlType.TIMESTAMP, List.of(new Expr.When(new Expr.Compare(op, a, b), a)), b);
  }

  private static Expr local(Expr instant) {
    return new Expr.Call(TO_LOCAL, SqlType.TIMESTAMP, List.of(instant), true, 's');
  }

  private static Expr moved(Expr time, long micros) {
    var b = (VectorBuilder.Intervals) VectorBuilder.of(SqlType.INTERVAL, 1);
    b.append(0, 0, micros);
    String name = time.type().kind().typname();
    return new Expr.Call(
        new FunctionId(name + "_pl_interval(" + name + ",interval)"),
        time.type().withTypmod(-1),
        List.of(time, new Expr.Literal(SqlType.INTERVAL, b.build())),
        true,
        time.type().kind() == TypeKind.TIMESTAMPTZ ? 's' : 'i');
  }
}
