package io.millrace.common.type.io;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;

/** double precision. */
final class DoubleCodec implements TypeCodec {
  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    FloatText.write(((DoubleVector) v).get(row), out, format.extraFloatDigits());
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    out.putDouble(((DoubleVector) v).get(row));
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    ((VectorBuilder.Doubles) out).append(parse(b, off, len, "double precision"));
  }

  private static final double[] TENS = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22
  };

  /**
   * Digits with at most one point, up to 15 of them, are exact: an integer below 2^53 over a power
   * of ten below 10^22 is correctly rounded by one division. All else goes to the full parser.
   */
  static double parse(byte[] b, int off, int len, String type) {
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
    if (i == end && digits > 0 && digits <= 15) {
      double r = point < 0 ? v : v / TENS[digits - point];
      return negative ? -r : r;
    }
    return slow(b, off, len, type);
  }

  private static double slow(byte[] b, int off, int len, String type) {
    int s = Ascii.skip(b, off, off + len);
    int e = Ascii.trim(b, s, off + len);
    int at = s < e && (b[s] == '-' || b[s] == '+') ? s + 1 : s;
    boolean negative = at > s && b[s] == '-';
    if (Ascii.is(b, at, e, "nan") && at == s) {
      return Double.NaN;
    }
    if (Ascii.is(b, at, e, "infinity") || Ascii.is(b, at, e, "inf")) {
      return negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    boolean zero = true;
    boolean mantissa = true;
    for (int i = at; i < e; i++) {
      byte c = b[i];
      if (c == 'e' || c == 'E') {
        mantissa = false;
      }
      boolean ok =
          Ascii.digit(c) || c == '.' || c == 'e' || c == 'E' || ((c == '-' || c == '+') && i > at);
      if (!ok) {
        throw Problems.syntax(type, b, off, len);
      }
      zero &= !mantissa || c == '0' || c == '.';
    }
    double v;
    try {
      v = JavaDoubleParser.parseDouble(b, s, e - s);
    } catch (NumberFormatException x) {
      throw new MillraceException(
          ErrorCode.INVALID_TEXT_REPRESENTATION,
          "invalid input syntax for type " + type + ": \"" + Problems.text(b, off, len) + "\"",
          x);
    }
    if (Double.isInfinite(v) || (v == 0 && !zero)) {
      throw outOfRange(b, off, len, type);
    }
    return v;
  }

  static MillraceException outOfRange(byte[] b, int off, int len, String type) {
    return new MillraceException(
        ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
        "\"" + Problems.text(b, off, len) + "\" is out of range for type " + type);
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, 8);
    ((VectorBuilder.Doubles) out).append(Double.longBitsToDouble(ByteSink.getLong(b, off)));
  }
}
