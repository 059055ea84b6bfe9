package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.FloatText;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Functions over vectors of numbers. A vector is text like {@code [1, 2.5]} or bytes: its float4
 * elements, little-endian, one after another. Every argument may come either way; results that are
 * vectors come as bytes.
 */
final class VectorKernels {
  private VectorKernels() {}

  private interface Pairwise {
    float of(float a, float b);
  }

  private interface Distance {
    double of(float[] a, float[] b);
  }

  private interface Reduction {
    double of(float[] v);
  }

  static void register(FunctionRegistry.Builder b) {
    b.simple("parse_vec(text)", (a, n, _) -> vectors(a, n, i -> read(a, 0, i)));
    for (String t : new String[] {"text", "bytea"}) {
      b.simple(
          "vec_to_string(" + t + ")",
          (a, n, _) -> Build.text(SqlType.TEXT, a, n, i -> text(read(a, 0, i))));
      b.simple(
          "vec_dim(" + t + ")",
          (a, n, _) -> Build.ints(SqlType.INT4, a, n, i -> read(a, 0, i).length));
      b.simple("vec_norm(" + t + ")", (a, n, _) -> vectors(a, n, i -> norm(read(a, 0, i))));
      b.simple(
          "vec_kth_elem(" + t + ",int4)",
          (a, n, _) -> doubles(a, n, i -> element(read(a, 0, i), Args.ints(a, 1)[i])));
      b.simple(
          "vec_subvector(" + t + ",int4,int4)",
          (a, n, _) ->
              vectors(a, n, i -> part(read(a, 0, i), Args.ints(a, 1)[i], Args.ints(a, 2)[i])));
      reduction(b, "vec_elem_sum(" + t + ")", VectorKernels::sum);
      reduction(b, "vec_elem_avg(" + t + ")", v -> sum(v) / v.length);
      reduction(b, "vec_elem_product(" + t + ")", VectorKernels::product);
      scalar(b, "vec_scalar_add(float8," + t + ")", (x, y) -> x + y);
      scalar(b, "vec_scalar_mul(float8," + t + ")", (x, y) -> x * y);
      b.aggregate("vec_sum(" + t + ")", (_, _, _) -> new VectorAggregate((x, y) -> x + y, false));
      b.aggregate("vec_avg(" + t + ")", (_, _, _) -> new VectorAggregate((x, y) -> x + y, true));
      b.aggregate(
          "vec_product(" + t + ")", (_, _, _) -> new VectorAggregate((x, y) -> x * y, false));
      for (String u : new String[] {"text", "bytea"}) {
        String both = "(" + t + "," + u + ")";
        pairwise(b, "vec_add" + both, (x, y) -> x + y);
        pairwise(b, "vec_sub" + both, (x, y) -> x - y);
        pairwise(b, "vec_mul" + both, (x, y) -> x * y);
        pairwise(b, "vec_div" + both, (x, y) -> x / y);
        distance(b, "vec_dot_product" + both, VectorKernels::dot);
        distance(b, "vec_l2sq_distance" + both, VectorKernels::squares);
        distance(b, "vec_cos_distance" + both, VectorKernels::cosine);
      }
    }
  }

  private static void pairwise(FunctionRegistry.Builder b, String signature, Pairwise f) {
    b.simple(signature, (a, n, _) -> vectors(a, n, i -> combine(read(a, 0, i), read(a, 1, i), f)));
  }

  private static void distance(FunctionRegistry.Builder b, String signature, Distance f) {
    b.simple(
        signature,
        (a, n, _) ->
            doubles(
                a,
                n,
                i -> {
                  float[] x = read(a, 0, i);
                  float[] y = read(a, 1, i);
                  sameLength(x, y);
                  return f.of(x, y);
                }));
  }

  private static void reduction(FunctionRegistry.Builder b, String signature, Reduction f) {
    b.simple(signature, (a, n, _) -> doubles(a, n, i -> f.of(read(a, 0, i))));
  }

  private static void scalar(FunctionRegistry.Builder b, String signature, Pairwise f) {
    b.simple(
        signature,
        (a, n, _) ->
            vectors(
                a,
                n,
                i -> {
                  float[] v = read(a, 1, i);
                  float x = (float) Args.doubles(a, 0)[i];
                  for (int k = 0; k < v.length; k++) {
                    v[k] = f.of(x, v[k]);
                  }
                  return v;
                }));
  }

  private interface RowVector {
    float[] of(int row);
  }

  private interface RowDouble {
    double of(int row);
  }

  private static Vector vectors(List<Vector> a, int n, RowVector row) {
    return Build.bytes(SqlType.BYTEA, a, n, (i, out) -> out.append(bytes(row.of(i))));
  }

  private static Vector doubles(List<Vector> a, int n, RowDouble row) {
    long[] validity = Args.validity(a, n);
    double[] out = new double[n];
    for (int i = 0; i < n; i++) {
      if (Args.valid(validity, i)) {
        out[i] = row.of(i);
      }
    }
    return new DoubleVector(SqlType.FLOAT8, out, n, validity);
  }

  /** A new array with the elements of one argument. */
  static float[] read(List<Vector> a, int arg, int row) {
    var v = (BytesColumn) a.get(arg);
    return v.type().kind() == TypeKind.BYTEA ? decode(v, row) : parse(v.string(row));
  }

  private static float[] decode(BytesColumn v, int row) {
    if (v.size(row) % Float.BYTES != 0) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE,
          "a vector's bytes must be a multiple of 4, but there are " + v.size(row));
    }
    float[] out = new float[v.size(row) / Float.BYTES];
    ByteBuffer.wrap(v.data(row), v.start(row), v.size(row))
        .order(ByteOrder.LITTLE_ENDIAN)
        .asFloatBuffer()
        .get(out);
    return out;
  }

  static byte[] bytes(float[] v) {
    ByteBuffer out = ByteBuffer.allocate(v.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.asFloatBuffer().put(v);
    return out.array();
  }

  private static float[] parse(String text) {
    String s = text.strip();
    if (s.length() < 2 || s.charAt(0) != '[' || s.charAt(s.length() - 1) != ']') {
      throw invalid(text);
    }
    String inner = s.substring(1, s.length() - 1).strip();
    if (inner.isEmpty()) {
      return new float[0];
    }
    String[] parts = inner.split(",", -1);
    float[] out = new float[parts.length];
    for (int k = 0; k < parts.length; k++) {
      try {
        out[k] = Float.parseFloat(parts[k].strip());
      } catch (NumberFormatException _) {
        throw invalid(text);
      }
    }
    return out;
  }

  private static MillraceException invalid(String text) {
    return new MillraceException(
            ErrorCode.INVALID_TEXT_REPRESENTATION,
            "invalid input syntax for a vector: \"" + text + "\"")
        .withHint("A vector is written like [1, 2.5, 3].");
  }

  private static String text(float[] v) {
    var out = new ArrayList<String>(v.length);
    for (float x : v) {
      var sink = new ByteSink();
      FloatText.write(x, sink, 1);
      out.add(Float.isInfinite(x) ? (x > 0 ? "inf" : "-inf") : sink.toString());
    }
    return "[" + String.join(",", out) + "]";
  }

  private static void sameLength(float[] a, float[] b) {
    if (a.length != b.length) {
      throw Errors.invalidParameter(
          "vectors must be of the same length, but have " + a.length + " and " + b.length);
    }
  }

  private static float[] combine(float[] a, float[] b, Pairwise f) {
    sameLength(a, b);
    for (int k = 0; k < a.length; k++) {
      a[k] = f.of(a[k], b[k]);
    }
    return a;
  }

  private static float[] norm(float[] v) {
    float length = (float) Math.sqrt(dot(v, v));
    for (int k = 0; k < v.length; k++) {
      v[k] /= length;
    }
    return v;
  }

  private static double element(float[] v, int k) {
    if (k < 0 || k >= v.length) {
      throw Errors.invalidParameter(
          "there is no element " + k + " in a vector of " + v.length + " elements");
    }
    return v[k];
  }

  private static float[] part(float[] v, int from, int to) {
    if (from < 0 || to < from || to > v.length) {
      throw Errors.invalidParameter(
          "there are no elements " + from + " to " + to + " in a vector of " + v.length);
    }
    return java.util.Arrays.copyOfRange(v, from, to);
  }

  private static double sum(float[] v) {
    double s = 0;
    for (float x : v) {
      s += x;
    }
    return s;
  }

  private static double product(float[] v) {
    double p = 1;
    for (float x : v) {
      p *= x;
    }
    return p;
  }

  private static double dot(float[] a, float[] b) {
    double s = 0;
    for (int k = 0; k < a.length; k++) {
      s += (double) a[k] * b[k];
    }
    return s;
  }

  private static double squares(float[] a, float[] b) {
    double s = 0;
    for (int k = 0; k < a.length; k++) {
      double d = (double) a[k] - b[k];
      s += d * d;
    }
    return s;
  }

  /** One minus the cosine of the angle; 1 where a vector has no direction. */
  private static double cosine(float[] a, float[] b) {
    double lengths = Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b));
    return lengths == 0 ? 1 : 1 - dot(a, b) / lengths;
  }

  /** Element-wise sums or products of vectors of one length; NULL of no vectors. */
  private static final class VectorAggregate extends Agg {
    private final Pairwise step;
    private final boolean mean;
    private final List<float[]> states = new ArrayList<>();
    private long[] counts = new long[0];
    private long held;

    VectorAggregate(Pairwise step, boolean mean) {
      this.step = step;
      this.mean = mean;
    }

    @Override
    void grow(int capacity) {
      counts = java.util.Arrays.copyOf(counts, capacity);
      while (states.size() < capacity) {
        states.add(new float[0]);
      }
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      if (!args.getFirst().isNull(row)) {
        merge(group, read(args, 0, row), 1);
      }
    }

    private void merge(int group, float[] v, long count) {
      if (counts[group] == 0) {
        states.set(group, v);
        held += 16L + 4L * v.length;
      } else {
        combine(states.get(group), v, step);
      }
      counts[group] += count;
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.BYTEA, SqlType.INT8);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      long[] n = java.util.Arrays.copyOfRange(counts, from, from + count);
      return List.of(
          Build.bytes(
              SqlType.BYTEA, List.of(), count, (i, o) -> o.append(bytes(states.get(from + i)))),
          new LongVector(SqlType.INT8, n, count, null));
    }

    @Override
    public void mergePartial(List<Vector> in, int rows, int[] groupIds, EvalContext context) {
      long[] n = Args.longs(in, 1);
      for (int i = 0; i < rows; i++) {
        if (n[i] > 0) {
          merge(groupIds[i], read(in, 0, i), n[i]);
        }
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.BYTEA, count);
      for (int g = from; g < from + count; g++) {
        if (counts[g] == 0) {
          out.appendNull();
          continue;
        }
        float[] v = states.get(g).clone();
        for (int k = 0; mean && k < v.length; k++) {
          v[k] /= counts[g];
        }
        out.append(bytes(v));
      }
      return out.build();
    }

    @Override
    public void reset(int group) {
      counts[group] = 0;
      states.set(group, new float[0]);
    }

    @Override
    public long byteSize() {
      return held + 8L * counts.length;
    }
  }
}
