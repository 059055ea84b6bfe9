package io.millrace.common.type.io;

import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.function.LongSupplier;

/** time, and time with time zone in its packed form. */
final class TimeCodec implements TypeCodec {
  private final boolean zoned;
  private final int digits;
  private final LongSupplier clock;

  TimeCodec(SqlType type, LongSupplier clock) {
    zoned = type.kind() == TypeKind.TIMETZ;
    digits = type.typmod();
    this.clock = clock;
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    long x = ((LongVector) v).get(row);
    DateTimeText.writeTime((zoned ? TimeTz.micros(x) : x) * 1000, out);
    if (zoned) {
      DateTimeText.writeOffset(-TimeTz.west(x), out);
    }
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    long x = ((LongVector) v).get(row);
    if (zoned) {
      out.putLong(TimeTz.micros(x));
      out.putInt(TimeTz.west(x));
    } else {
      out.putLong(x);
    }
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    String text = Problems.text(b, off, len);
    long x =
        zoned
            ? DateTimeText.parseTimeTz(text, format, clock.getAsLong())
            : DateTimeText.parseTime(text, format, clock.getAsLong());
    ((VectorBuilder.Longs) out).append(fit(x));
  }

  private long fit(long x) {
    return zoned
        ? TimeTz.pack(Dates.roundFromZero(TimeTz.micros(x), digits), TimeTz.west(x))
        : Dates.roundFromZero(x, digits);
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, zoned ? 12 : 8);
    long x = ByteSink.getLong(b, off);
    if (x < 0 || x > Dates.DAY) {
      throw DateTimeText.outOfRange("time");
    }
    if (zoned) {
      int west = ByteSink.getInt(b, off + 8);
      if (Math.abs((long) west) >= 16 * 3600) {
        throw new io.millrace.common.error.MillraceException(
            io.millrace.common.error.ErrorCode.INVALID_TIME_ZONE,
            "time zone displacement out of range");
      }
      x = TimeTz.pack(x, west);
    }
    ((VectorBuilder.Longs) out).append(fit(x));
  }
}
