package io.millrace.common.type.io;

import ch.randelshofer.fastdoubleparser.JavaFloatParser;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;

/** real. */
final class FloatCodec implements TypeCodec {
  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    FloatText.write(((FloatVector) v).get(row), out, format.extraFloatDigits());
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    out.putFloat(((FloatVector) v).get(row));
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    double wide = DoubleCodec.parse(b, off, len, "real");
    float v = (float) wide;
    if (wide != 0 && !Double.isInfinite(wide) && !Double.isNaN(wide)) {
      int s = Ascii.skip(b, off, off + len);
      v = JavaFloatParser.parseFloat(b, s, Ascii.trim(b, s, off + len) - s);
      if (v == 0 || Float.isInfinite(v)) {
        throw DoubleCodec.outOfRange(b, off, len, "real");
      }
    }
    ((VectorBuilder.Floats) out).append(v);
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, 4);
    ((VectorBuilder.Floats) out).append(Float.intBitsToFloat(ByteSink.getInt(b, off)));
  }
}
