package io.millrace.storage.read;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;

/** Values of a file or memtable older than a change of the column's type. */
final class Conversions {
  private Conversions() {}

  /** Whether the values of one type are the other's as they are. */
  static boolean sameValues(SqlType from, SqlType to) {
    return from.sameKind(to)
        || (from.layout() == to.layout()
            && from.kind().category() == to.kind().category()
            && !from.kind().isTimestamp()
            && from.layout() != io.millrace.common.type.Layout.ARRAY);
  }

  static Vector convert(Vector v, SqlType type) {
    VectorBuilder b = VectorBuilder.of(type, v.length());
    TypeCodec in = TypeCodecs.full(v.type());
    TypeCodec out = TypeCodecs.of(type);
    var sink = new ByteSink();
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
        default -> text(v, i, in, out, sink, b);
      }
    }
    return b.build();
  }

  private static void text(
      Vector v, int row, TypeCodec in, TypeCodec out, ByteSink sink, VectorBuilder b) {
    sink.clear();
    in.writeText(v, row, sink, SessionFormat.DEFAULT);
    out.parseText(sink.array(), 0, sink.position(), b, SessionFormat.DEFAULT);
  }
}
