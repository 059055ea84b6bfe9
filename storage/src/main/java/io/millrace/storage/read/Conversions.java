package io.millrace.storage.read;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;

/** Values of a file or memtable older than a change of the column's type. */
final class Conversions {
  private Conversions() {}

  static Vector convert(Vector v, SqlType type) {
    VectorBuilder b = VectorBuilder.of(type, v.length());
    for (int i = 0; i < v.length(); i++) {
      if (v.isNull(i)) {
        b.appendNull();
        continue;
      }
      switch (b) {
        case VectorBuilder.Longs x when v instanceof IntVector n -> x.append(n.get(i));
        case VectorBuilder.Doubles x when v instanceof IntVector n -> x.append(n.get(i));
        case VectorBuilder.Doubles x when v instanceof LongVector n -> x.append(n.get(i));
        case VectorBuilder.Doubles x when v instanceof FloatVector n -> x.append(n.get(i));
        case VectorBuilder.Floats x when v instanceof IntVector n -> x.append(n.get(i));
        case VectorBuilder.Floats x when v instanceof DoubleVector n -> x.append((float) n.get(i));
        case VectorBuilder.Numerics x when v instanceof IntVector n -> x.append(n.get(i), 0);
        case VectorBuilder.Numerics x when v instanceof LongVector n -> x.append(n.get(i), 0);
        default ->
            throw new MillraceException(
                ErrorCode.CANNOT_COERCE, "cannot cast type " + v.type() + " to " + type);
      }
    }
    return b.build();
  }
}
