package io.millrace.sql.exec.function;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set-returning function. A strict one gives no rows for a NULL argument; the kernel itself sees
 * to that.
 */
@FunctionalInterface
public interface SetKernel {
  /** The rows for row {@code row} of the arguments. */
  Rows open(List<Vector> args, int row, EvalContext context);

  /** Rows in pieces. */
  @FunctionalInterface
  interface Rows {
    /**
     * The next rows, at most {@code maxRows}; null at the end. One column, or one per field where
     * the function returns a record type with fields.
     */
    @Nullable Batch next(int maxRows);
  }

  /** Makes a kernel for one call site. */
  @FunctionalInterface
  interface Factory {
    /**
     * @param resultType type of one row: a scalar, or a record with fields
     */
    SetKernel bind(List<SqlType> argumentTypes, SqlType resultType);
  }
}
