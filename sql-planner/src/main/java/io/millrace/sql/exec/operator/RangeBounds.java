package io.millrace.sql.exec.operator;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.TypeKind;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/*
 * RANGE frames with an offset: for each row the value of the order key plus or minus the offset, as
 * something that keys can be compared with. Integers and times are longs, saturating; intervals are
 * added by the calendar, for timestamptz in the session's zone.
 */
/** Bounds of RANGE frames by value. */
abstract class RangeBounds {
  private static final long DAY = 86_400_000_000L;

  /** Sets the bound to the key of a row, plus or minus the offset. */
  abstract void at(int row, boolean minus);

  /** Order of the key of a row relative to the bound. */
  abstract int compare(int row);

  static RangeBounds of(Vector keys, Vector offset, ZoneId zone) {
    if (offset instanceof IntervalVector i) {
      if (i.months()[0] < 0 || i.days()[0] < 0 || i.micros()[0] < 0) {
        throw negative();
      }
      return keys instanceof IntervalVector k ? new Intervals(k, i) : new Times(keys, i, zone);
    }
    return switch (keys) {
      case IntVector k -> new Longs(toLongs(k), longOffset(offset));
      case LongVector k -> new Longs(k.values(), longOffset(offset));
      case DoubleVector k -> new Doubles(k.values(), doubleOffset(offset));
      case FloatVector k -> {
        double[] d = new double[k.length()];
        for (int i = 0; i < d.length; i++) {
          d[i] = k.get(i);
        }
        yield new Doubles(d, doubleOffset(offset));
      }
      case NumericVector k -> new Numerics(k, numericOffset(offset));
      default ->
          throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "
                  + keys.type().sqlName()
                  + " and offset type "
                  + offset.type().sqlName());
    };
  }

  static MillraceException negative() {
    return new MillraceException(
        ErrorCode.INVALID_PRECEDING_OR_FOLLOWING_SIZE,
        "invalid preceding or following size in window function");
  }

  private static long[] toLongs(IntVector v) {
    long[] out = new long[v.length()];
    for (int i = 0; i < out.length; i++) {
      out[i] = v.get(i);
    }
    return out;
  }

  private static long longOffset(Vector v) {
    long o = TableScanOperator.longValue(v, 0);
    if (o < 0) {
      throw negative();
    }
    return o;
  }

  private static double doubleOffset(Vector v) {
    double d =
        switch (v) {
          case DoubleVector x -> x.get(0);
          case FloatVector x -> x.get(0);
          case NumericVector x -> x.get(0).doubleValue();
          default -> TableScanOperator.longValue(v, 0);
        };
    if (!(d >= 0)) {
      throw negative();
    }
    return d;
  }

  private static BigDecimal numericOffset(Vector v) {
    BigDecimal d =
        v instanceof NumericVector n
            ? n.get(0)
            : BigDecimal.valueOf(TableScanOperator.longValue(v, 0));
    if (d.signum() < 0) {
      throw negative();
    }
    return d;
  }

  private static long saturated(long a, long b, boolean minus) {
    long r = minus ? a - b : a + b;
    if (minus ? ((a ^ b) & (a ^ r)) < 0 : ((a ^ r) & (b ^ r)) < 0) {
      return minus ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return r;
  }

  private static final class Longs extends RangeBounds {
    private final long[] keys;
    private final long offset;
    private long bound;

    Longs(long[] keys, long offset) {
      this.keys = keys;
      this.offset = offset;
    }

    @Override
    void at(int row, boolean minus) {
      bound = saturated(keys[row], offset, minus);
    }

    @Override
    int compare(int row) {
      return Long.compare(keys[row], bound);
    }
  }

  private static final class Doubles extends RangeBounds {
    private final double[] keys;
    private final double offset;
    private double bound;

    Doubles(double[] keys, double offset) {
      this.keys = keys;
      this.offset = offset;
    }

    @Override
    void at(int row, boolean minus) {
      bound = minus ? keys[row] - offset : keys[row] + offset;
    }

    @Override
    int compare(int row) {
      return keys[row] == bound ? 0 : Double.compare(keys[row], bound);
    }
  }

  private static final class Numerics extends RangeBounds {
    private final NumericVector keys;
    private final BigDecimal offset;
    private BigDecimal bound = BigDecimal.ZERO;
    private byte special;

    Numerics(NumericVector keys, BigDecimal offset) {
      this.keys = keys;
      this.offset = offset;
    }

    @Override
    void at(int row, boolean minus) {
      special = keys.special(row);
      if (special == NumericVector.FINITE) {
        BigDecimal k = keys.get(row);
        bound = minus ? k.subtract(offset) : k.add(offset);
      }
    }

    private static int rank(byte s) {
      return switch (s) {
        case NumericVector.NEGATIVE_INFINITY -> 0;
        case NumericVector.FINITE -> 1;
        case NumericVector.POSITIVE_INFINITY -> 2;
        default -> 3;
      };
    }

    @Override
    int compare(int row) {
      byte s = keys.special(row);
      if (s != NumericVector.FINITE || special != NumericVector.FINITE) {
        return Integer.compare(rank(s), rank(special));
      }
      return keys.get(row).compareTo(bound);
    }
  }

  private static final class Intervals extends RangeBounds {
    private final IntervalVector keys;
    private final IntervalVector offset;
    private long bound;

    Intervals(IntervalVector keys, IntervalVector offset) {
      this.keys = keys;
      this.offset = offset;
    }

    private static long micros(IntervalVector v, int row) {
      return (v.months()[row] * 30L + v.days()[row]) * DAY + v.micros()[row];
    }

    @Override
    void at(int row, boolean minus) {
      bound = saturated(micros(keys, row), micros(offset, 0), minus);
    }

    @Override
    int compare(int row) {
      return Long.compare(micros(keys, row), bound);
    }
  }

  /** Dates and times with an interval. */
  private static final class Times extends RangeBounds {
    private final long[] keys;
    private final IntervalVector offset;
    private final long unitsPerMicro;
    private final boolean zoned;
    private final ZoneId zone;
    private long bound;

    Times(Vector v, IntervalVector offset, ZoneId zone) {
      this.offset = offset;
      this.zone = zone;
      TypeKind kind = v.type().kind();
      zoned = kind == TypeKind.TIMESTAMPTZ;
      unitsPerMicro = kind == TypeKind.TIMESTAMP_NS ? 1000 : 1;
      if (v instanceof LongVector l) {
        keys = l.values();
      } else if (v instanceof IntVector d && kind == TypeKind.DATE) {
        keys = new long[d.length()];
        for (int i = 0; i < keys.length; i++) {
          keys[i] = saturatedDays(d.get(i));
        }
      } else {
        throw new MillraceException(
            ErrorCode.FEATURE_NOT_SUPPORTED,
            "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "
                + v.type().sqlName()
                + " and offset type interval");
      }
    }

    private static long saturatedDays(int day) {
      return day == Integer.MAX_VALUE
          ? Long.MAX_VALUE
          : day == Integer.MIN_VALUE ? Long.MIN_VALUE : day * DAY;
    }

    @Override
    void at(int row, boolean minus) {
      long k = keys[row];
      if (k == Long.MAX_VALUE || k == Long.MIN_VALUE) {
        bound = k;
        return;
      }
      int months = offset.months()[0];
      int days = offset.days()[0];
      if (months != 0 || (days != 0 && zoned)) {
        k = calendar(k, minus ? -(long) months : months, minus ? -(long) days : days);
      } else if (days != 0) {
        k = saturated(k, days * DAY * unitsPerMicro, minus);
      }
      bound = saturated(k, offset.micros()[0] * unitsPerMicro, minus);
    }

    private long calendar(long k, long months, long days) {
      long perSecond = 1_000_000L * unitsPerMicro;
      long second = Math.floorDiv(k, perSecond);
      long rest = Math.floorMod(k, perSecond);
      LocalDateTime utc = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
      if (!zoned) {
        return utc.plusMonths(months).plusDays(days).toEpochSecond(ZoneOffset.UTC) * perSecond
            + rest;
      }
      ZonedDateTime local = utc.atZone(ZoneOffset.UTC).withZoneSameInstant(zone);
      return local.plusMonths(months).plusDays(days).toEpochSecond() * perSecond + rest;
    }

    @Override
    int compare(int row) {
      return Long.compare(keys[row], bound);
    }
  }
}
