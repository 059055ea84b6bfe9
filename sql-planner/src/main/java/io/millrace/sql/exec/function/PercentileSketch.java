package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * approx_percentile_cont and its kin: a {@link TDigest} per group. Arguments are the value, the
 * weight if there is one, and the fraction; approx_median has the value only. The result of
 * integers is cut to an integer. The fraction is read from the group's rows, and is one for the
 * group.
 */
final class PercentileSketch extends Agg {
  private final boolean weighted;
  private final boolean median;
  private final SqlType result;
  private final List<@Nullable TDigest> digests = new ArrayList<>();
  private double[] fractions = new double[0];

  private PercentileSketch(boolean weighted, boolean median, SqlType result) {
    this.weighted = weighted;
    this.median = median;
    this.result = result;
  }

  static void register(FunctionRegistry.Builder b) {
    for (String t : new String[] {"int2", "int4", "int8", "float4", "float8"}) {
      b.aggregate(
          "approx_percentile_cont(" + t + ",float8)",
          (_, r, _) -> new PercentileSketch(false, false, r));
      b.aggregate(
          "approx_percentile_cont_with_weight(" + t + ",float8,float8)",
          (_, r, _) -> new PercentileSketch(true, false, r));
      b.aggregate("approx_median(" + t + ")", (_, r, _) -> new PercentileSketch(false, true, r));
    }
  }

  @Override
  void grow(int capacity) {
    fractions = Arrays.copyOf(fractions, capacity);
    while (digests.size() < capacity) {
      digests.add(null);
    }
  }

  @Override
  void add(List<Vector> args, int row, int group, EvalContext context) {
    for (Vector v : args) {
      if (v.isNull(row)) {
        return;
      }
    }
    double weight = weighted ? number(args.get(1), row) : 1;
    if (weight < 0 || Double.isNaN(weight)) {
      throw Errors.invalidParameter("a weight must not be negative");
    }
    if (weight == 0) {
      return;
    }
    fractions[group] = median ? 0.5 : fraction(((DoubleVector) args.getLast()).get(row));
    double value = number(args.getFirst(), row);
    if (!Double.isNaN(value)) {
      digest(group).add(value, weight);
    }
  }

  private static double number(Vector v, int row) {
    return switch (v) {
      case io.millrace.common.batch.IntVector x -> x.get(row);
      case io.millrace.common.batch.LongVector x -> x.get(row);
      case io.millrace.common.batch.FloatVector x -> x.get(row);
      case DoubleVector x -> x.get(row);
      default -> throw new IllegalStateException("layout of " + v.type());
    };
  }

  private static double fraction(double p) {
    if (!(p >= 0 && p <= 1)) {
      throw new MillraceException(
          ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
          "percentile value " + p + " is not between 0 and 1");
    }
    return p;
  }

  private TDigest digest(int group) {
    TDigest d = digests.get(group);
    if (d == null) {
      d = new TDigest();
      digests.set(group, d);
    }
    return d;
  }

  @Override
  public List<SqlType> stateTypes() {
    return List.of(SqlType.FLOAT8, SqlType.BYTEA);
  }

  @Override
  public List<Vector> partial(int from, int count) {
    var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.BYTEA, count);
    for (int g = from; g < from + count; g++) {
      TDigest d = digests.get(g);
      if (d == null) {
        out.appendNull();
        continue;
      }
      double[] state = d.state();
      ByteBuffer bytes = ByteBuffer.allocate(state.length * Double.BYTES);
      bytes.asDoubleBuffer().put(state);
      out.append(bytes.array());
    }
    double[] p = Arrays.copyOfRange(fractions, from, from + count);
    return List.of(new DoubleVector(SqlType.FLOAT8, p, count, null), out.build());
  }

  @Override
  public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext context) {
    double[] p = Args.doubles(states, 0);
    BytesColumn v = Args.bytes(states, 1);
    for (int i = 0; i < rows; i++) {
      if (!v.isNull(i)) {
        double[] state = new double[v.size(i) / Double.BYTES];
        ByteBuffer.wrap(v.data(i), v.start(i), v.size(i)).asDoubleBuffer().get(state);
        fractions[groupIds[i]] = p[i];
        digest(groupIds[i]).merge(state);
      }
    }
  }

  @Override
  public Vector finish(int from, int count, EvalContext context) {
    VectorBuilder out = VectorBuilder.of(result, count);
    for (int g = from; g < from + count; g++) {
      TDigest d = digests.get(g);
      if (d == null) {
        out.appendNull();
        continue;
      }
      double value = d.quantile(fractions[g]);
      switch (out) {
        case VectorBuilder.Ints o -> o.append((int) value);
        case VectorBuilder.Longs o -> o.append((long) value);
        case VectorBuilder.Floats o -> o.append((float) value);
        case VectorBuilder.Doubles o -> o.append(value);
        default -> throw new IllegalStateException("layout of " + result);
      }
    }
    return out.build();
  }

  @Override
  public void reset(int group) {
    digests.set(group, null);
  }

  @Override
  public long byteSize() {
    long n = 8L * fractions.length;
    for (TDigest d : digests) {
      n += 8 + (d == null ? 0 : d.byteSize());
    }
    return n;
  }
}
