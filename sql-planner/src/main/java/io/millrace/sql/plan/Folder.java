package io.millrace.sql.plan;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.physical.Expr;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Folds constants, by the kernels that would compute them: a call of an immutable function over
 * literals is asked for one row. What raises an error is left in place, to raise it when (and if)
 * it is evaluated. The logical forms are folded by their three-valued rules.
 */
final class Folder {
  private final FunctionRegistry functions;
  private final EvalContext context;

  Folder(FunctionRegistry functions, EvalContext context) {
    this.functions = functions;
    this.context = context;
  }

  static Expr.Literal literal(boolean value) {
    return new Expr.Literal(
        SqlType.BOOL, new BoolVector(SqlType.BOOL, new boolean[] {value}, 1, null));
  }

  static Expr.Literal nullOf(SqlType type) {
    VectorBuilder b = VectorBuilder.of(type, 1);
    b.appendNull();
    return new Expr.Literal(type, b.build());
  }

  /** TRUE, FALSE, or null for anything else, NULL included. */
  static @Nullable Boolean truth(Expr e) {
    return e instanceof Expr.Literal l && l.value() instanceof BoolVector b && !l.value().isNull(0)
        ? Boolean.valueOf(b.get(0))
        : null;
  }

  static boolean isNull(Expr e) {
    return e instanceof Expr.Literal l && l.value().isNull(0);
  }

  /** The node with constant parts of its own level folded; its children are folded already. */
  Expr fold(Expr e) {
    return switch (e) {
      case Expr.Call c -> call(c);
      case Expr.And a -> and(a);
      case Expr.Or o -> or(o);
      case Expr.Not n -> not(n);
      case Expr.IsNull n ->
          n.arg() instanceof Expr.Literal l && l.type().fields().isEmpty()
              ? literal(l.value().isNull(0) != n.negated())
              : n;
      case Expr.Compare c -> compare(c);
      case Expr.Case c -> cases(c);
      case Expr.Coalesce c -> coalesce(c);
      default -> e;
    };
  }

  private Expr call(Expr.Call c) {
    if (c.volatility() != 'i' || !functions.isScalar(c.function())) {
      return c;
    }
    var values = new ArrayList<Vector>(c.args().size());
    var types = new ArrayList<SqlType>(c.args().size());
    for (Expr a : c.args()) {
      if (!(a instanceof Expr.Literal l)) {
        return c;
      }
      if (c.strict() && l.value().isNull(0)) {
        return nullOf(c.type());
      }
      values.add(l.value());
      types.add(l.type());
    }
    try {
      Vector out = functions.scalar(c.function(), types, c.type()).apply(values, 1, context);
      return new Expr.Literal(c.type(), out);
    } catch (MillraceException e) {
      return c;
    }
  }

  private static Expr and(Expr.And a) {
    var rest = new ArrayList<Expr>();
    for (Expr e : a.args()) {
      Boolean t = truth(e);
      if (t == null) {
        if (e instanceof Expr.And inner) {
          rest.addAll(inner.args());
        } else {
          rest.add(e);
        }
      } else if (!t && rest.isEmpty()) {
        return literal(false);
      } else if (!t) {
        rest.add(e);
      }
    }
    return rest.isEmpty() ? literal(true) : rest.size() == 1 ? rest.get(0) : new Expr.And(rest);
  }

  private static Expr or(Expr.Or o) {
    var rest = new ArrayList<Expr>();
    for (Expr e : o.args()) {
      Boolean t = truth(e);
      if (t == null) {
        if (e instanceof Expr.Or inner) {
          rest.addAll(inner.args());
        } else {
          rest.add(e);
        }
      } else if (t && rest.isEmpty()) {
        return literal(true);
      } else if (t) {
        rest.add(e);
      }
    }
    return rest.isEmpty() ? literal(false) : rest.size() == 1 ? rest.get(0) : new Expr.Or(rest);
  }

  private static Expr not(Expr.Not n) {
    Boolean t = truth(n.arg());
    if (t != null) {
      return literal(!t);
    }
    if (isNull(n.arg())) {
      return n.arg();
    }
    return switch (n.arg()) {
      case Expr.Not inner -> inner.arg();
      case Expr.IsNull i -> new Expr.IsNull(i.arg(), !i.negated());
      case Expr.In i -> new Expr.In(i.value(), i.options(), !i.negated());
      case Expr.Compare c -> new Expr.Compare(opposite(c.op()), c.left(), c.right());
      default -> n;
    };
  }

  private static Expr.Op opposite(Expr.Op op) {
    return switch (op) {
      case EQ -> Expr.Op.NE;
      case NE -> Expr.Op.EQ;
      case LT -> Expr.Op.GE;
      case LE -> Expr.Op.GT;
      case GT -> Expr.Op.LE;
      case GE -> Expr.Op.LT;
      case IS_DISTINCT -> Expr.Op.IS_NOT_DISTINCT;
      case IS_NOT_DISTINCT -> Expr.Op.IS_DISTINCT;
    };
  }

  private static Expr compare(Expr.Compare c) {
    boolean nullSafe = c.op() == Expr.Op.IS_DISTINCT || c.op() == Expr.Op.IS_NOT_DISTINCT;
    if (!nullSafe && (isNull(c.left()) || isNull(c.right()))) {
      return nullOf(SqlType.BOOL);
    }
    if (!(c.left() instanceof Expr.Literal l) || !(c.right() instanceof Expr.Literal r)) {
      return c;
    }
    if (l.type().layout() != r.type().layout()) {
      return c;
    }
    if (nullSafe) {
      return literal(l.value().same(0, r.value(), 0) == (c.op() == Expr.Op.IS_NOT_DISTINCT));
    }
    if (!comparesByValue(l.type()) || !comparesByValue(r.type())) {
      return c;
    }
    int order = l.value().compare(0, r.value(), 0);
    return literal(
        switch (c.op()) {
          case EQ -> order == 0;
          case NE -> order != 0;
          case LT -> order < 0;
          case LE -> order <= 0;
          case GT -> order > 0;
          case GE -> order >= 0;
          case IS_DISTINCT, IS_NOT_DISTINCT -> throw new IllegalStateException();
        });
  }

  private static boolean comparesByValue(SqlType type) {
    return switch (type.kind()) {
      case BOOL,
          INT2,
          INT4,
          INT8,
          FLOAT4,
          FLOAT8,
          NUMERIC,
          TEXT,
          VARCHAR,
          NAME,
          DATE,
          TIMESTAMP,
          TIMESTAMPTZ ->
          true;
      default -> false;
    };
  }

  private static Expr cases(Expr.Case c) {
    var whens = new ArrayList<Expr.When>();
    for (Expr.When w : c.whens()) {
      Boolean t = truth(w.condition());
      if (Boolean.FALSE.equals(t) || isNull(w.condition())) {
        continue;
      }
      if (Boolean.TRUE.equals(t)) {
        return whens.isEmpty() ? w.value() : new Expr.Case(c.type(), whens, w.value());
      }
      whens.add(w);
    }
    if (whens.isEmpty()) {
      Expr otherwise = c.otherwise();
      return otherwise == null ? nullOf(c.type()) : otherwise;
    }
    return whens.size() == c.whens().size() ? c : new Expr.Case(c.type(), whens, c.otherwise());
  }

  private static Expr coalesce(Expr.Coalesce c) {
    var rest = new ArrayList<Expr>();
    for (Expr e : c.args()) {
      if (isNull(e)) {
        continue;
      }
      rest.add(e);
      if (e instanceof Expr.Literal) {
        break;
      }
    }
    return rest.isEmpty()
        ? nullOf(c.type())
        : rest.size() == 1 && rest.get(0).type().equals(c.type())
            ? rest.get(0)
            : new Expr.Coalesce(c.type(), List.copyOf(rest));
  }
}
