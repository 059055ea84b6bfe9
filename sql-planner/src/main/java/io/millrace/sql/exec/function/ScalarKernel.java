package io.millrace.sql.exec.function;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A scalar function, operator or cast over whole vectors.
 *
 * <p>Contract. Every argument vector has exactly {@code rows} values (constants are repeated; for
 * text constants a DictVector of one entry is cheapest). The result has {@code rows} values and the
 * type given to {@link Factory#bind}. The caller passes vectors as they are, NULL rows included: a
 * kernel of a strict function gives NULL wherever an argument is NULL and never fails because of
 * what stands in such a row; the caller need not mask anything. Functions without arguments get an
 * empty list. Results may share arrays with arguments. An instance belongs to one expression and
 * one thread at a time: it may keep compiled patterns, zones and codecs between calls.
 */
@FunctionalInterface
public interface ScalarKernel {
  Vector apply(List<Vector> args, int rows, EvalContext context);

  /**
   * The function of its one argument that is no constant, as steps.
   *
   * @param constants one-row vectors, none of them NULL, and null in place of the one argument
   * @return null if it is not made of steps, or is cheaper otherwise
   */
  default @Nullable StepFunction steps(List<@Nullable Vector> constants, EvalContext context) {
    return null;
  }

  /** Makes a kernel for one call site. */
  @FunctionalInterface
  interface Factory {
    ScalarKernel bind(List<SqlType> argumentTypes, SqlType resultType);
  }
}
