package io.millrace.sql.exec.operator;

import io.millrace.sql.physical.Expr;
import java.util.ArrayList;
import java.util.List;

/** Finds calls that must not be made on several threads, or another number of times. */
final class Volatile {
  private Volatile() {}

  static boolean any(List<? extends Expr> exprs) {
    for (Expr e : exprs) {
      if (any(e)) {
        return true;
      }
    }
    return false;
  }

  private static boolean any(Expr e) {
    if (e instanceof Expr.Call c && c.volatility() == 'v') {
      return true;
    }
    return any(parts(e));
  }

  /** The expressions that an expression is made of. */
  static List<Expr> parts(Expr e) {
    return switch (e) {
      case Expr.Column _, Expr.Literal _, Expr.Param _ -> List.of();
      case Expr.Call c -> c.args();
      case Expr.And a -> a.args();
      case Expr.Or o -> o.args();
      case Expr.Not n -> List.of(n.arg());
      case Expr.IsNull n -> List.of(n.arg());
      case Expr.Compare c -> List.of(c.left(), c.right());
      case Expr.In in -> {
        var out = new ArrayList<>(in.options());
        out.add(in.value());
        yield out;
      }
      case Expr.Case c -> {
        var out = new ArrayList<Expr>();
        for (Expr.When w : c.whens()) {
          out.add(w.condition());
          out.add(w.value());
        }
        Expr otherwise = c.otherwise();
        if (otherwise != null) {
          out.add(otherwise);
        }
        yield out;
      }
      case Expr.Coalesce c -> c.args();
      case Expr.ArrayOf a -> a.elements();
      case Expr.RowOf r -> r.fields();
      case Expr.FieldOf f -> List.of(f.record());
      case Expr.Subscript s -> {
        var out = new ArrayList<>(s.indexes());
        out.add(s.array());
        yield out;
      }
      case Expr.Slice s -> {
        var out = new ArrayList<Expr>();
        out.add(s.array());
        Expr lower = s.lower();
        Expr upper = s.upper();
        if (lower != null) {
          out.add(lower);
        }
        if (upper != null) {
          out.add(upper);
        }
        yield out;
      }
      case Expr.Quantified q -> List.of(q.value(), q.array(), q.op());
    };
  }
}
