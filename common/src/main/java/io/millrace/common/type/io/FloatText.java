package io.millrace.common.type.io;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Floating point numbers as PostgreSQL prints them. With extra_float_digits above 0: the shortest
 * digits that read back, positional while the exponent is in [-4, 15) (float4: [-4, 6)), else as
 * 1e+20. Numbers of at most six decimals go by integer arithmetic: n / 10^6 == v with n below 10^15
 * means that n's digits are the shortest, since decimals of 15 digits and doubles do not collide.
 * The others take the JDK's shortest digits, one digit where the JDK insists on two.
 */
public final class FloatText {
  private static final long[] POWERS = {1, 10, 100, 1000, 10_000, 100_000, 1_000_000};

  private FloatText() {}

  /** A float8. */
  public static void write(double v, ByteSink out, int extraFloatDigits) {
    if (special(v, out)) {
      return;
    }
    if (extraFloatDigits <= 0) {
      general(v, Math.max(1, 15 + extraFloatDigits), out);
      return;
    }
    double abs = Math.abs(v);
    if (abs < 1e9 && (abs >= 1e-4 || v == 0)) {
      long n = Math.round(abs * 1e6);
      if (n / 1e6 == abs) {
        if (Double.doubleToRawLongBits(v) < 0) {
          out.put('-');
        }
        fixed(n, 6, out);
        return;
      }
    } else if (abs < 1e15 && v == Math.rint(v)) {
      out.putDecimal((long) v);
      return;
    }
    String s = Double.toString(v);
    shortest(s, v, false, out);
  }

  /** A float4. */
  public static void write(float v, ByteSink out, int extraFloatDigits) {
    if (special(v, out)) {
      return;
    }
    if (extraFloatDigits <= 0) {
      general(v, Math.max(1, 6 + extraFloatDigits), out);
      return;
    }
    if (v == Math.rint(v) && Math.abs(v) < 1e6f) {
      if (Float.floatToRawIntBits(v) < 0) {
        out.put('-');
      }
      out.putDecimal((long) Math.abs(v));
      return;
    }
    shortest(Float.toString(v), v, true, out);
  }

  private static boolean special(double v, ByteSink out) {
    if (Double.isNaN(v)) {
      out.putText("NaN");
    } else if (Double.isInfinite(v)) {
      out.putText(v > 0 ? "Infinity" : "-Infinity");
    } else {
      return false;
    }
    return true;
  }

  /** n / 10^scale without trailing zeros. */
  private static void fixed(long n, int scale, ByteSink out) {
    long power = POWERS[scale];
    long whole = n / power;
    long rest = n - whole * power;
    out.putDecimal(whole);
    if (rest != 0) {
      int digits = scale;
      while (rest % 10 == 0) {
        rest /= 10;
        digits--;
      }
      out.put('.');
      out.putDigits(rest, digits);
    }
  }

  private static void shortest(String java, double v, boolean single, ByteSink out) {
    int i = 0;
    boolean negative = java.charAt(0) == '-';
    if (negative) {
      i = 1;
    }
    byte[] digits = new byte[20];
    int n = 0;
    int point = 0;
    boolean seenPoint = false;
    int exponent = 0;
    for (; i < java.length(); i++) {
      char c = java.charAt(i);
      if (c == '.') {
        seenPoint = true;
      } else if (c == 'E') {
        exponent = Integer.parseInt(java, i + 1, java.length(), 10);
        break;
      } else {
        if (!(n == 0 && c == '0')) {
          digits[n++] = (byte) c;
        } else if (seenPoint) {
          point--;
        }
        if (!seenPoint && n > 0) {
          point++;
        }
      }
    }
    while (n > 1 && digits[n - 1] == '0') {
      n--;
    }
    int exp = point - 1 + exponent;
    if (n == 2) {
      int rounded = (digits[0] - '0') + (digits[1] >= '5' ? 1 : 0);
      if (rounded < 10) {
        String one = rounded + "E" + exp;
        boolean same =
            single
                ? Float.parseFloat(one) == (float) Math.abs(v)
                : Double.parseDouble(one) == Math.abs(v);
        if (same) {
          digits[0] = (byte) ('0' + rounded);
          n = 1;
        }
      }
    }
    if (negative) {
      out.put('-');
    }
    layout(digits, n, exp, exp >= -4 && exp < (single ? 6 : 15), out);
  }

  private static void layout(byte[] digits, int n, int exp, boolean positional, ByteSink out) {
    if (positional) {
      if (exp < 0) {
        out.putText("0.");
        for (int z = -1; z > exp; z--) {
          out.put('0');
        }
        out.putBytes(digits, 0, n);
      } else {
        for (int d = 0; d <= exp; d++) {
          out.put(d < n ? digits[d] : '0');
        }
        if (n > exp + 1) {
          out.put('.');
          out.putBytes(digits, exp + 1, n - exp - 1);
        }
      }
      return;
    }
    out.put(digits[0]);
    if (n > 1) {
      out.put('.');
      out.putBytes(digits, 1, n - 1);
    }
    out.put('e');
    out.put(exp < 0 ? '-' : '+');
    int e = Math.abs(exp);
    out.putDigits(e, e >= 100 ? 3 : 2);
  }

  /** C's %.{precision}g. */
  private static void general(double v, int precision, ByteSink out) {
    if (v == 0) {
      out.putText(Double.doubleToRawLongBits(v) < 0 ? "-0" : "0");
      return;
    }
    BigDecimal d =
        new BigDecimal(Math.abs(v)).round(new MathContext(precision, RoundingMode.HALF_EVEN));
    int exp = d.precision() - d.scale() - 1;
    String text = d.unscaledValue().toString();
    int n = text.length();
    while (n > 1 && text.charAt(n - 1) == '0') {
      n--;
    }
    byte[] digits = new byte[n];
    for (int i = 0; i < n; i++) {
      digits[i] = (byte) text.charAt(i);
    }
    if (v < 0) {
      out.put('-');
    }
    layout(digits, n, exp, exp >= -4 && exp < precision, out);
  }
}
