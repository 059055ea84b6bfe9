package io.millrace.common.type.io;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import java.util.function.LongSupplier;

/** date: days since 1970; on the wire since 2000. */
final class DateCodec implements TypeCodec {
  private final LongSupplier clock;

  DateCodec(LongSupplier clock) {
    this.clock = clock;
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    DateTimeText.writeDate(((IntVector) v).get(row), format, out);
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    int day = ((IntVector) v).get(row);
    boolean infinite = day == Dates.DATE_INFINITY || day == Dates.DATE_MINUS_INFINITY;
    out.putInt(infinite ? day : day - Dates.DAYS_2000);
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    int day = len == 10 ? iso(b, off) : Integer.MIN_VALUE;
    if (day == Integer.MIN_VALUE) {
      day = DateTimeText.parseDate(Problems.text(b, off, len), format, clock.getAsLong());
    }
    ((VectorBuilder.Ints) out).append(day);
  }

  /** Day number of yyyy-mm-dd; Integer.MIN_VALUE if it is not one. */
  static int iso(byte[] b, int o) {
    int y = two(b, o) * 100 + two(b, o + 2);
    int m = two(b, o + 5);
    int d = two(b, o + 8);
    if (y <= 0 || b[o + 4] != '-' || b[o + 7] != '-' || m < 1 || m > 12 || d < 1) {
      return Integer.MIN_VALUE;
    }
    return d > Dates.daysInMonth(y, m) ? Integer.MIN_VALUE : (int) Dates.day(y, m, d);
  }

  /** Two digits; far below zero if they are not. */
  static int two(byte[] b, int o) {
    int hi = b[o] - '0';
    int lo = b[o + 1] - '0';
    return hi < 0 || hi > 9 || lo < 0 || lo > 9 ? -1_000_000 : hi * 10 + lo;
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, 4);
    int day = ByteSink.getInt(b, off);
    if (day != Dates.DATE_INFINITY && day != Dates.DATE_MINUS_INFINITY) {
      if (day + (long) Dates.DAYS_2000 < Dates.MIN_DAY
          || day + (long) Dates.DAYS_2000 >= Dates.END_DAY) {
        throw DateTimeText.outOfRange("date");
      }
      day += Dates.DAYS_2000;
    }
    ((VectorBuilder.Ints) out).append(day);
  }
}
