package io.millrace.common.type.io;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;

/** smallint and integer. */
final class IntCodec implements TypeCodec {
  private final boolean small;
  private final String name;

  IntCodec(SqlType type) {
    small = type.kind() == TypeKind.INT2;
    name = type.sqlName();
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    out.putDecimal(((IntVector) v).get(row));
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    int x = ((IntVector) v).get(row);
    if (small) {
      out.putShort(x);
    } else {
      out.putInt(x);
    }
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    long v =
        small
            ? Ascii.parseLong(b, off, len, Short.MIN_VALUE, Short.MAX_VALUE, name)
            : Ascii.parseLong(b, off, len, Integer.MIN_VALUE, Integer.MAX_VALUE, name);
    ((VectorBuilder.Ints) out).append((int) v);
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, small ? 2 : 4);
    ((VectorBuilder.Ints) out).append(small ? ByteSink.getShort(b, off) : ByteSink.getInt(b, off));
  }
}
