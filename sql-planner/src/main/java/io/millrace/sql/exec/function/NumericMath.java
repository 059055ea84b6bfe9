package io.millrace.sql.exec.function;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.NumericText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Numerics. While both sides are plain (longs at one scale) sums and products stay in longs with an
 * overflow check; a batch that leaves that form is done again row by row on BigDecimals.
 */
final class NumericMath {
  private static final byte NAN = NumericVector.NAN;
  private static final byte PLUS = NumericVector.POSITIVE_INFINITY;
  private static final byte MINUS = NumericVector.NEGATIVE_INFINITY;
  private static final byte FINITE = NumericVector.FINITE;

  private NumericMath() {}

  static void register(FunctionRegistry.Builder b) {
    String two = "(numeric,numeric)";
    b.simple("numeric_add" + two, (a, n, _) -> add(a, n, false));
    b.simple("numeric_sub" + two, (a, n, _) -> add(a, n, true));
    b.simple("numeric_mul" + two, (a, n, _) -> multiply(a, n));
    b.simple("numeric_div" + two, (a, n, _) -> binary(a, n, '/', Decimals::divide));
    for (String s : new String[] {"numeric_mod", "mod"}) {
      b.simple(s + two, (a, n, _) -> binary(a, n, '%', Decimals::modulo));
    }
    for (String s : new String[] {"numeric_div_trunc", "div"}) {
      b.simple(s + two, (a, n, _) -> binary(a, n, 'd', Decimals::divideWhole));
    }
    for (String s : new String[] {"numeric_power", "power", "pow"}) {
      b.simple(s + two, (a, n, _) -> binary(a, n, '^', Decimals::power));
    }
    b.simple("log" + two, (a, n, _) -> binary(a, n, 'l', Decimals::logarithm));
    unary(b, Decimals::squareRoot, 's', "numeric_sqrt", "sqrt");
    unary(b, Decimals::exponential, 'e', "numeric_exp", "exp");
    unary(b, Decimals::natural, 's', "numeric_ln", "ln");
    unary(b, v -> Decimals.logarithm(BigDecimal.TEN, v), 's', "log", "log10");
    unary(b, v -> v.setScale(0, RoundingMode.CEILING), ' ', "ceil", "ceiling");
    unary(b, v -> v.setScale(0, RoundingMode.FLOOR), ' ', "floor");
    unary(b, v -> v.setScale(0, RoundingMode.HALF_UP), ' ', "round");
    unary(b, v -> v.setScale(0, RoundingMode.DOWN), ' ', "trunc");
    unary(b, BigDecimal::negate, '-', "numeric_uminus");
    unary(b, v -> v, ' ', "numeric_uplus");
    unary(b, BigDecimal::abs, 'a', "numeric_abs", "abs");
    unary(b, v -> BigDecimal.valueOf(v.signum()), 'g', "sign");
    unary(
        b,
        v -> {
          BigDecimal s = v.stripTrailingZeros();
          return s.scale() < 0 ? s.setScale(0) : s;
        },
        ' ',
        "trim_scale");
    b.simple("round(numeric,int4)", (a, n, _) -> round(a, n, RoundingMode.HALF_UP));
    b.simple("trunc(numeric,int4)", (a, n, _) -> round(a, n, RoundingMode.DOWN));
    b.simple("scale(numeric)", (a, n, _) -> scaleOf(a, n, v -> v.scale()));
    b.simple(
        "min_scale(numeric)",
        (a, n, _) -> scaleOf(a, n, v -> Math.max(0, v.stripTrailingZeros().scale())));
    b.simple(
        "factorial(int8)",
        (a, n, _) -> {
          long[] in = ((LongVector) a.getFirst()).values();
          return Build.numerics(
              SqlType.NUMERIC, a, n, (i, out) -> out.append(Decimals.factorial(in[i])));
        });
    b.simple("gcd" + two, (a, n, _) -> binary(a, n, 'g', NumericMath::gcd));
    b.simple("lcm" + two, (a, n, _) -> binary(a, n, 'g', NumericMath::lcm));
    b.simple("numeric_larger" + two, (a, n, _) -> choose(a, n, true));
    b.simple("numeric_smaller" + two, (a, n, _) -> choose(a, n, false));
    b.simple("width_bucket(numeric,numeric,numeric,int4)", (a, n, _) -> widthBucket(a, n));
  }

  private static BigDecimal gcd(BigDecimal a, BigDecimal b) {
    int scale = Math.max(a.scale(), b.scale());
    return new BigDecimal(
        a.setScale(scale).unscaledValue().gcd(b.setScale(scale).unscaledValue()), scale);
  }

  private static BigDecimal lcm(BigDecimal a, BigDecimal b) {
    int scale = Math.max(a.scale(), b.scale());
    if (a.signum() == 0 || b.signum() == 0) {
      return BigDecimal.ZERO.setScale(scale);
    }
    return a.divideToIntegralValue(gcd(a, b)).multiply(b).abs().setScale(scale);
  }

  private interface Two {
    BigDecimal apply(BigDecimal a, BigDecimal b);
  }

  private static void unary(
      FunctionRegistry.Builder b, UnaryOperator<BigDecimal> f, char kind, String... names) {
    for (String name : names) {
      b.simple(
          name + "(numeric)",
          (a, n, _) -> {
            NumericVector v = Args.numerics(a, 0);
            return Build.numerics(
                SqlType.NUMERIC,
                a,
                n,
                (i, out) -> {
                  byte s = v.special(i);
                  if (s == FINITE) {
                    out.append(f.apply(v.get(i)));
                  } else {
                    special(out, s, kind, f);
                  }
                });
          });
    }
  }

  private static void special(
      VectorBuilder.Numerics out, byte s, char kind, UnaryOperator<BigDecimal> f) {
    if (s == NAN) {
      out.appendSpecial(NAN);
      return;
    }
    switch (kind) {
      case '-' -> out.appendSpecial(s == PLUS ? MINUS : PLUS);
      case 'a' -> out.appendSpecial(PLUS);
      case 'g' -> out.append(s == PLUS ? 1 : -1, 0);
      case 'e' -> {
        if (s == PLUS) {
          out.appendSpecial(PLUS);
        } else {
          out.append(0, 0);
        }
      }
      case 's' -> {
        if (s == PLUS) {
          out.appendSpecial(PLUS);
        } else {
          // Raises the error of a negative argument.
          out.append(f.apply(BigDecimal.valueOf(-1)));
        }
      }
      default -> out.appendSpecial(s);
    }
  }

  private static Vector binary(List<Vector> args, int n, char op, Two f) {
    NumericVector a = Args.numerics(args, 0);
    NumericVector b = Args.numerics(args, 1);
    return Build.numerics(
        SqlType.NUMERIC,
        args,
        n,
        (i, out) -> {
          if (a.special(i) == FINITE && b.special(i) == FINITE) {
            out.append(f.apply(a.get(i), b.get(i)));
          } else {
            special(out, a, b, i, op);
          }
        });
  }

  /** Results where one side is NaN or infinite, after PostgreSQL's tables. */
  private static void special(
      VectorBuilder.Numerics out, NumericVector a, NumericVector b, int i, char op) {
    byte x = a.special(i);
    byte y = b.special(i);
    int sx = sign(a, i);
    int sy = sign(b, i);
    if (op == '^') {
      power(out, a, b, i, sx, sy);
      return;
    }
    if (x == NAN || y == NAN) {
      out.appendSpecial(NAN);
      return;
    }
    byte infinity = sx * sy < 0 ? MINUS : PLUS;
    switch (op) {
      case '+' -> out.appendSpecial(x == FINITE ? y : y == FINITE || x == y ? x : NAN);
      case '-' -> {
        byte negated = y == PLUS ? MINUS : y == MINUS ? PLUS : y;
        out.appendSpecial(x == FINITE ? negated : y == FINITE || x == negated ? x : NAN);
      }
      case '*' -> out.appendSpecial(sx == 0 || sy == 0 ? NAN : infinity);
      case '/', 'd' -> {
        if (x == FINITE) {
          out.append(0, 0);
        } else if (y != FINITE) {
          out.appendSpecial(NAN);
        } else if (sy == 0) {
          throw Errors.divisionByZero();
        } else {
          out.appendSpecial(infinity);
        }
      }
      case '%' -> {
        if (x != FINITE) {
          if (sy == 0) {
            throw Errors.divisionByZero();
          }
          out.appendSpecial(NAN);
        } else {
          out.append(a.get(i));
        }
      }
      case 'l' -> {
        if (sx < 0 || sy < 0) {
          Decimals.logarithm(BigDecimal.valueOf(-1), BigDecimal.ONE);
        }
        if (x == FINITE) {
          out.appendSpecial(PLUS);
        } else if (y == FINITE) {
          out.append(0, 0);
        } else {
          out.appendSpecial(NAN);
        }
      }
      default -> out.appendSpecial(NAN);
    }
  }

  private static void power(
      VectorBuilder.Numerics out, NumericVector a, NumericVector b, int i, int sx, int sy) {
    byte x = a.special(i);
    byte y = b.special(i);
    boolean one = x == FINITE && a.get(i).compareTo(BigDecimal.ONE) == 0;
    if ((y == FINITE && sy == 0) || one) {
      out.append(1, 0);
    } else if (x == NAN || y == NAN) {
      out.appendSpecial(NAN);
    } else if (y == FINITE) {
      boolean odd = b.get(i).remainder(BigDecimal.TWO).abs().compareTo(BigDecimal.ONE) == 0;
      if (sy < 0) {
        out.append(0, 0);
      } else {
        out.appendSpecial(sx < 0 && odd ? MINUS : PLUS);
      }
    } else {
      if (sx == 0 && sy < 0) {
        throw FloatMath.zeroToNegative();
      }
      int c = x == FINITE ? a.get(i).abs().compareTo(BigDecimal.ONE) : 1;
      if (c == 0) {
        out.append(1, 0);
      } else if (c > 0 == sy > 0) {
        out.appendSpecial(PLUS);
      } else {
        out.append(0, 0);
      }
    }
  }

  private static int sign(NumericVector v, int i) {
    return switch (v.special(i)) {
      case PLUS -> 1;
      case MINUS -> -1;
      case NAN -> 0;
      default -> v.big(i) == null ? Long.signum(v.unscaled()[i]) : v.get(i).signum();
    };
  }

  private static Vector add(List<Vector> args, int n, boolean minus) {
    NumericVector a = Args.numerics(args, 0);
    NumericVector b = Args.numerics(args, 1);
    long[] validity = Args.validity(args, n);
    int scale = Math.max(a.uniformScale(), b.uniformScale());
    int shiftA = scale - a.uniformScale();
    int shiftB = scale - b.uniformScale();
    if (a.isPlain() && b.isPlain() && shiftA <= 9 && shiftB <= 9) {
      long[] x = a.unscaled();
      long[] y = b.unscaled();
      long[] out = new long[n];
      long fa = NumericText.power(shiftA);
      long fb = NumericText.power(shiftB);
      long limitA = Long.MAX_VALUE / fa / 2;
      long limitB = Long.MAX_VALUE / fb / 2;
      boolean fits = true;
      for (int i = 0; i < n; i++) {
        fits &= x[i] <= limitA & x[i] >= -limitA & y[i] <= limitB & y[i] >= -limitB;
        out[i] = minus ? x[i] * fa - y[i] * fb : x[i] * fa + y[i] * fb;
      }
      if (fits) {
        return new NumericVector(SqlType.NUMERIC, out, scale, null, null, null, n, validity);
      }
    }
    return binary(args, n, minus ? '-' : '+', minus ? BigDecimal::subtract : BigDecimal::add);
  }

  private static Vector multiply(List<Vector> args, int n) {
    NumericVector a = Args.numerics(args, 0);
    NumericVector b = Args.numerics(args, 1);
    int scale = a.uniformScale() + b.uniformScale();
    if (a.isPlain() && b.isPlain() && scale <= 127) {
      long[] x = a.unscaled();
      long[] y = b.unscaled();
      long[] out = new long[n];
      boolean fits = true;
      for (int i = 0; i < n; i++) {
        out[i] = x[i] * y[i];
        fits &= Math.multiplyHigh(x[i], y[i]) == out[i] >> 63;
      }
      if (fits) {
        return new NumericVector(
            SqlType.NUMERIC, out, scale, null, null, null, n, Args.validity(args, n));
      }
    }
    return binary(args, n, '*', BigDecimal::multiply);
  }

  private static Vector round(List<Vector> args, int n, RoundingMode mode) {
    NumericVector v = Args.numerics(args, 0);
    int[] digits = ((IntVector) args.get(1)).values();
    return Build.numerics(
        SqlType.NUMERIC,
        args,
        n,
        (i, out) -> {
          if (v.special(i) != FINITE) {
            out.appendSpecial(v.special(i));
            return;
          }
          BigDecimal r = v.get(i).setScale(Math.clamp(digits[i], -2000, 2000), mode);
          out.append(r.scale() < 0 ? r.setScale(0) : r);
        });
  }

  private static Vector scaleOf(
      List<Vector> args, int n, java.util.function.ToIntFunction<BigDecimal> f) {
    NumericVector v = Args.numerics(args, 0);
    VectorBuilder.Ints out = (VectorBuilder.Ints) VectorBuilder.of(SqlType.INT4, n);
    for (int i = 0; i < n; i++) {
      if (v.isNull(i) || v.special(i) != FINITE) {
        out.appendNull();
      } else {
        out.append(f.applyAsInt(v.get(i)));
      }
    }
    return out.build();
  }

  private static Vector choose(List<Vector> args, int n, boolean larger) {
    NumericVector a = Args.numerics(args, 0);
    NumericVector b = Args.numerics(args, 1);
    return Build.numerics(
        SqlType.NUMERIC,
        args,
        n,
        (i, out) -> out.append(a.compare(i, b, i) > 0 == larger ? a : b, i));
  }

  private static Vector widthBucket(List<Vector> args, int n) {
    NumericVector v = Args.numerics(args, 0);
    NumericVector low = Args.numerics(args, 1);
    NumericVector high = Args.numerics(args, 2);
    int[] count = ((IntVector) args.get(3)).values();
    return Build.ints(
        SqlType.INT4,
        args,
        n,
        i -> {
          if (count[i] <= 0) {
            throw FloatMath.bucket("count must be greater than zero");
          }
          if (v.special(i) == NAN || low.special(i) == NAN || high.special(i) == NAN) {
            throw FloatMath.bucket("operand, lower bound, and upper bound cannot be NaN");
          }
          if (low.special(i) != FINITE || high.special(i) != FINITE) {
            throw FloatMath.bucket("lower and upper bounds must be finite");
          }
          int c = low.compare(i, high, i);
          if (c == 0) {
            throw FloatMath.bucket("lower bound cannot equal upper bound");
          }
          if (v.compare(i, low, i) * -c < 0) {
            return 0;
          }
          if (v.compare(i, high, i) * -c >= 0) {
            return Math.addExact(count[i], 1);
          }
          BigDecimal span = high.get(i).subtract(low.get(i));
          BigDecimal at = v.get(i).subtract(low.get(i)).multiply(BigDecimal.valueOf(count[i]));
          return at.divide(span, 0, RoundingMode.FLOOR).intValue() + 1;
        });
  }
}
