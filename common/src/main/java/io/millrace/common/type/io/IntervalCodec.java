package io.millrace.common.type.io;

import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;

/** interval. */
final class IntervalCodec implements TypeCodec {
  private final int typmod;

  IntervalCodec(SqlType type) {
    typmod = type.typmod();
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    var i = (IntervalVector) v;
    IntervalText.write(
        i.months()[row], i.days()[row], i.micros()[row], format.intervalStyle(), out);
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    var i = (IntervalVector) v;
    out.putLong(i.micros()[row]);
    out.putInt(i.days()[row]);
    out.putInt(i.months()[row]);
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    append(IntervalText.parse(Problems.text(b, off, len), format, typmod), out);
  }

  private static void append(IntervalText.Parts p, VectorBuilder out) {
    ((VectorBuilder.Intervals) out).append(p.months(), p.days(), p.micros());
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, 16);
    int days = ByteSink.getInt(b, off + 8);
    int months = ByteSink.getInt(b, off + 12);
    append(IntervalText.fit(months, days, ByteSink.getLong(b, off), typmod), out);
  }
}
