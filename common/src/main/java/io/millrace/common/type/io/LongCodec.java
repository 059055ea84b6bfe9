package io.millrace.common.type.io;

import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;

/** bigint. */
final class LongCodec implements TypeCodec {
  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    out.putDecimal(((LongVector) v).get(row));
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    out.putLong(((LongVector) v).get(row));
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    ((VectorBuilder.Longs) out)
        .append(Ascii.parseLong(b, off, len, Long.MIN_VALUE, Long.MAX_VALUE, "bigint"));
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, 8);
    ((VectorBuilder.Longs) out).append(ByteSink.getLong(b, off));
  }
}
