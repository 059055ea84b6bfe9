package io.millrace.sql.exec.function;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.List;

/**
 * A cast that gives NULL where it would fail for the value (SQLSTATE class 22). All rows are tried
 * together; only if that fails each is tried alone.
 */
final class TryCast implements ScalarKernel {
  private final ScalarKernel cast;
  private final SqlType type;

  TryCast(ScalarKernel cast, SqlType type) {
    this.cast = cast;
    this.type = type;
  }

  @Override
  public Vector apply(List<Vector> args, int rows, EvalContext context) {
    try {
      return cast.apply(args, rows, context);
    } catch (MillraceException e) {
      if (!ofData(e)) {
        throw e;
      }
    }
    VectorBuilder out = VectorBuilder.of(type, rows);
    for (int i = 0; i < rows; i++) {
      one(args.getFirst().take(new int[] {i}, 1), context, out);
    }
    return out.build();
  }

  private void one(Vector value, EvalContext context, VectorBuilder out) {
    try {
      out.append(cast.apply(List.of(value), 1, context), 0);
    } catch (MillraceException e) {
      if (!ofData(e)) {
        throw e;
      }
      out.appendNull();
    }
  }

  private static boolean ofData(MillraceException e) {
    return e.code().sqlState().startsWith("22");
  }
}
