package io.millrace.common.type.io;

import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.Words;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.time.ZoneId;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * timestamp, timestamp with time zone and TIMESTAMP(9). ISO forms take a fast path both ways that
 * keeps the last minute: sixteen bytes "yyyy-mm-dd hh:mm" and the microseconds they stand for, so
 * that near times cost a comparison and the seconds.
 */
final class TimestampCodec implements TypeCodec {
  private final boolean zoned;
  private final boolean nanos;
  private final boolean full;
  private final int digits;
  private final LongSupplier clock;
  private final ZoneOffsets offsets = new ZoneOffsets();

  // The last minute read.
  private long readHigh;
  private long readLow;
  private long readLocal;
  private long readUtc;
  private @Nullable ZoneId readZone;

  // The last minute written.
  private final byte[] written = new byte[16];
  private long writtenMinute = Long.MIN_VALUE;

  /**
   * @param full nanoseconds are shown and read whole (::text, COPY); else cut to microseconds
   */
  TimestampCodec(SqlType type, boolean full, LongSupplier clock) {
    zoned = type.kind() == TypeKind.TIMESTAMPTZ;
    nanos = type.kind() == TypeKind.TIMESTAMP_NS;
    this.full = full;
    digits = nanos ? -1 : type.typmod();
    this.clock = clock;
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    long x = ((LongVector) v).get(row);
    if (x == Dates.INFINITY || x == Dates.MINUS_INFINITY) {
      out.putText(x > 0 ? "infinity" : "-infinity");
      return;
    }
    int sub = 0;
    if (nanos) {
      sub = full ? (int) Math.floorMod(x, 1000L) : 0;
      x = Math.floorDiv(x, 1000L);
    }
    long offset = zoned ? offsets.micros(format.zone(), x) : 0;
    long local = x + offset;
    if (format.dateStyle() != SessionFormat.DateStyle.ISO) {
      int fraction = (int) Math.floorMod(local, Dates.SECOND) * 1000 + sub;
      DateTimeText.writeTimestamp(
          Math.floorDiv(local, Dates.SECOND),
          fraction,
          zoned ? format.zone() : null,
          (int) (offset / Dates.SECOND),
          format,
          out);
      return;
    }
    long minute = Math.floorDiv(local, Dates.MINUTE);
    long c = 0;
    if (minute != writtenMinute) {
      c = Dates.civil(Math.floorDiv(minute, 1440L));
      if (Dates.year(c) < 1 || Dates.year(c) > 9999) {
        DateTimeText.writeTimestamp(
            Math.floorDiv(local, Dates.SECOND),
            (int) Math.floorMod(local, Dates.SECOND) * 1000 + sub,
            zoned ? format.zone() : null,
            (int) (offset / Dates.SECOND),
            format,
            out);
        return;
      }
      remember(minute, c);
    }
    out.ensure(40);
    out.putBytes(written);
    int rest = (int) (local - minute * Dates.MINUTE);
    int second = rest / 1_000_000;
    out.put(':');
    out.putDigits(second, 2);
    DateTimeText.writeFraction((rest - second * 1_000_000) * 1000 + sub, out);
    if (zoned) {
      DateTimeText.writeOffset((int) (offset / Dates.SECOND), out);
    }
  }

  private void remember(long minute, long c) {
    var s = new ByteSink(16);
    s.putDigits(Dates.year(c), 4);
    s.put('-');
    s.putDigits(Dates.month(c), 2);
    s.put('-');
    s.putDigits(Dates.dom(c), 2);
    s.put(' ');
    long m = Math.floorMod(minute, 1440L);
    s.putDigits(m / 60, 2);
    s.put(':');
    s.putDigits(m % 60, 2);
    System.arraycopy(s.array(), 0, written, 0, 16);
    writtenMinute = minute;
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    long x = ((LongVector) v).get(row);
    if (x == Dates.INFINITY || x == Dates.MINUS_INFINITY) {
      out.putLong(x);
    } else {
      out.putLong((nanos ? Math.floorDiv(x, 1000L) : x) - Dates.EPOCH_2000);
    }
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    var longs = (VectorBuilder.Longs) out;
    long x = fast(b, off, len, format);
    if (x == Long.MIN_VALUE) {
      x = slow(b, off, len, format);
    }
    longs.append(x);
  }

  private long slow(byte[] b, int off, int len, SessionFormat format) {
    String text = Problems.text(b, off, len);
    if (nanos) {
      return DateTimeText.parseNanos(text, format, clock.getAsLong());
    }
    return Dates.round(DateTimeText.parseTimestamp(text, zoned, format, clock.getAsLong()), digits);
  }

  /** The ISO form; Long.MIN_VALUE if the text has another one. */
  private long fast(byte[] b, int off, int len, SessionFormat format) {
    if (len < 19 || b[off + 16] != ':') {
      return Long.MIN_VALUE;
    }
    long high = Words.getLong(b, off);
    long low = Words.getLong(b, off + 8);
    if ((high != readHigh || low != readLow || format.zone() != readZone)
        && !minute(b, off, high, low, format)) {
      return Long.MIN_VALUE;
    }
    int second = DateCodec.two(b, off + 17);
    if (second < 0 || second > 59) {
      return Long.MIN_VALUE;
    }
    int i = off + 19;
    int end = off + len;
    long fraction = 0;
    if (i < end && b[i] == '.') {
      i++;
      int from = i;
      while (i < end && Ascii.digit(b[i])) {
        fraction = fraction * 10 + b[i] - '0';
        i++;
      }
      int n = i - from;
      if (n == 0 || n > 9) {
        return Long.MIN_VALUE;
      }
      fraction *= NumericText.power(9 - n);
    }
    long base = zoned ? readUtc : readLocal;
    if (i < end) {
      int east = offset(b, i, end);
      if (east == Integer.MIN_VALUE) {
        return Long.MIN_VALUE;
      }
      base = zoned ? readLocal - east * Dates.SECOND : readLocal;
    }
    if (nanos) {
      long seconds = base / Dates.SECOND + second;
      return seconds <= -9_223_372_036L || seconds >= 9_223_372_036L
          ? Long.MIN_VALUE
          : seconds * 1_000_000_000L + fraction;
    }
    return Dates.round(base + second * Dates.SECOND + (fraction + 500) / 1000, digits);
  }

  private boolean minute(byte[] b, int off, long high, long low, SessionFormat format) {
    int day = DateCodec.iso(b, off);
    int hour = DateCodec.two(b, off + 11);
    int minute = DateCodec.two(b, off + 14);
    if (day == Integer.MIN_VALUE
        || (b[off + 10] != ' ' && b[off + 10] != 'T')
        || b[off + 13] != ':'
        || hour < 0
        || hour > 23
        || minute < 0
        || minute > 59) {
      return false;
    }
    readHigh = high;
    readLow = low;
    readZone = format.zone();
    readLocal = day * Dates.DAY + hour * Dates.HOUR + minute * Dates.MINUTE;
    readUtc = zoned ? Zones.toUtc(format.zone(), readLocal) : readLocal;
    return true;
  }

  /** Seconds east of Z, +hh, +hhmm or +hh:mm; Integer.MIN_VALUE for anything else. */
  private static int offset(byte[] b, int from, int end) {
    int n = end - from;
    if (n == 1 && (b[from] == 'Z' || b[from] == 'z')) {
      return 0;
    }
    if (b[from] != '+' && b[from] != '-') {
      return Integer.MIN_VALUE;
    }
    int hours = n >= 3 ? DateCodec.two(b, from + 1) : -1;
    int minutes = 0;
    if (n == 5) {
      minutes = DateCodec.two(b, from + 3);
    } else if (n == 6 && b[from + 3] == ':') {
      minutes = DateCodec.two(b, from + 4);
    } else if (n != 3) {
      return Integer.MIN_VALUE;
    }
    if (hours < 0 || hours > 15 || minutes < 0 || minutes > 59) {
      return Integer.MIN_VALUE;
    }
    int total = hours * 3600 + minutes * 60;
    return b[from] == '-' ? -total : total;
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, 8);
    long x = ByteSink.getLong(b, off);
    if (x != Dates.INFINITY && x != Dates.MINUS_INFINITY) {
      if (x < Dates.MIN_MICROS - Dates.EPOCH_2000 || x >= Dates.END_MICROS - Dates.EPOCH_2000) {
        throw new MillraceException(ErrorCode.DATETIME_FIELD_OVERFLOW, "timestamp out of range");
      }
      x = Dates.round(x + Dates.EPOCH_2000, digits);
      if (nanos) {
        if (x <= Long.MIN_VALUE / 1000 || x >= Long.MAX_VALUE / 1000) {
          throw new MillraceException(ErrorCode.DATETIME_FIELD_OVERFLOW, "timestamp out of range");
        }
        x *= 1000;
      }
    }
    ((VectorBuilder.Longs) out).append(x);
  }
}
