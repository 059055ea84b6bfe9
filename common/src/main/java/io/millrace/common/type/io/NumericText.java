package io.millrace.common.type.io;

import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** Numerics: reading and printing decimal text, and what a type modifier does to a value. */
public final class NumericText {
  private static final long[] POWERS = new long[19];
  private static final int MAX_SCALE = 16383;
  private static final int MAX_WEIGHT = 131072;

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = POWERS[i - 1] * 10;
    }
  }

  private NumericText() {}

  /** 10^n for n in 0..18. */
  public static long power(int n) {
    return POWERS[n];
  }

  /** Digits of a numeric typmod's precision. */
  public static int precision(int typmod) {
    return (typmod - 4) >> 16 & 0xffff;
  }

  /** A numeric typmod's scale. */
  public static int scale(int typmod) {
    return (((typmod - 4) & 0x7ff) ^ 1024) - 1024;
  }

  /** Prints a value of a vector. */
  public static void write(NumericVector v, int row, ByteSink out) {
    byte special = v.special(row);
    if (special != NumericVector.FINITE) {
      out.putText(name(special));
      return;
    }
    BigDecimal big = v.big(row);
    if (big != null) {
      out.putText(big.toPlainString());
      return;
    }
    write(v.unscaled()[row], v.scale(row), out);
  }

  static String name(byte special) {
    return switch (special) {
      case NumericVector.NAN -> "NaN";
      case NumericVector.POSITIVE_INFINITY -> "Infinity";
      default -> "-Infinity";
    };
  }

  private static void write(long unscaled, int scale, ByteSink out) {
    if (scale == 0) {
      out.putDecimal(unscaled);
      return;
    }
    if (unscaled == Long.MIN_VALUE) {
      out.putText(BigDecimal.valueOf(unscaled, scale).toPlainString());
      return;
    }
    if (unscaled < 0) {
      out.put('-');
    }
    long u = Math.abs(unscaled);
    if (scale > 18) {
      out.putText("0.");
      for (int i = scale; i > 19; i--) {
        out.put('0');
      }
      out.putDigits(u, 19);
      return;
    }
    long whole = u / POWERS[scale];
    out.putDecimal(whole);
    out.put('.');
    out.putDigits(u - whole * POWERS[scale], scale);
  }

  /**
   * Reads decimal text and appends it, rounded to the type modifier. Up to 18 digits without an
   * exponent stay in a long all the way.
   */
  static void parse(byte[] b, int off, int len, int typmod, VectorBuilder.Numerics out) {
    int i = off;
    int end = off + len;
    boolean negative = i < end && b[i] == '-';
    if (negative) {
      i++;
    }
    long v = 0;
    int digits = 0;
    int point = -1;
    for (; i < end; i++) {
      int d = b[i] - '0';
      if (d >= 0 && d <= 9) {
        v = v * 10 + d;
        digits++;
      } else if (b[i] == '.' && point < 0) {
        point = digits;
      } else {
        break;
      }
    }
    if (i == end && digits > 0 && digits <= 18) {
      append(negative ? -v : v, point < 0 ? 0 : digits - point, typmod, out);
      return;
    }
    slow(b, off, len, typmod, out);
  }

  private static void append(long unscaled, int scale, int typmod, VectorBuilder.Numerics out) {
    if (typmod < 4) {
      out.append(unscaled, scale);
      return;
    }
    int wanted = scale(typmod);
    int precision = precision(typmod);
    if (wanted >= scale && precision <= 18 && wanted - scale <= 18) {
      long factor = POWERS[wanted - scale];
      long limit = POWERS[precision];
      if (Math.multiplyHigh(unscaled, factor) == unscaled * factor >> 63) {
        long r = unscaled * factor;
        if (r < limit && r > -limit) {
          out.append(r, wanted);
          return;
        }
      }
    }
    out.append(fit(BigDecimal.valueOf(unscaled, scale), typmod));
  }

  /** A finite value under a type modifier: rounded half away from zero, 22003 if too large. */
  public static BigDecimal fit(BigDecimal v, int typmod) {
    if (typmod < 4) {
      return v;
    }
    int scale = scale(typmod);
    int precision = precision(typmod);
    BigDecimal r = v.setScale(scale, RoundingMode.HALF_UP);
    if (r.signum() != 0 && r.precision() - r.scale() > precision - scale) {
      throw overflow(precision, scale);
    }
    return r.scale() < 0 ? r.setScale(0) : r;
  }

  /** Appends a finite value of a vector under a type modifier. */
  public static void appendFitted(
      VectorBuilder.Numerics out, NumericVector v, int row, int typmod) {
    if (v.big(row) == null) {
      append(v.unscaled()[row], v.scale(row), typmod, out);
    } else {
      out.append(fit(v.get(row), typmod));
    }
  }

  static MillraceException overflow(int precision, int scale) {
    int whole = precision - scale;
    return new MillraceException(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow")
        .withDetail(
            "A field with precision "
                + precision
                + ", scale "
                + scale
                + " must round to an absolute value less than "
                + (whole == 0 ? "1" : "10^" + whole)
                + ".");
  }

  /** What a type modifier says to NaN and infinities: NaN passes, an infinity does not. */
  public static void checkSpecial(byte special, int typmod) {
    if (typmod >= 4 && special != NumericVector.NAN) {
      throw new MillraceException(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow")
          .withDetail(
              "A field with precision "
                  + precision(typmod)
                  + ", scale "
                  + scale(typmod)
                  + " cannot hold an infinite value.");
    }
  }

  private static void slow(byte[] b, int off, int len, int typmod, VectorBuilder.Numerics out) {
    int s = Ascii.skip(b, off, off + len);
    int e = Ascii.trim(b, s, off + len);
    int at = s < e && (b[s] == '-' || b[s] == '+') ? s + 1 : s;
    boolean negative = at > s && b[s] == '-';
    if (at == s && Ascii.is(b, s, e, "nan")) {
      out.appendSpecial(NumericVector.NAN);
      return;
    }
    if (Ascii.is(b, at, e, "infinity") || Ascii.is(b, at, e, "inf")) {
      byte mark = negative ? NumericVector.NEGATIVE_INFINITY : NumericVector.POSITIVE_INFINITY;
      checkSpecial(mark, typmod);
      out.appendSpecial(mark);
      return;
    }
    BigDecimal v = decimal(b, at, e);
    if (v == null) {
      throw Problems.syntax("numeric", b, off, len);
    }
    out.append(fit(negative ? v.negate() : v, typmod));
  }

  /** The value of decimal text as PostgreSQL's numeric reads it. */
  public static BigDecimal decimal(String text) {
    byte[] b = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    int at = b.length > 0 && (b[0] == '-' || b[0] == '+') ? 1 : 0;
    BigDecimal v = decimal(b, at, b.length);
    if (v == null) {
      throw Problems.syntax("numeric", text);
    }
    return b[0] == '-' ? v.negate() : v;
  }

  private static @Nullable BigDecimal decimal(byte[] b, int from, int to) {
    int i = from;
    int digits = 0;
    int scale = 0;
    boolean point = false;
    for (; i < to; i++) {
      if (Ascii.digit(b[i])) {
        digits++;
        scale += point ? 1 : 0;
      } else if (b[i] == '.' && !point) {
        point = true;
      } else {
        break;
      }
    }
    if (digits == 0) {
      return null;
    }
    int mantissaEnd = i;
    long exponent = 0;
    if (i < to && (b[i] == 'e' || b[i] == 'E')) {
      i++;
      boolean minus = i < to && b[i] == '-';
      if (i < to && (b[i] == '-' || b[i] == '+')) {
        i++;
      }
      if (i == to) {
        return null;
      }
      for (; i < to && Ascii.digit(b[i]); i++) {
        exponent = Math.min(exponent * 10 + b[i] - '0', 1_000_000_000L);
      }
      exponent = minus ? -exponent : exponent;
    }
    if (i != to) {
      return null;
    }
    var text = new StringBuilder(digits);
    for (int k = from; k < mantissaEnd; k++) {
      if (b[k] != '.') {
        text.append((char) b[k]);
      }
    }
    var unscaled = new BigInteger(text.toString());
    long newScale = scale - exponent;
    if (unscaled.signum() == 0) {
      return BigDecimal.ZERO.setScale(Math.clamp(newScale, 0, MAX_SCALE));
    }
    if (digits - newScale > MAX_WEIGHT || newScale > MAX_SCALE) {
      throw new MillraceException(
          ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
    }

    var v = new BigDecimal(unscaled, (int) newScale);
    return v.scale() < 0 ? v.setScale(0) : v;
  }
}
