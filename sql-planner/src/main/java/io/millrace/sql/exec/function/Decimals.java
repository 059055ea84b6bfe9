package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * The arithmetic of PostgreSQL's numeric on BigDecimals: how many digits a quotient, root, power or
 * logarithm has is part of the result, and follows its rules (weights counted in groups of four
 * digits). Transcendental functions are computed with a dozen digits to spare and then rounded.
 */
final class Decimals {
  private static final int SIGNIFICANT = 16;
  private static final int MAX_SCALE = 1000;
  private static final double LOG10_E = 0.434294481903252;

  private Decimals() {}

  private static int clamp(int scale) {
    return Math.clamp(scale, 0, MAX_SCALE);
  }

  /** Weight of the first group of four digits. */
  private static int weight(BigDecimal v) {
    return v.signum() == 0 ? 0 : Math.floorDiv(v.precision() - v.scale() - 1, 4);
  }

  /** The first group of four digits. */
  private static int firstGroup(BigDecimal v, int weight) {
    return v.signum() == 0 ? 0 : v.abs().movePointLeft(4 * weight).intValue();
  }

  static BigDecimal divide(BigDecimal a, BigDecimal b) {
    if (b.signum() == 0) {
      throw Errors.divisionByZero();
    }
    return a.divide(b, divisionScale(a, b), RoundingMode.HALF_UP);
  }

  /** The scale that division gives its result. */
  static int divisionScale(BigDecimal a, BigDecimal b) {
    int wa = weight(a);
    int wb = weight(b);
    int quotient = wa - wb;
    if (firstGroup(a, wa) <= firstGroup(b, wb)) {
      quotient--;
    }
    int scale = SIGNIFICANT - quotient * 4;
    return clamp(Math.max(scale, Math.max(a.scale(), b.scale())));
  }

  static BigDecimal modulo(BigDecimal a, BigDecimal b) {
    if (b.signum() == 0) {
      throw Errors.divisionByZero();
    }
    int scale = Math.max(a.scale(), b.scale());
    return a.remainder(b).setScale(scale, RoundingMode.DOWN);
  }

  static BigDecimal divideWhole(BigDecimal a, BigDecimal b) {
    if (b.signum() == 0) {
      throw Errors.divisionByZero();
    }
    return a.divide(b, 0, RoundingMode.DOWN);
  }

  static BigDecimal squareRoot(BigDecimal v) {
    if (v.signum() < 0) {
      throw new MillraceException(
          ErrorCode.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
          "cannot take square root of a negative number");
    }
    int half = (weight(v) + 1) * 4 / 2 - 1;
    int scale = clamp(Math.max(SIGNIFICANT - half, v.scale()));
    if (v.signum() == 0) {
      return BigDecimal.ZERO.setScale(scale);
    }
    BigInteger shifted =
        v.movePointRight(2 * (scale + 1)).setScale(0, RoundingMode.DOWN).toBigInteger();
    return new BigDecimal(shifted.sqrt(), scale + 1).setScale(scale, RoundingMode.HALF_UP);
  }

  static BigDecimal exponential(BigDecimal v) {
    double decimals = v.doubleValue() * LOG10_E;
    if (decimals > 131_072) {
      throw overflow();
    }
    if (decimals < -MAX_SCALE - 16.0) {
      return BigDecimal.ZERO.setScale(MAX_SCALE);
    }
    int scale = clamp(Math.max(SIGNIFICANT - (int) decimals, v.scale()));
    return exponential(v, scale + (int) Math.max(0, decimals) + 12)
        .setScale(scale, RoundingMode.HALF_UP);
  }

  private static MillraceException overflow() {
    return new MillraceException(
        ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
  }

  /** e^v with so many significant digits: the argument is halved until it is small. */
  private static BigDecimal exponential(BigDecimal v, int digits) {
    int halvings =
        Math.max(
            0, (int) Math.ceil(Math.log(Math.abs(v.doubleValue()) + 1e-300) / Math.log(2)) + 8);
    var context = new MathContext(digits + halvings / 3 + 12, RoundingMode.HALF_EVEN);
    BigDecimal x = v.divide(new BigDecimal(BigInteger.ONE.shiftLeft(halvings)), context);
    BigDecimal sum = BigDecimal.ONE;
    BigDecimal term = BigDecimal.ONE;
    for (int i = 1; i < 10_000; i++) {
      term = term.multiply(x, context).divide(BigDecimal.valueOf(i), context);
      if (term.signum() == 0 || term.precision() - term.scale() < -context.getPrecision()) {
        break;
      }
      sum = sum.add(term, context);
    }
    for (int i = 0; i < halvings; i++) {
      sum = sum.multiply(sum, context);
    }
    return sum;
  }

  private static void requirePositive(BigDecimal v) {
    if (v.signum() == 0) {
      throw new MillraceException(
          ErrorCode.INVALID_ARGUMENT_FOR_LOGARITHM, "cannot take logarithm of zero");
    }
    if (v.signum() < 0) {
      throw new MillraceException(
          ErrorCode.INVALID_ARGUMENT_FOR_LOGARITHM, "cannot take logarithm of a negative number");
    }
  }

  /** Decimal weight of ln(v), estimated. */
  private static int logarithmWeight(BigDecimal v) {
    boolean near =
        v.compareTo(new BigDecimal("0.9")) >= 0 && v.compareTo(new BigDecimal("1.1")) <= 0;
    if (near) {
      BigDecimal x = v.subtract(BigDecimal.ONE);
      int w = weight(x);
      return x.signum() == 0 ? 0 : w * 4 + (int) Math.log10(firstGroup(x, w));
    }
    double ln = naturalEstimate(v);
    return ln == 0 ? 0 : (int) Math.log10(Math.abs(ln));
  }

  private static double naturalEstimate(BigDecimal v) {
    BigDecimal distance = v.subtract(BigDecimal.ONE);
    if (distance.abs().compareTo(new BigDecimal("0.1")) < 0) {
      double d = distance.doubleValue();
      return d == 0 ? 0 : Math.log1p(d);
    }
    int exponent = v.precision() - v.scale() - 1;
    return Math.log(v.movePointLeft(exponent).doubleValue()) + exponent * Math.log(10);
  }

  static BigDecimal natural(BigDecimal v) {
    requirePositive(v);
    int scale = clamp(Math.max(SIGNIFICANT - logarithmWeight(v), v.scale()));
    return natural(v, scale + 12).setScale(scale, RoundingMode.HALF_UP);
  }

  /**
   * ln(v) with so many digits after the point: square roots bring v near 1, then twice the series
   * of the inverse hyperbolic tangent.
   */
  private static BigDecimal natural(BigDecimal v, int digits) {
    var context = new MathContext(digits + 25, RoundingMode.HALF_EVEN);
    BigDecimal x = v;
    int doublings = 0;
    BigDecimal high = new BigDecimal("1.05");
    BigDecimal low = new BigDecimal("0.95");
    while (x.compareTo(high) > 0 || x.compareTo(low) < 0) {
      x = x.sqrt(context);
      doublings++;
    }
    BigDecimal z = x.subtract(BigDecimal.ONE).divide(x.add(BigDecimal.ONE), context);
    BigDecimal square = z.multiply(z, context);
    BigDecimal sum = z;
    BigDecimal power = z;
    for (int i = 3; i < 100_000; i += 2) {
      power = power.multiply(square, context);
      BigDecimal term = power.divide(BigDecimal.valueOf(i), context);
      if (term.signum() == 0 || term.precision() - term.scale() < -(digits + 20)) {
        break;
      }
      sum = sum.add(term, context);
    }
    return sum.multiply(new BigDecimal(BigInteger.ONE.shiftLeft(doublings + 1)), context);
  }

  static BigDecimal logarithm(BigDecimal base, BigDecimal v) {
    requirePositive(base);
    requirePositive(v);
    double lnBase = naturalEstimate(base);
    if (lnBase == 0) {
      throw Errors.divisionByZero();
    }
    int weight = logarithmWeight(v) - logarithmWeight(base);
    int scale = clamp(Math.max(SIGNIFICANT - weight, Math.max(base.scale(), v.scale())));
    int digits = scale + 12;
    return natural(v, digits).divide(natural(base, digits), scale, RoundingMode.HALF_UP);
  }

  static BigDecimal power(BigDecimal base, BigDecimal exponent) {
    if (base.signum() == 0 && exponent.signum() < 0) {
      throw FloatMath.zeroToNegative();
    }
    boolean whole = exponent.stripTrailingZeros().scale() <= 0;
    if (base.signum() < 0 && !whole) {
      throw FloatMath.complex();
    }
    int scale = clamp(Math.max(SIGNIFICANT, base.scale()));
    if (whole && exponent.abs().compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) <= 0) {
      return powerWhole(base, exponent.intValue(), scale);
    }
    if (base.signum() == 0) {
      return BigDecimal.ZERO.setScale(SIGNIFICANT);
    }
    BigDecimal magnitude = base.abs();
    double decimals = exponent.doubleValue() * naturalEstimate(magnitude) * LOG10_E;
    if (decimals > 131_072) {
      throw overflow();
    }
    if (decimals < -MAX_SCALE - 16.0) {
      return BigDecimal.ZERO.setScale(MAX_SCALE);
    }
    int rscale =
        clamp(Math.max(SIGNIFICANT - (int) decimals, Math.max(base.scale(), exponent.scale())));
    int digits = rscale + (int) Math.max(0, decimals) + 20;
    BigDecimal ln =
        natural(magnitude, digits + exponent.precision() - exponent.scale() + 4)
            .multiply(exponent, new MathContext(digits + 30));
    return exponential(ln, digits).setScale(rscale, RoundingMode.HALF_UP);
  }

  private static BigDecimal powerWhole(BigDecimal base, int exponent, int scale) {
    if (exponent == 0) {
      return BigDecimal.ONE.setScale(scale);
    }
    if (base.signum() == 0) {
      return BigDecimal.ZERO.setScale(scale);
    }
    double decimals = exponent * naturalEstimate(base.abs()) * LOG10_E;
    if (decimals > 131_072) {
      throw overflow();
    }
    if (decimals < -scale - 2.0) {
      return BigDecimal.ZERO.setScale(scale);
    }
    int digits = scale + (int) Math.max(0, decimals) + 25;
    var context = new MathContext(digits, RoundingMode.HALF_EVEN);
    BigDecimal r = BigDecimal.ONE;
    BigDecimal square = base;
    for (long e = Math.abs((long) exponent); e > 0; e >>= 1) {
      if ((e & 1) != 0) {
        r = r.multiply(square, context);
      }
      if (e > 1) {
        square = square.multiply(square, context);
      }
    }
    if (exponent < 0) {
      r = BigDecimal.ONE.divide(r, context);
    }
    return r.setScale(scale, RoundingMode.HALF_UP);
  }

  static BigDecimal factorial(long n) {
    if (n < 0) {
      throw Errors.overflow("factorial of a negative number is undefined");
    }
    if (n > 32_177) {
      throw overflow();
    }
    BigInteger r = BigInteger.ONE;
    for (long i = 2; i <= n; i++) {
      r = r.multiply(BigInteger.valueOf(i));
    }
    return new BigDecimal(r);
  }
}
