package io.millrace.flow.batching;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.Expr;
import java.util.List;
import java.util.Optional;

/** Values of expressions that do not depend on rows. */
final class Constants {
  private final ExprEvaluator evaluator;
  private final List<Vector> parameters;
  private final List<Expr> inits;
  private final EvalContext context;

  Constants(
      ExprEvaluator evaluator, List<Vector> parameters, List<Expr> inits, EvalContext context) {
    this.evaluator = evaluator;
    this.parameters = parameters;
    this.inits = inits;
    this.context = context;
  }

  /** The value, if the expression is immutable and reads no column. */
  Optional<Vector> value(Expr e) {
    if (!isConstant(e)) {
      return Optional.empty();
    }
    try {
      return Optional.of(evaluator.constant(resolved(e), parameters, context));
    } catch (MillraceException failed) {
      return Optional.empty();
    }
  }

  private Expr resolved(Expr e) {
    return e instanceof Expr.Param p && p.index() >= parameters.size()
        ? inits.get(p.index() - parameters.size())
        : e;
  }

  private boolean isConstant(Expr e) {
    return switch (e) {
      case Expr.Literal l -> true;
      case Expr.Param p ->
          p.index() < parameters.size()
              || (p.index() - parameters.size() < inits.size()
                  && isConstant(inits.get(p.index() - parameters.size())));
      case Expr.Call c -> c.volatility() == 'i' && c.args().stream().allMatch(this::isConstant);
      default -> false;
    };
  }

  /** A fixed interval in microseconds; empty if it has months or is NULL. */
  Optional<Long> fixedInterval(Expr e) {
    return value(e)
        .filter(v -> v instanceof IntervalVector && !v.isNull(0))
        .map(v -> (IntervalVector) v)
        .filter(v -> v.months()[0] == 0)
        .map(v -> v.days()[0] * 86_400_000_000L + v.micros()[0]);
  }

  /** A finite time in microseconds. */
  Optional<Long> micros(Expr e) {
    return value(e)
        .filter(v -> v instanceof LongVector && v.type().kind().isTimestamp() && !v.isNull(0))
        .map(v -> OutputRows.micros(v, 0));
  }

  Optional<String> text(Expr e) {
    return value(e)
        .filter(v -> v instanceof BytesColumn && !v.isNull(0))
        .map(v -> ((BytesColumn) v).string(0));
  }
}
