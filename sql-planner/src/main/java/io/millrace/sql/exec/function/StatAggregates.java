package io.millrace.sql.exec.function;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Variances, standard deviations, covariances and regressions. Doubles by Youngs and Cramer's
 * updates, as PostgreSQL computes them; integers and numerics exactly, from sums of values and
 * squares.
 */
final class StatAggregates {
  private StatAggregates() {}

  static void register(FunctionRegistry.Builder b) {
    String[] names = {"var_pop", "var_samp", "variance", "stddev_pop", "stddev_samp", "stddev"};
    for (String n : names) {
      boolean sample = !n.endsWith("_pop");
      boolean root = n.startsWith("stddev");
      for (String t : new String[] {"float4", "float8"}) {
        b.aggregate(n + "(" + t + ")", (_, _, _) -> new Doubles(sample, root));
      }
      for (String t : new String[] {"int2", "int4", "int8", "numeric"}) {
        b.aggregate(n + "(" + t + ")", (_, _, _) -> new Exact(sample, root));
      }
    }
    String[] two = {
      "corr", "covar_pop", "covar_samp", "regr_avgx", "regr_avgy", "regr_count",
      "regr_intercept", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy"
    };
    for (String n : two) {
      b.aggregate(n + "(float8,float8)", (_, _, _) -> new Pairs(n));
    }
  }

  /** N, sum, and sum of squared deviations. */
  static final class Doubles extends Agg {
    private final boolean sample;
    private final boolean root;
    private double[] n = new double[0];
    private double[] sum = new double[0];
    private double[] squares = new double[0];

    Doubles(boolean sample, boolean root) {
      this.sample = sample;
      this.root = root;
    }

    @Override
    void grow(int capacity) {
      n = Arrays.copyOf(n, capacity);
      sum = Arrays.copyOf(sum, capacity);
      squares = Arrays.copyOf(squares, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      Vector v = args.getFirst();
      if (v.isNull(row)) {
        return;
      }
      double x =
          v instanceof DoubleVector d
              ? d.get(row)
              : ((io.millrace.common.batch.FloatVector) v).get(row);
      n[g]++;
      sum[g] += x;
      if (n[g] > 1) {
        double t = x * n[g] - sum[g];
        squares[g] += t * t / (n[g] * (n[g] - 1));
        if (Double.isInfinite(sum[g]) || Double.isInfinite(squares[g])) {
          if (!Double.isInfinite(x) && !Double.isInfinite(sum[g] - x)) {
            throw Errors.overflow("value out of range: overflow");
          }
          squares[g] = Double.NaN;
        }
      } else if (Double.isNaN(x) || Double.isInfinite(x)) {
        squares[g] = Double.NaN;
      }
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.FLOAT8, SqlType.FLOAT8, SqlType.FLOAT8);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(part(n, from, count), part(sum, from, count), part(squares, from, count));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      double[] m = Args.doubles(states, 0);
      double[] s = Args.doubles(states, 1);
      double[] q = Args.doubles(states, 2);
      for (int i = 0; i < rows; i++) {
        int g = groupIds[i];
        if (m[i] == 0) {
          continue;
        }
        if (n[g] == 0) {
          n[g] = m[i];
          sum[g] = s[i];
          squares[g] = q[i];
          continue;
        }
        double t = sum[g] / n[g] - s[i] / m[i];
        squares[g] += q[i] + n[g] * m[i] * t * t / (n[g] + m[i]);
        n[g] += m[i];
        sum[g] += s[i];
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      var out = (VectorBuilder.Doubles) VectorBuilder.of(SqlType.FLOAT8, count);
      for (int g = from; g < from + count; g++) {
        if (n[g] < (sample ? 2 : 1)) {
          out.appendNull();
          continue;
        }
        double v = squares[g] / (sample ? n[g] - 1 : n[g]);
        out.append(root ? Math.sqrt(v) : v);
      }
      return out.build();
    }

    @Override
    public void reset(int g) {
      n[g] = 0;
      sum[g] = 0;
      squares[g] = 0;
    }

    @Override
    public long byteSize() {
      return n.length * 24L;
    }
  }

  private static Vector part(double[] v, int from, int count) {
    return new DoubleVector(SqlType.FLOAT8, Arrays.copyOfRange(v, from, from + count), count, null);
  }

  /** Exact sums of values and squares. */
  static final class Exact extends Agg {
    private final boolean sample;
    private final boolean root;
    private long[] n = new long[0];
    private @Nullable BigDecimal[] sum = new BigDecimal[0];
    private @Nullable BigDecimal[] squares = new BigDecimal[0];
    private boolean[] notFinite = new boolean[0];

    Exact(boolean sample, boolean root) {
      this.sample = sample;
      this.root = root;
    }

    @Override
    void grow(int capacity) {
      n = Arrays.copyOf(n, capacity);
      sum = Arrays.copyOf(sum, capacity);
      squares = Arrays.copyOf(squares, capacity);
      notFinite = Arrays.copyOf(notFinite, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      Vector v = args.getFirst();
      if (v.isNull(row)) {
        return;
      }
      n[g]++;
      BigDecimal x;
      if (v instanceof NumericVector d) {
        if (d.special(row) != NumericVector.FINITE) {
          notFinite[g] = true;
          return;
        }
        x = d.get(row);
      } else {
        long l =
            v instanceof LongVector w
                ? w.get(row)
                : ((io.millrace.common.batch.IntVector) v).get(row);
        x = BigDecimal.valueOf(l);
      }
      plus(g, x, x.multiply(x));
    }

    private void plus(int g, BigDecimal s, BigDecimal q) {
      BigDecimal a = sum[g];
      BigDecimal b = squares[g];
      sum[g] = a == null ? s : a.add(s);
      squares[g] = b == null ? q : b.add(q);
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.INT8, SqlType.NUMERIC, SqlType.NUMERIC);
    }

    private static void put(VectorBuilder.Numerics out, @Nullable BigDecimal v, boolean notFinite) {
      if (notFinite) {
        out.appendSpecial(NumericVector.NAN);
      } else if (v == null) {
        out.appendNull();
      } else {
        out.append(v);
      }
    }

    @Override
    public List<Vector> partial(int from, int count) {
      var s = (VectorBuilder.Numerics) VectorBuilder.of(SqlType.NUMERIC, count);
      var q = (VectorBuilder.Numerics) VectorBuilder.of(SqlType.NUMERIC, count);
      for (int g = from; g < from + count; g++) {
        put(s, sum[g], notFinite[g]);
        put(q, squares[g], notFinite[g]);
      }
      return List.of(
          new LongVector(SqlType.INT8, Arrays.copyOfRange(n, from, from + count), count, null),
          s.build(),
          q.build());
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      long[] m = Args.longs(states, 0);
      var s = (NumericVector) states.get(1);
      var q = (NumericVector) states.get(2);
      for (int i = 0; i < rows; i++) {
        int g = groupIds[i];
        n[g] += m[i];
        if (s.isNull(i)) {
          continue;
        }
        if (s.special(i) != NumericVector.FINITE) {
          notFinite[g] = true;
        } else {
          plus(g, s.get(i), q.get(i));
        }
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      var out = (VectorBuilder.Numerics) VectorBuilder.of(SqlType.NUMERIC, count);
      for (int g = from; g < from + count; g++) {
        if (n[g] < (sample ? 2 : 1)) {
          out.appendNull();
        } else if (notFinite[g]) {
          out.appendSpecial(NumericVector.NAN);
        } else {
          out.append(result(g));
        }
      }
      return out.build();
    }

    private BigDecimal result(int g) {
      BigDecimal s = sum[g];
      BigDecimal q = squares[g];
      if (s == null || q == null) {
        return BigDecimal.ZERO;
      }
      BigDecimal count = BigDecimal.valueOf(n[g]);
      BigDecimal top = q.multiply(count).subtract(s.multiply(s));
      if (top.signum() <= 0) {
        return BigDecimal.ZERO;
      }
      BigDecimal bottom = count.multiply(sample ? count.subtract(BigDecimal.ONE) : count);
      int scale = Decimals.divisionScale(top, bottom);
      BigDecimal variance = top.divide(bottom, scale, RoundingMode.HALF_UP);
      if (!root) {
        return variance;
      }
      int digits = Math.max(1, variance.precision() - variance.scale()) + scale + 10;
      return variance
          .sqrt(new MathContext(digits, RoundingMode.HALF_EVEN))
          .setScale(scale, RoundingMode.HALF_UP);
    }

    @Override
    public void reset(int g) {
      n[g] = 0;
      sum[g] = null;
      squares[g] = null;
      notFinite[g] = false;
    }

    @Override
    public long byteSize() {
      return n.length * 150L;
    }
  }

  /** The aggregates of two doubles; the first argument is y, the second x. */
  static final class Pairs extends Agg {
    private final String what;
    private double[] n = new double[0];
    private double[] sx = new double[0];
    private double[] sxx = new double[0];
    private double[] sy = new double[0];
    private double[] syy = new double[0];
    private double[] sxy = new double[0];

    Pairs(String what) {
      this.what = what;
    }

    @Override
    void grow(int capacity) {
      n = Arrays.copyOf(n, capacity);
      sx = Arrays.copyOf(sx, capacity);
      sxx = Arrays.copyOf(sxx, capacity);
      sy = Arrays.copyOf(sy, capacity);
      syy = Arrays.copyOf(syy, capacity);
      sxy = Arrays.copyOf(sxy, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      if (args.get(0).isNull(row) || args.get(1).isNull(row)) {
        return;
      }
      double y = ((DoubleVector) args.get(0)).get(row);
      double x = ((DoubleVector) args.get(1)).get(row);
      n[g]++;
      sx[g] += x;
      sy[g] += y;
      if (n[g] > 1) {
        double tx = x * n[g] - sx[g];
        double ty = y * n[g] - sy[g];
        double scale = 1 / (n[g] * (n[g] - 1));
        sxx[g] += tx * tx * scale;
        syy[g] += ty * ty * scale;
        sxy[g] += tx * ty * scale;
      } else {
        if (Double.isNaN(x) || Double.isInfinite(x)) {
          sxx[g] = Double.NaN;
          sxy[g] = Double.NaN;
        }
        if (Double.isNaN(y) || Double.isInfinite(y)) {
          syy[g] = Double.NaN;
          sxy[g] = Double.NaN;
        }
      }
    }

    @Override
    public List<SqlType> stateTypes() {
      return java.util.Collections.nCopies(6, SqlType.FLOAT8);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(
          part(n, from, count),
          part(sx, from, count),
          part(sxx, from, count),
          part(sy, from, count),
          part(syy, from, count),
          part(sxy, from, count));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      double[][] s = new double[6][];
      for (int k = 0; k < 6; k++) {
        s[k] = Args.doubles(states, k);
      }
      for (int i = 0; i < rows; i++) {
        int g = groupIds[i];
        double m = s[0][i];
        if (m == 0) {
          continue;
        }
        double total = n[g] + m;
        double tx = n[g] == 0 ? 0 : sx[g] / n[g] - s[1][i] / m;
        double ty = n[g] == 0 ? 0 : sy[g] / n[g] - s[3][i] / m;
        double f = n[g] * m / total;
        sxx[g] += s[2][i] + f * tx * tx;
        syy[g] += s[4][i] + f * ty * ty;
        sxy[g] += s[5][i] + f * tx * ty;
        sx[g] += s[1][i];
        sy[g] += s[3][i];
        n[g] = total;
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      if (what.equals("regr_count")) {
        long[] out = new long[count];
        for (int i = 0; i < count; i++) {
          out[i] = (long) n[from + i];
        }
        return new LongVector(SqlType.INT8, out, count, null);
      }
      var out = (VectorBuilder.Doubles) VectorBuilder.of(SqlType.FLOAT8, count);
      for (int g = from; g < from + count; g++) {
        boolean none =
            n[g] < (what.equals("covar_samp") ? 2 : 1)
                || switch (what) {
                  case "corr" -> sxx[g] == 0 || syy[g] == 0;
                  case "regr_r2", "regr_slope", "regr_intercept" -> sxx[g] == 0;
                  default -> false;
                };
        if (none) {
          out.appendNull();
        } else {
          out.append(value(g));
        }
      }
      return out.build();
    }

    private double value(int g) {
      return switch (what) {
        case "corr" -> sxy[g] / Math.sqrt(sxx[g] * syy[g]);
        case "covar_pop" -> sxy[g] / n[g];
        case "covar_samp" -> sxy[g] / (n[g] - 1);
        case "regr_avgx" -> sx[g] / n[g];
        case "regr_avgy" -> sy[g] / n[g];
        case "regr_slope" -> sxy[g] / sxx[g];
        case "regr_intercept" -> (sy[g] - sx[g] * sxy[g] / sxx[g]) / n[g];
        case "regr_r2" -> syy[g] == 0 ? 1 : sxy[g] * sxy[g] / (sxx[g] * syy[g]);
        case "regr_sxx" -> sxx[g];
        case "regr_sxy" -> sxy[g];
        default -> syy[g];
      };
    }

    @Override
    public void reset(int g) {
      n[g] = 0;
      sx[g] = 0;
      sxx[g] = 0;
      sy[g] = 0;
      syy[g] = 0;
      sxy[g] = 0;
    }

    @Override
    public long byteSize() {
      return n.length * 48L;
    }
  }
}
