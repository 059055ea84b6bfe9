package io.millrace.sql.exec.function;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Aggregates that keep all their values: string_agg, array_agg, json_agg, percentiles, mode. */
final class CollectAggregates {
  private CollectAggregates() {}

  static void register(FunctionRegistry.Builder b) {
    b.aggregate("string_agg(text,text)", (_, _, _) -> new Strings(SqlType.TEXT));
    b.aggregate("string_agg(bytea,bytea)", (_, _, _) -> new Strings(SqlType.BYTEA));
    b.aggregate("array_agg(anynonarray)", (t, r, _) -> new Arrayed(t.getFirst(), r));
    b.aggregate("array_agg(anyarray)", (_, r, _) -> new ArraysOfArrays(r));
    for (String s : new String[] {"json", "jsonb"}) {
      boolean binary = s.equals("jsonb");
      b.aggregate(s + "_agg(anyelement)", (t, _, _) -> new JsonArray(t.getFirst(), binary));
      b.aggregate(s + "_object_agg(any,any)", (t, _, _) -> new JsonObject(t, binary));
    }
    for (String t : new String[] {"float8", "interval"}) {
      b.aggregate(
          "percentile_cont(float8," + t + ")",
          (a, r, d) -> new Percentile(a.getLast(), r, d.getFirst(), true));
      b.aggregate(
          "percentile_cont(_float8," + t + ")",
          (a, r, d) -> new Percentile(a.getLast(), r, d.getFirst(), true));
    }
    b.aggregate(
        "percentile_disc(float8,anyelement)",
        (a, r, d) -> new Percentile(a.getLast(), r, d.getFirst(), false));
    b.aggregate(
        "percentile_disc(_float8,anyelement)",
        (a, r, d) -> new Percentile(a.getLast(), r, d.getFirst(), false));
    for (String s : new String[] {"rank", "dense_rank", "percent_rank", "cume_dist"}) {
      b.aggregate(s + "(any)", (a, _, d) -> new Hypothetical(s, a, d));
    }
    b.aggregate("mode(anyelement)", (a, r, _) -> new Mode(a.getLast(), r));
    b.aggregate(
        "median(float8)",
        (a, r, _) -> {
          Vector half =
              Build.constant(SqlType.FLOAT8, 1, o -> ((VectorBuilder.Doubles) o).append(0.5));
          return new Percentile(a.getLast(), r, half, true);
        });
    b.aggregate("approx_distinct(any)", (_, _, _) -> new Distinct());
  }

  /** Values joined; each group's text grows in a sink of its own. */
  static final class Strings extends Agg {
    private final SqlType type;
    private @Nullable ByteSink[] texts = new ByteSink[0];
    private byte[][] firstDelimiters = new byte[0][];

    Strings(SqlType type) {
      this.type = type;
    }

    @Override
    void grow(int capacity) {
      texts = Arrays.copyOf(texts, capacity);
      int old = firstDelimiters.length;
      firstDelimiters = Arrays.copyOf(firstDelimiters, capacity);
      Arrays.fill(firstDelimiters, old, capacity, new byte[0]);
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      var v = (BytesColumn) args.get(0);
      var d = (BytesColumn) args.get(1);
      if (v.isNull(row)) {
        return;
      }
      ByteSink t = texts[g];
      if (t == null) {
        t = new ByteSink(64);
        texts[g] = t;
        firstDelimiters[g] = d.isNull(row) ? new byte[0] : d.bytes(row);
      } else if (!d.isNull(row)) {
        t.putBytes(d.data(row), d.start(row), d.size(row));
      }
      t.putBytes(v.data(row), v.start(row), v.size(row));
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(type, type);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      var d = (VectorBuilder.Bytes) VectorBuilder.of(type, count);
      for (int g = from; g < from + count; g++) {
        d.append(firstDelimiters[g]);
      }
      return List.of(finish(from, count), d.build());
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      accumulate(states, rows, groupIds, c);
    }

    private Vector finish(int from, int count) {
      var out = (VectorBuilder.Bytes) VectorBuilder.of(type, count);
      for (int g = from; g < from + count; g++) {
        ByteSink t = texts[g];
        if (t == null) {
          out.appendNull();
        } else {
          out.append(t.array(), 0, t.position());
        }
      }
      return out.build();
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return finish(from, count);
    }

    @Override
    public void reset(int g) {
      texts[g] = null;
    }

    @Override
    public long byteSize() {
      long n = texts.length * 12L;
      for (ByteSink t : texts) {
        n += t == null ? 0 : 32 + t.array().length;
      }
      return n;
    }
  }

  /** Keeps the values of each group in a builder; NULLs too if asked. */
  abstract static class Values extends Agg {
    final SqlType element;
    private final SqlType stateType;
    private final boolean nulls;
    private final int argument;
    private @Nullable VectorBuilder[] values = new VectorBuilder[0];
    private long bytes;

    Values(SqlType element, boolean nulls, int argument) {
      this.element = element;
      this.stateType = SqlType.arrayOf(element);
      this.nulls = nulls;
      this.argument = argument;
    }

    @Override
    void grow(int capacity) {
      values = Arrays.copyOf(values, capacity);
    }

    private VectorBuilder of(int g) {
      VectorBuilder b = values[g];
      if (b == null) {
        b = VectorBuilder.of(element, 8);
        values[g] = b;
      }
      return b;
    }

    final void put(Vector v, int row, int g) {
      if (!nulls && v.isNull(row)) {
        return;
      }
      of(g).append(v, row);
      bytes += 16 + (v instanceof BytesColumn c && !v.isNull(row) ? c.size(row) : 0);
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      put(args.get(Math.min(argument, args.size() - 1)), row, g);
    }

    /** All values of a group, which keeps them; null if it has none. */
    @Nullable Vector take(int g) {
      VectorBuilder b = values[g];
      if (b == null || b.length() == 0) {
        return null;
      }
      Vector v = b.build();
      b.append(v, 0, v.length());
      return v;
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(stateType);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      var out = (VectorBuilder.ArrayRows) VectorBuilder.of(stateType, count);
      for (int g = from; g < from + count; g++) {
        Vector v = take(g);
        if (v != null) {
          out.elements().append(v, 0, v.length());
        }
        out.endRow(null);
      }
      return List.of(out.build());
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      var a = (ArrayVector) states.getFirst();
      for (int i = 0; i < rows; i++) {
        for (int k = a.start(i); k < a.end(i); k++) {
          put(a.elements(), k, groupIds[i]);
        }
      }
    }

    @Override
    public void reset(int g) {
      values[g] = null;
    }

    @Override
    public long byteSize() {
      return values.length * 4L + bytes;
    }
  }

  static final class Arrayed extends Values {
    private final SqlType result;

    Arrayed(SqlType element, SqlType result) {
      super(element, true, 0);
      this.result = result;
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      var out = (VectorBuilder.ArrayRows) VectorBuilder.of(result, count);
      for (int g = from; g < from + count; g++) {
        Vector v = take(g);
        if (v == null) {
          out.appendNull();
        } else {
          out.elements().append(v, 0, v.length());
          out.endRow(null);
        }
      }
      return out.build();
    }
  }

  /** array_agg of arrays: one more dimension. */
  static final class ArraysOfArrays extends Values {
    private final SqlType result;

    ArraysOfArrays(SqlType result) {
      super(result, true, 0);
      this.result = result;
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(result);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "array_agg of arrays has no partial state");
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      var out = (VectorBuilder.ArrayRows) VectorBuilder.of(result, count);
      for (int g = from; g < from + count; g++) {
        Vector all = take(g);
        if (all == null) {
          out.appendNull();
          continue;
        }
        var a = (ArrayVector) all;
        int[] first = new int[0];
        for (int i = 0; i < a.length(); i++) {
          if (a.isNull(i)) {
            throw new MillraceException(
                ErrorCode.NULL_VALUE_NOT_ALLOWED, "cannot accumulate null arrays");
          }
          int[] s = ArrayKernels.shape(a, i);
          if (s.length == 0) {
            throw new MillraceException(
                ErrorCode.ARRAY_SUBSCRIPT_ERROR, "cannot accumulate empty arrays");
          }
          if (i > 0 && !Arrays.equals(s, first)) {
            throw new MillraceException(
                ErrorCode.ARRAY_SUBSCRIPT_ERROR,
                "cannot accumulate arrays of different dimensionality");
          }
          first = s;
          out.elements().append(a.elements(), a.start(i), a.end(i) - a.start(i));
        }
        int[] shape = new int[first.length + 2];
        shape[0] = a.length();
        shape[1] = 1;
        System.arraycopy(first, 0, shape, 2, first.length);
        out.endRow(shape);
      }
      return out.build();
    }
  }

  static final class JsonArray extends Values {
    private final boolean binary;
    private final ToJson json;

    JsonArray(SqlType element, boolean binary) {
      super(element, true, 0);
      this.binary = binary;
      json = new ToJson(element);
    }

    @Override
    public Vector finish(int from, int count, EvalContext c) {
      var out =
          (VectorBuilder.Bytes) VectorBuilder.of(binary ? SqlType.JSONB : SqlType.JSON, count);
      var text = new ByteSink();
      boolean structured = element.isArray() || element.kind() == TypeKind.RECORD;
      for (int g = from; g < from + count; g++) {
        Vector v = take(g);
        if (v == null) {
          out.appendNull();
          continue;
        }
        text.clear();
        text.put('[');
        for (int i = 0; i < v.length(); i++) {
          if (i > 0) {
            text.putText(structured ? ", \n " : ", ");
          }
          json.write(v, i, text, c);
        }
        text.put(']');
        JsonKernels.append(out, text, binary);
      }
      return out.build();
    }
  }

  /** Keys and values side by side, as a record. */
  static final class JsonObject extends Agg {
    private final boolean binary;
    private final ToJson keys;
    private final ToJson values;
    private @Nullable ByteSink[] texts = new ByteSink[0];

    JsonObject(List<SqlType> types, boolean binary) {
      this.binary = binary;
      keys = new ToJson(types.get(0));
      values = new ToJson(types.get(1));
    }

    @Override
    void grow(int capacity) {
      texts = Arrays.copyOf(texts, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      if (args.get(0).isNull(row)) {
        throw new MillraceException(
            ErrorCode.INVALID_PARAMETER_VALUE, "field name must not be null");
      }
      ByteSink t = texts[g];
      if (t == null) {
        t = new ByteSink(64);
        texts[g] = t;
      } else {
        t.putText(", ");
      }
      keys.writeKey(args.get(0), row, t, context);
      t.putText(" : ");
      values.write(args.get(1), row, t, context);
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.TEXT);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, count);
      for (int g = from; g < from + count; g++) {
        ByteSink t = texts[g];
        if (t == null) {
          out.appendNull();
        } else {
          out.append(t.array(), 0, t.position());
        }
      }
      return List.of(out.build());
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      var v = (BytesColumn) states.getFirst();
      for (int i = 0; i < rows; i++) {
        if (v.isNull(i)) {
          continue;
        }
        ByteSink t = texts[groupIds[i]];
        if (t == null) {
          t = new ByteSink(64);
          texts[groupIds[i]] = t;
        } else {
          t.putText(", ");
        }
        t.putBytes(v.data(i), v.start(i), v.size(i));
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      var out =
          (VectorBuilder.Bytes) VectorBuilder.of(binary ? SqlType.JSONB : SqlType.JSON, count);
      for (int g = from; g < from + count; g++) {
        ByteSink t = texts[g];
        if (t == null) {
          out.appendNull();
          continue;
        }
        var whole = new ByteSink(t.position() + 4);
        whole.putText("{ ");
        whole.putBytes(t.array(), 0, t.position());
        whole.putText(" }");
        JsonKernels.append(out, whole, binary);
      }
      return out.build();
    }

    @Override
    public void reset(int g) {
      texts[g] = null;
    }

    @Override
    public long byteSize() {
      long n = texts.length * 4L;
      for (ByteSink t : texts) {
        n += t == null ? 0 : 32 + t.array().length;
      }
      return n;
    }
  }

  /**
   * The values in order. The caller feeds the rows of an ordered-set aggregate as its ORDER BY
   * says, so values that come sorted, either way, are left as they are; what was put together from
   * partial states is sorted upwards.
   */
  private static int[] order(Vector v) {
    boolean up = true;
    boolean down = true;
    for (int i = 1; i < v.length() && (up || down); i++) {
      int c = v.compare(i - 1, v, i);
      up &= c <= 0;
      down &= c >= 0;
    }
    if (up || down) {
      int[] same = new int[v.length()];
      Arrays.setAll(same, i -> i);
      return same;
    }
    Integer[] at = new Integer[v.length()];
    Arrays.setAll(at, i -> i);
    Arrays.sort(at, (a, b) -> v.compare(a, v, b));
    int[] out = new int[at.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = at[i];
    }
    return out;
  }

  /** percentile_cont and percentile_disc, of one fraction or an array of them. */
  static final class Percentile extends Values {
    private final SqlType result;
    private final Vector fractions;
    private final boolean continuous;

    Percentile(SqlType element, SqlType result, Vector fractions, boolean continuous) {
      super(element, false, 1);
      this.result = result;
      this.fractions = fractions;
      this.continuous = continuous;
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      VectorBuilder out = VectorBuilder.of(result, count);
      for (int g = from; g < from + count; g++) {
        Vector v = take(g);
        if (v == null || fractions.isNull(0)) {
          out.appendNull();
          continue;
        }
        int[] order = order(v);
        if (fractions instanceof ArrayVector many) {
          var rows = (VectorBuilder.ArrayRows) out;
          for (int k = many.start(0); k < many.end(0); k++) {
            if (many.elements().isNull(k)) {
              rows.elements().appendNull();
            } else {
              one(v, order, ((DoubleVector) many.elements()).get(k), rows.elements());
            }
          }
          rows.endRow(many.shape(0));
        } else {
          one(v, order, ((DoubleVector) fractions).get(0), out);
        }
      }
      return out.build();
    }

    private void one(Vector v, int[] order, double p, VectorBuilder out) {
      if (!(p >= 0 && p <= 1)) {
        var text = new ByteSink();
        io.millrace.common.type.io.FloatText.write(p, text, 1);
        throw new MillraceException(
            ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
            "percentile value " + text + " is not between 0 and 1");
      }
      int n = order.length;
      if (!continuous) {
        int k = (int) Math.ceil(p * n);
        out.append(v, order[Math.max(0, k - 1)]);
        return;
      }
      int low = (int) Math.floor(p * (n - 1));
      int high = (int) Math.ceil(p * (n - 1));
      double part = p * (n - 1) - low;
      if (low == high) {
        out.append(v, order[low]);
      } else if (v instanceof DoubleVector d) {
        double a = d.get(order[low]);
        double b = d.get(order[high]);
        ((VectorBuilder.Doubles) out).append(a + part * (b - a));
      } else {
        var i = (IntervalVector) v;
        var spans = (VectorBuilder.Intervals) VectorBuilder.of(SqlType.INTERVAL, 1);
        int a = order[low];
        int b = order[high];
        TimeMath.multiply(
            i.months()[b] - i.months()[a],
            i.days()[b] - i.days()[a],
            i.micros()[b] - i.micros()[a],
            part,
            spans);
        var s = (IntervalVector) spans.build();
        ((VectorBuilder.Intervals) out)
            .append(
                i.months()[a] + s.months()[0],
                i.days()[a] + s.days()[0],
                i.micros()[a] + s.micros()[0]);
      }
    }
  }

  /**
   * The place that a hypothetical row would have. The direction of the order is seen from the rows,
   * which come sorted; rows that all are equal count as going up.
   */
  static final class Hypothetical extends Values {
    private final String what;
    private final RecordVector row;

    Hypothetical(String what, List<SqlType> types, List<Vector> direct) {
      super(recordOf(types.subList(types.size() - direct.size(), types.size())), true, 0);
      this.what = what;
      row = new RecordVector(element, direct, 1, null);
    }

    private static SqlType recordOf(List<SqlType> types) {
      var fields = new ArrayList<SqlType.Field>();
      for (SqlType t : types) {
        fields.add(new SqlType.Field("f" + (fields.size() + 1), t));
      }
      return SqlType.record(fields);
    }

    @Override
    void add(List<Vector> args, int i, int g, EvalContext context) {
      int n = row.children().size();
      put(
          new RecordVector(
              element, args.subList(args.size() - n, args.size()), args.getLast().length(), null),
          i,
          g);
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      boolean whole = what.equals("rank") || what.equals("dense_rank");
      VectorBuilder out = VectorBuilder.of(whole ? SqlType.INT8 : SqlType.FLOAT8, count);
      for (int g = from; g < from + count; g++) {
        Vector v = take(g);
        int n = v == null ? 0 : v.length();
        int less = 0;
        int equal = 0;
        int distinct = 0;
        if (v != null) {
          int[] order = order(v);
          int sign = v.compare(order[0], v, order[n - 1]) > 0 ? -1 : 1;
          for (int k = 0; k < n; k++) {
            int c = sign * v.compare(order[k], row, 0);
            less += c < 0 ? 1 : 0;
            equal += c == 0 ? 1 : 0;
            distinct += c < 0 && (k == 0 || v.compare(order[k], v, order[k - 1]) != 0) ? 1 : 0;
          }
        }
        switch (what) {
          case "rank" -> ((VectorBuilder.Longs) out).append(less + 1L);
          case "dense_rank" -> ((VectorBuilder.Longs) out).append(distinct + 1L);
          case "percent_rank" ->
              ((VectorBuilder.Doubles) out).append(n == 0 ? 0 : less / (double) n);
          default -> ((VectorBuilder.Doubles) out).append((less + equal + 1) / (n + 1.0));
        }
      }
      return out.build();
    }
  }

  /** The most frequent value, the least of them if there are several. */
  static final class Mode extends Values {
    private final SqlType result;

    Mode(SqlType element, SqlType result) {
      super(element, false, 0);
      this.result = result;
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      VectorBuilder out = VectorBuilder.of(result, count);
      for (int g = from; g < from + count; g++) {
        Vector v = take(g);
        if (v == null) {
          out.appendNull();
          continue;
        }
        int[] order = order(v);
        int best = 0;
        int bestCount = 0;
        for (int i = 0; i < order.length; ) {
          int k = i;
          while (k < order.length && v.compare(order[k], v, order[i]) == 0) {
            k++;
          }
          if (k - i > bestCount) {
            bestCount = k - i;
            best = order[i];
          }
          i = k;
        }
        out.append(v, best);
      }
      return out.build();
    }
  }

  /**
   * HyperLogLog with 2^11 registers (standard error 2.3 %); linear counting while most registers
   * are empty.
   */
  static final class Distinct extends Agg {
    private static final int BITS = 11;
    private static final int SIZE = 1 << BITS;
    private final List<byte[]> registers = new ArrayList<>();

    @Override
    void grow(int capacity) {
      while (registers.size() < capacity) {
        registers.add(new byte[0]);
      }
    }

    private byte[] of(int g) {
      byte[] r = registers.get(g);
      if (r.length == 0) {
        r = new byte[SIZE];
        registers.set(g, r);
      }
      return r;
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      Vector v = args.getFirst();
      if (v.isNull(row)) {
        return;
      }
      long h = v.hash(row) * 0x9E3779B97F4A7C15L;
      h ^= h >>> 29;
      byte[] r = of(g);
      int at = (int) (h >>> (64 - BITS));
      byte rank = (byte) (Long.numberOfLeadingZeros(h << BITS | 1L << (BITS - 1)) + 1);
      if (r[at] < rank) {
        r[at] = rank;
      }
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.BYTEA);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.BYTEA, count);
      for (int g = from; g < from + count; g++) {
        out.append(registers.get(g));
      }
      return List.of(out.build());
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      var v = (BytesColumn) states.getFirst();
      for (int i = 0; i < rows; i++) {
        if (v.isNull(i) || v.size(i) != SIZE) {
          continue;
        }
        byte[] r = of(groupIds[i]);
        for (int k = 0; k < SIZE; k++) {
          r[k] = (byte) Math.max(r[k], v.data(i)[v.start(i) + k]);
        }
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return Build.longs(SqlType.INT8, List.of(), count, i -> estimate(registers.get(from + i)));
    }

    private static long estimate(byte[] r) {
      if (r.length == 0) {
        return 0;
      }
      double sum = 0;
      int zeros = 0;
      for (byte x : r) {
        sum += 1.0 / (1L << x);
        zeros += x == 0 ? 1 : 0;
      }
      double e = 0.7213 / (1 + 1.079 / SIZE) * SIZE * SIZE / sum;
      return Math.round(e <= 2.5 * SIZE && zeros > 0 ? SIZE * Math.log((double) SIZE / zeros) : e);
    }

    @Override
    public void reset(int g) {
      registers.set(g, new byte[0]);
    }

    @Override
    public long byteSize() {
      long n = 0;
      for (byte[] r : registers) {
        n += 20 + r.length;
      }
      return n;
    }
  }
}
