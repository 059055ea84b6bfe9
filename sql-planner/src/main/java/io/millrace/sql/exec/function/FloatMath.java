package io.millrace.sql.exec.function;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Floating point arithmetic and the functions of one or two doubles. Arithmetic computes every row
 * without branches and looks for overflow afterwards, only if an infinity or zero came out.
 */
final class FloatMath {
  private FloatMath() {}

  private enum Op {
    PLUS,
    MINUS,
    TIMES,
    DIVIDE
  }

  static void register(FunctionRegistry.Builder b) {
    b.simple(
        "mod(float8,float8)",
        (a, n, _) -> {
          double[] x = Args.doubles(a, 0);
          double[] y = Args.doubles(a, 1);
          long[] validity = Args.validity(a, n);
          double[] out = new double[n];
          for (int i = 0; i < n; i++) {
            if (y[i] == 0 && Args.valid(validity, i)) {
              throw Errors.divisionByZero();
            }
            out[i] = x[i] % y[i];
          }
          return new DoubleVector(SqlType.FLOAT8, out, n, validity);
        });
    String[][] pairs = {{"4", "4"}, {"8", "8"}, {"4", "8"}, {"8", "4"}};
    for (String[] p : pairs) {
      boolean single = p[0].equals("4") && p[1].equals("4");
      String infix = p[0].equals(p[1]) ? p[0] : p[0] + p[1];
      String args = "(float" + p[0] + ",float" + p[1] + ")";
      for (Op op : Op.values()) {
        String name =
            switch (op) {
              case PLUS -> "pl";
              case MINUS -> "mi";
              case TIMES -> "mul";
              case DIVIDE -> "div";
            };
        b.simple(
            "float" + infix + name + args,
            single ? (a, n, _) -> singles(op, a, n) : (a, n, _) -> doubles(op, a, n));
      }
    }
    b.simple("float4um(float4)", (a, n, _) -> unarySingle(a, n, false));
    b.simple("float4abs(float4)", (a, n, _) -> unarySingle(a, n, true));
    b.simple("abs(float4)", (a, n, _) -> unarySingle(a, n, true));
    b.simple("float4up(float4)", (a, _, _) -> a.getFirst());
    b.simple("float8up(float8)", (a, _, _) -> a.getFirst());
    unary(b, v -> -v, "float8um(float8)");
    unary(b, Math::abs, "float8abs(float8)", "abs(float8)");
    unary(b, Math::rint, "round(float8)", "dround(float8)");
    unary(b, FloatMath::truncate, "trunc(float8)", "dtrunc(float8)");
    unary(b, Math::ceil, "ceil(float8)", "ceiling(float8)");
    unary(b, Math::floor, "floor(float8)");
    unary(b, v -> Double.isNaN(v) ? 0 : Math.signum(v), "sign(float8)");
    unary(b, FloatMath::squareRoot, "sqrt(float8)", "dsqrt(float8)");
    unary(b, Math::cbrt, "cbrt(float8)", "dcbrt(float8)");
    unary(b, FloatMath::exponential, "exp(float8)", "dexp(float8)");
    unary(b, v -> logarithm(v, false), "ln(float8)", "dlog1(float8)");
    unary(b, v -> logarithm(v, true), "log(float8)", "log10(float8)", "dlog10(float8)");
    unary(b, v -> finite(v, Math.sin(v)), "sin(float8)");
    unary(b, v -> finite(v, Math.cos(v)), "cos(float8)");
    unary(b, v -> finite(v, Math.tan(v)), "tan(float8)");
    unary(b, v -> finite(v, 1 / Math.tan(v)), "cot(float8)");
    unary(b, v -> unit(v, Math.asin(v)), "asin(float8)");
    unary(b, v -> unit(v, Math.acos(v)), "acos(float8)");
    unary(b, Math::atan, "atan(float8)");
    unary(b, Math::sinh, "sinh(float8)");
    unary(b, Math::cosh, "cosh(float8)");
    unary(b, Math::tanh, "tanh(float8)");
    unary(b, v -> Math.signum(v) * Math.log(Math.abs(v) + Math.sqrt(v * v + 1)), "asinh(float8)");
    unary(b, v -> v < 1 ? outside() : Math.log(v + Math.sqrt(v * v - 1)), "acosh(float8)");
    unary(b, v -> v < -1 || v > 1 ? outside() : 0.5 * Math.log((1 + v) / (1 - v)), "atanh(float8)");
    unary(b, v -> finite(v, sineDegrees(v)), "sind(float8)");
    unary(b, v -> finite(v, sineDegrees(v + 90)), "cosd(float8)");
    unary(b, v -> finite(v, sineDegrees(v) / sineDegrees(v + 90)), "tand(float8)");
    unary(b, v -> finite(v, sineDegrees(v + 90) / sineDegrees(v)), "cotd(float8)");
    unary(b, v -> unit(v, exactDegrees(Math.asin(v))), "asind(float8)");
    unary(b, v -> unit(v, exactDegrees(Math.acos(v))), "acosd(float8)");
    unary(b, v -> exactDegrees(Math.atan(v)), "atand(float8)");
    unary(b, v -> v / (Math.PI / 180), "degrees(float8)");
    unary(b, v -> v * (Math.PI / 180), "radians(float8)");
    binary(
        b, FloatMath::power, "power(float8,float8)", "pow(float8,float8)", "dpow(float8,float8)");
    binary(b, Math::atan2, "atan2(float8,float8)");
    binary(b, (y, x) -> exactDegrees(Math.atan2(y, x)), "atan2d(float8,float8)");
    b.simple("pi()", (_, n, _) -> fill(n, Math.PI));
    b.simple(
        "random()",
        (_, n, c) -> {
          double[] out = new double[n];
          for (int i = 0; i < n; i++) {
            out[i] = c.random().nextDouble();
          }
          return new DoubleVector(SqlType.FLOAT8, out, n, null);
        });
    b.simple("width_bucket(float8,float8,float8,int4)", (a, n, _) -> widthBucket(a, n));
    b.simple("float8larger(float8,float8)", (a, n, _) -> choose(a, n, true));
    b.simple("float8smaller(float8,float8)", (a, n, _) -> choose(a, n, false));
  }

  private static void unary(FunctionRegistry.Builder b, DoubleUnaryOperator f, String... names) {
    for (String name : names) {
      b.simple(name, (a, n, _) -> Build.doubles(a, n, f));
    }
  }

  private interface Two {
    double apply(double x, double y);
  }

  private static void binary(FunctionRegistry.Builder b, Two f, String... names) {
    for (String name : names) {
      b.simple(
          name,
          (a, n, _) -> {
            double[] x = Args.doubles(a, 0);
            double[] y = Args.doubles(a, 1);
            long[] validity = Args.validity(a, n);
            double[] out = new double[n];
            for (int i = 0; i < n; i++) {
              if (Args.valid(validity, i)) {
                out[i] = f.apply(x[i], y[i]);
              }
            }
            return new DoubleVector(SqlType.FLOAT8, out, n, validity);
          });
    }
  }

  static Vector fill(int n, double v) {
    double[] out = new double[n];
    java.util.Arrays.fill(out, v);
    return new DoubleVector(SqlType.FLOAT8, out, n, null);
  }

  private static Vector choose(List<Vector> args, int n, boolean larger) {
    double[] a = Args.doubles(args, 0);
    double[] b = Args.doubles(args, 1);
    double[] out = new double[n];
    for (int i = 0; i < n; i++) {
      out[i] = Double.compare(a[i], b[i]) > 0 == larger ? a[i] : b[i];
    }
    return new DoubleVector(SqlType.FLOAT8, out, n, Args.validity(args, n));
  }

  private static Vector doubles(Op op, List<Vector> args, int n) {
    double[] a = Args.doubles(args, 0);
    double[] b = Args.doubles(args, 1);
    double[] out = new double[n];
    switch (op) {
      case PLUS -> {
        for (int i = 0; i < n; i++) {
          out[i] = a[i] + b[i];
        }
      }
      case MINUS -> {
        for (int i = 0; i < n; i++) {
          out[i] = a[i] - b[i];
        }
      }
      case TIMES -> {
        for (int i = 0; i < n; i++) {
          out[i] = a[i] * b[i];
        }
      }
      case DIVIDE -> {
        for (int i = 0; i < n; i++) {
          out[i] = a[i] / b[i];
        }
      }
    }
    long[] validity = Args.validity(args, n);
    boolean product = op == Op.TIMES || op == Op.DIVIDE;
    boolean look = false;
    for (int i = 0; i < n; i++) {
      look |= Double.isInfinite(out[i]) | Double.isNaN(out[i]) | (product & out[i] == 0);
    }
    if (look) {
      for (int i = 0; i < n; i++) {
        if (Args.valid(validity, i)) {
          check(op, a[i], b[i], Double.isInfinite(out[i]), out[i] == 0);
        }
      }
    }
    return new DoubleVector(SqlType.FLOAT8, out, n, validity);
  }

  private static void check(Op op, double a, double b, boolean infinite, boolean zero) {
    if (op == Op.DIVIDE && b == 0 && !Double.isNaN(a)) {
      throw Errors.divisionByZero();
    }
    if (infinite && !Double.isInfinite(a) && !Double.isInfinite(b)) {
      throw Errors.overflow("value out of range: overflow");
    }
    if (zero
        && ((op == Op.TIMES && a != 0 && b != 0)
            || (op == Op.DIVIDE && a != 0 && !Double.isInfinite(b)))) {
      throw Errors.overflow("value out of range: underflow");
    }
  }

  private static Vector singles(Op op, List<Vector> args, int n) {
    float[] a = Args.floats(args, 0);
    float[] b = Args.floats(args, 1);
    float[] out = new float[n];
    long[] validity = Args.validity(args, n);
    for (int i = 0; i < n; i++) {
      out[i] =
          switch (op) {
            case PLUS -> a[i] + b[i];
            case MINUS -> a[i] - b[i];
            case TIMES -> a[i] * b[i];
            case DIVIDE -> a[i] / b[i];
          };
      if ((Float.isInfinite(out[i]) || Float.isNaN(out[i]) || out[i] == 0)
          && Args.valid(validity, i)) {
        check(op, a[i], b[i], Float.isInfinite(out[i]), out[i] == 0);
      }
    }
    return new FloatVector(SqlType.FLOAT4, out, n, validity);
  }

  private static Vector unarySingle(List<Vector> args, int n, boolean absolute) {
    float[] a = Args.floats(args, 0);
    float[] out = new float[n];
    for (int i = 0; i < n; i++) {
      out[i] = absolute ? Math.abs(a[i]) : -a[i];
    }
    return new FloatVector(SqlType.FLOAT4, out, n, Args.validity(args, n));
  }

  private static double truncate(double v) {
    return v < 0 ? Math.ceil(v) : Math.floor(v);
  }

  private static double outside() {
    throw Errors.overflow("input is out of range");
  }

  private static double finite(double input, double result) {
    return Double.isInfinite(input) ? outside() : result;
  }

  private static double unit(double input, double result) {
    return input < -1 || input > 1 ? outside() : result;
  }

  private static double squareRoot(double v) {
    if (v < 0) {
      throw new MillraceException(
          ErrorCode.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
          "cannot take square root of a negative number");
    }
    return Math.sqrt(v);
  }

  private static double exponential(double v) {
    double r = Math.exp(v);
    if (Double.isInfinite(r) && !Double.isInfinite(v)) {
      throw Errors.overflow("value out of range: overflow");
    }
    if (r == 0 && !Double.isInfinite(v)) {
      throw Errors.overflow("value out of range: underflow");
    }
    return r;
  }

  private static double logarithm(double v, boolean ten) {
    if (v == 0) {
      throw new MillraceException(
          ErrorCode.INVALID_ARGUMENT_FOR_LOGARITHM, "cannot take logarithm of zero");
    }
    if (v < 0) {
      throw new MillraceException(
          ErrorCode.INVALID_ARGUMENT_FOR_LOGARITHM, "cannot take logarithm of a negative number");
    }
    return ten ? Math.log10(v) : Math.log(v);
  }

  static MillraceException zeroToNegative() {
    return new MillraceException(
        ErrorCode.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
        "zero raised to a negative power is undefined");
  }

  static MillraceException complex() {
    return new MillraceException(
        ErrorCode.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
        "a negative number raised to a non-integer power yields a complex result");
  }

  private static double power(double x, double y) {
    if (Double.isNaN(x)) {
      return y == 0 ? 1 : x;
    }
    if (Double.isNaN(y)) {
      return x == 1 ? 1 : y;
    }
    if (x == 0 && y < 0) {
      throw zeroToNegative();
    }
    if (x < 0 && y != Math.floor(y)) {
      throw complex();
    }
    if (Double.isInfinite(y) && Math.abs(x) == 1) {
      return 1;
    }
    double r = Math.pow(x, y);
    if (Double.isInfinite(r) && !Double.isInfinite(x) && !Double.isInfinite(y)) {
      throw Errors.overflow("value out of range: overflow");
    }
    if (r == 0 && x != 0 && !Double.isInfinite(x) && !Double.isInfinite(y)) {
      throw Errors.overflow("value out of range: underflow");
    }
    return r;
  }

  /** The sine of degrees, exact at the multiples of 30 where it is rational. */
  private static double sineDegrees(double degrees) {
    double d = degrees % 360;
    if (d < 0) {
      d += 360;
    }
    double sign = 1;
    if (d > 180) {
      d = 360 - d;
      sign = -1;
    }
    if (d > 90) {
      d = 180 - d;
    }
    double r = d == 0 ? 0 : d == 30 ? 0.5 : d == 90 ? 1 : Math.sin(Math.toRadians(d));
    return sign * r;
  }

  private static double exactDegrees(double radians) {
    double d = Math.toDegrees(radians);
    double nearest = Math.rint(d / 15) * 15;
    return Math.abs(d - nearest) < 1e-12 ? nearest : d;
  }

  private static Vector widthBucket(List<Vector> args, int n) {
    double[] v = Args.doubles(args, 0);
    double[] low = Args.doubles(args, 1);
    double[] high = Args.doubles(args, 2);
    int[] count = ((IntVector) args.get(3)).values();
    return Build.ints(
        SqlType.INT4,
        args,
        n,
        i -> {
          if (count[i] <= 0) {
            throw bucket("count must be greater than zero");
          }
          if (Double.isNaN(v[i]) || Double.isNaN(low[i]) || Double.isNaN(high[i])) {
            throw bucket("operand, lower bound, and upper bound cannot be NaN");
          }
          if (Double.isInfinite(low[i]) || Double.isInfinite(high[i])) {
            throw bucket("lower and upper bounds must be finite");
          }
          if (low[i] == high[i]) {
            throw bucket("lower bound cannot equal upper bound");
          }
          boolean up = low[i] < high[i];
          if (up ? v[i] < low[i] : v[i] > low[i]) {
            return 0;
          }
          if (up ? v[i] >= high[i] : v[i] <= high[i]) {
            if (count[i] == Integer.MAX_VALUE) {
              throw Errors.outOfRange("integer");
            }
            return count[i] + 1;
          }
          return (int) (count[i] * ((v[i] - low[i]) / (high[i] - low[i]))) + 1;
        });
  }

  /** PostgreSQL's 2201G has no name of its own here: an invalid parameter value is the nearest. */
  static MillraceException bucket(String message) {
    return new MillraceException(ErrorCode.INVALID_ARGUMENT_FOR_WIDTH_BUCKET, message);
  }
}
