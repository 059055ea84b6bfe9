package io.millrace.sql.exec;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.ExprCompiler;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.physical.Expr;
import java.util.ArrayList;
import java.util.List;

/**
 * Evaluates expressions outside plans: constant folding, INSERT … VALUES, DEFAULT and CHECK, flows.
 */
public final class ExprEvaluator {
  private final FunctionRegistry functions;

  public ExprEvaluator(FunctionRegistry functions) {
    this.functions = functions;
  }

  /** A compiled expression; one thread at a time. */
  @FunctionalInterface
  public interface Compiled {
    /** One value per row of the input, which may have any number of rows. */
    Vector evaluate(Batch input);
  }

  /**
   * @param parameters one one-row vector per Param
   */
  public Compiled compile(Expr expr, List<Vector> parameters, EvalContext context) {
    Eval e = new ExprCompiler(functions, context, parameters).compile(expr);
    return batch -> {
      if (batch.rows() <= Gather.PAGE_ROWS) {
        return e.eval(Rows.of(batch));
      }
      var parts = new ArrayList<Vector>();
      for (int from = 0; from < batch.rows(); from += Gather.PAGE_ROWS) {
        int n = Math.min(Gather.PAGE_ROWS, batch.rows() - from);
        parts.add(e.eval(Rows.of(batch.slice(from, n))));
      }
      return Gather.concat(expr.type(), parts);
    };
  }

  /** The value of an expression without columns: a vector of one row. */
  public Vector constant(Expr expr, List<Vector> parameters, EvalContext context) {
    return new ExprCompiler(functions, context, parameters).constant(expr);
  }
}
