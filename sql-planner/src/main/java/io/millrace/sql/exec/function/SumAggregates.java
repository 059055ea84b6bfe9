package io.millrace.sql.exec.function;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** count, sum, avg, bool_and/or, bit_and/or/xor. */
final class SumAggregates {
  private SumAggregates() {}

  static void register(FunctionRegistry.Builder b) {
    b.aggregate("count()", (_, _, _) -> new Count(false));
    b.aggregate("count(any)", (_, _, _) -> new Count(true));
    b.aggregate("sum(int2)", (_, _, _) -> new LongSum());
    b.aggregate("sum(int4)", (_, _, _) -> new LongSum());
    b.aggregate("sum(int8)", (_, _, _) -> new NumericSum(false));
    b.aggregate("sum(numeric)", (_, _, _) -> new NumericSum(false));
    for (String t : new String[] {"int2", "int4", "int8", "numeric"}) {
      b.aggregate("avg(" + t + ")", (_, _, _) -> new NumericSum(true));
    }
    b.aggregate("sum(float4)", (_, _, _) -> new DoubleSum(SqlType.FLOAT4, false));
    b.aggregate("sum(float8)", (_, _, _) -> new DoubleSum(SqlType.FLOAT8, false));
    b.aggregate("avg(float4)", (_, _, _) -> new DoubleSum(SqlType.FLOAT8, true));
    b.aggregate("avg(float8)", (_, _, _) -> new DoubleSum(SqlType.FLOAT8, true));
    b.aggregate("sum(interval)", (_, _, _) -> new IntervalSum(false));
    b.aggregate("avg(interval)", (_, _, _) -> new IntervalSum(true));
    b.aggregate("bool_and(bool)", (_, _, _) -> new Booleans(true));
    b.aggregate("every(bool)", (_, _, _) -> new Booleans(true));
    b.aggregate("bool_or(bool)", (_, _, _) -> new Booleans(false));
    for (String t : new String[] {"int2", "int4", "int8"}) {
      for (char op : new char[] {'&', '|', '#'}) {
        String name = op == '&' ? "bit_and" : op == '|' ? "bit_or" : "bit_xor";
        b.aggregate(name + "(" + t + ")", (_, r, _) -> new BitSums(op, r));
      }
    }
  }

  static final class Count extends Agg {
    private final boolean values;
    private long[] counts = new long[0];

    Count(boolean values) {
      this.values = values;
    }

    @Override
    void grow(int capacity) {
      counts = Arrays.copyOf(counts, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      if (!values || !args.getFirst().isNull(row)) {
        counts[group]++;
      }
    }

    @Override
    public void accumulate(List<Vector> args, int rows, int[] groupIds, EvalContext context) {
      if (values && args.getFirst().mayHaveNulls()) {
        super.accumulate(args, rows, groupIds, context);
        return;
      }
      for (int i = 0; i < rows; i++) {
        counts[groupIds[i]]++;
      }
    }

    private long present(List<Vector> args, int from, int to) {
      if (!values || !args.getFirst().mayHaveNulls()) {
        return (long) to - from;
      }
      Vector v = args.getFirst();
      long n = 0;
      for (int i = from; i < to; i++) {
        n += v.isNull(i) ? 0 : 1;
      }
      return n;
    }

    @Override
    public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext c) {
      counts[group] += present(args, from, to);
    }

    @Override
    public boolean retractable() {
      return true;
    }

    @Override
    public void retract(List<Vector> args, int from, int to, int group, EvalContext c) {
      counts[group] -= present(args, from, to);
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.INT8);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(result(from, count));
    }

    private Vector result(int from, int count) {
      return new LongVector(
          SqlType.INT8, Arrays.copyOfRange(counts, from, from + count), count, null);
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      long[] in = Args.longs(states, 0);
      for (int i = 0; i < rows; i++) {
        counts[groupIds[i]] += in[i];
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return result(from, count);
    }

    @Override
    public void reset(int group) {
      counts[group] = 0;
    }

    @Override
    public long byteSize() {
      return counts.length * 8L;
    }
  }

  /** sum of int2 and int4 in 64 bits. */
  static final class LongSum extends Agg {
    private long[] sums = new long[0];
    private long[] counts = new long[0];

    @Override
    void grow(int capacity) {
      sums = Arrays.copyOf(sums, capacity);
      counts = Arrays.copyOf(counts, capacity);
    }

    private void plus(int group, long v, long n) {
      long s = sums[group];
      long r = s + v;
      if (((s ^ r) & (v ^ r)) < 0) {
        throw Errors.outOfRange("bigint");
      }
      sums[group] = r;
      counts[group] += n;
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      Vector v = args.getFirst();
      if (!v.isNull(row)) {
        plus(group, ((IntVector) v).get(row), 1);
      }
    }

    @Override
    public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext c) {
      Vector v = args.getFirst();
      int[] in = ((IntVector) v).values();
      long s = 0;
      long n = (long) to - from;
      if (!v.mayHaveNulls()) {
        for (int i = from; i < to; i++) {
          s += in[i];
        }
      } else {
        n = 0;
        for (int i = from; i < to; i++) {
          if (!v.isNull(i)) {
            s += in[i];
            n++;
          }
        }
      }
      plus(group, s, n);
    }

    @Override
    public boolean retractable() {
      return true;
    }

    @Override
    public void retract(List<Vector> args, int from, int to, int group, EvalContext c) {
      Vector v = args.getFirst();
      for (int i = from; i < to; i++) {
        if (!v.isNull(i)) {
          sums[group] -= ((IntVector) v).get(i);
          counts[group]--;
        }
      }
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.INT8, SqlType.INT8);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(
          new LongVector(SqlType.INT8, Arrays.copyOfRange(sums, from, from + count), count, null),
          new LongVector(
              SqlType.INT8, Arrays.copyOfRange(counts, from, from + count), count, null));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      long[] s = Args.longs(states, 0);
      long[] n = Args.longs(states, 1);
      for (int i = 0; i < rows; i++) {
        plus(groupIds[i], s[i], n[i]);
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return new LongVector(
          SqlType.INT8,
          Arrays.copyOfRange(sums, from, from + count),
          count,
          present(counts, from, count));
    }

    @Override
    public void reset(int group) {
      sums[group] = 0;
      counts[group] = 0;
    }

    @Override
    public long byteSize() {
      return sums.length * 16L;
    }
  }

  /** Validity of results of groups that saw no value. */
  static long @Nullable [] present(long[] counts, int from, int count) {
    long[] validity = null;
    for (int i = 0; i < count; i++) {
      if (counts[from + i] == 0) {
        if (validity == null) {
          validity = Bits.allSet(count);
        }
        Bits.clear(validity, i);
      }
    }
    return validity;
  }

  /** sum and avg of float4 and float8; runs go into eight accumulators. */
  static final class DoubleSum extends Agg {
    private final SqlType result;
    private final boolean average;
    private double[] sums = new double[0];
    private long[] counts = new long[0];

    DoubleSum(SqlType result, boolean average) {
      this.result = result;
      this.average = average;
    }

    @Override
    void grow(int capacity) {
      sums = Arrays.copyOf(sums, capacity);
      counts = Arrays.copyOf(counts, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      Vector v = args.getFirst();
      if (!v.isNull(row)) {
        double x = v instanceof DoubleVector d ? d.get(row) : ((FloatVector) v).get(row);
        sums[group] = plus(sums[group], x);
        counts[group]++;
      }
    }

    /** Finite values whose sum is not are an error, as in PostgreSQL; infinite ones go on. */
    private static double plus(double sum, double x) {
      double out = sum + x;
      if (Math.abs(out) > Double.MAX_VALUE && Double.isFinite(sum) && Double.isFinite(x)) {
        throw overflow();
      }
      return out;
    }

    private static MillraceException overflow() {
      return new MillraceException(
          ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow");
    }

    @Override
    public void accumulate(List<Vector> args, int rows, int[] groupIds, EvalContext context) {
      Vector v = args.getFirst();
      if (v.mayHaveNulls() || !(v instanceof DoubleVector d)) {
        super.accumulate(args, rows, groupIds, context);
        return;
      }
      double[] in = d.values();
      for (int i = 0; i < rows; i++) {
        int g = groupIds[i];
        sums[g] = plus(sums[g], in[i]);
        counts[g]++;
      }
    }

    @Override
    public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext c) {
      Vector v = args.getFirst();
      if (v.mayHaveNulls() || !(v instanceof DoubleVector d)) {
        super.accumulateRun(args, from, to, group, c);
        return;
      }
      double[] in = d.values();
      double s0 = 0;
      double s1 = 0;
      double s2 = 0;
      double s3 = 0;
      double s4 = 0;
      double s5 = 0;
      double s6 = 0;
      double s7 = 0;
      int i = from;
      for (; i + 8 <= to; i += 8) {
        s0 += in[i];
        s1 += in[i + 1];
        s2 += in[i + 2];
        s3 += in[i + 3];
        s4 += in[i + 4];
        s5 += in[i + 5];
        s6 += in[i + 6];
        s7 += in[i + 7];
      }
      double s = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
      for (; i < to; i++) {
        s += in[i];
      }
      double before = sums[group];
      double after = before + s;
      if (Math.abs(after) > Double.MAX_VALUE && Double.isFinite(before)) {
        requireInfinite(in, from, to);
      }
      sums[group] = after;
      counts[group] += to - from;
    }

    /** A run whose sum is infinite has an infinite value, or it is an overflow. */
    private static void requireInfinite(double[] in, int from, int to) {
      for (int i = from; i < to; i++) {
        if (Double.isInfinite(in[i])) {
          return;
        }
      }
      throw overflow();
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.FLOAT8, SqlType.INT8);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(
          new DoubleVector(
              SqlType.FLOAT8, Arrays.copyOfRange(sums, from, from + count), count, null),
          new LongVector(
              SqlType.INT8, Arrays.copyOfRange(counts, from, from + count), count, null));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      double[] s = Args.doubles(states, 0);
      long[] n = Args.longs(states, 1);
      for (int i = 0; i < rows; i++) {
        sums[groupIds[i]] = plus(sums[groupIds[i]], s[i]);
        counts[groupIds[i]] += n[i];
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      long[] validity = present(counts, from, count);
      double[] out = new double[count];
      for (int i = 0; i < count; i++) {
        out[i] = average ? sums[from + i] / counts[from + i] : sums[from + i];
      }
      if (result.kind() == TypeKind.FLOAT8) {
        return new DoubleVector(SqlType.FLOAT8, out, count, validity);
      }
      float[] single = new float[count];
      for (int i = 0; i < count; i++) {
        single[i] = (float) out[i];
      }
      return new FloatVector(SqlType.FLOAT4, single, count, validity);
    }

    @Override
    public void reset(int group) {
      sums[group] = 0;
      counts[group] = 0;
    }

    @Override
    public long byteSize() {
      return sums.length * 16L;
    }
  }

  /** Exact sums: a long at one scale per group while that fits, else a BigDecimal. */
  static final class NumericSum extends Agg {
    private final boolean average;
    private long[] unscaled = new long[0];
    private byte[] scales = new byte[0];
    private @Nullable BigDecimal[] big = new BigDecimal[0];
    private byte[] special = new byte[0];
    private long[] counts = new long[0];

    NumericSum(boolean average) {
      this.average = average;
    }

    @Override
    void grow(int capacity) {
      unscaled = Arrays.copyOf(unscaled, capacity);
      scales = Arrays.copyOf(scales, capacity);
      big = Arrays.copyOf(big, capacity);
      special = Arrays.copyOf(special, capacity);
      counts = Arrays.copyOf(counts, capacity);
    }

    private void plus(int g, long v, int scale) {
      if (big[g] == null && (scale == scales[g] || counts[g] == 0)) {
        long s = unscaled[g];
        long r = s + v;
        if (((s ^ r) & (v ^ r)) >= 0) {
          unscaled[g] = r;
          scales[g] = (byte) scale;
          return;
        }
      }
      plus(g, BigDecimal.valueOf(v, scale));
    }

    private void plus(int g, BigDecimal v) {
      BigDecimal b = big[g];
      BigDecimal r = (b == null ? BigDecimal.valueOf(unscaled[g], scales[g]) : b).add(v);
      if (r.scale() <= 127 && r.unscaledValue().bitLength() < 63) {
        big[g] = null;
        unscaled[g] = r.unscaledValue().longValue();
        scales[g] = (byte) r.scale();
      } else {
        big[g] = r;
      }
    }

    private void mark(int g, byte s) {
      special[g] = special[g] == NumericVector.FINITE || special[g] == s ? s : NumericVector.NAN;
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      addOne(args.getFirst(), row, g, 1);
    }

    private void addOne(Vector v, int row, int g, long count) {
      if (v.isNull(row)) {
        return;
      }
      switch (v) {
        case IntVector x -> plus(g, x.get(row), 0);
        case LongVector x -> plus(g, x.get(row), 0);
        case NumericVector x -> {
          BigDecimal b = x.big(row);
          if (x.special(row) != NumericVector.FINITE) {
            mark(g, x.special(row));
          } else if (b != null) {
            plus(g, b);
          } else {
            plus(g, x.unscaled()[row], x.scale(row));
          }
        }
        default -> throw new IllegalStateException("layout");
      }
      counts[g] += count;
    }

    @Override
    public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext c) {
      Vector v = args.getFirst();
      if (!v.mayHaveNulls() && v instanceof IntVector x) {
        int[] in = x.values();
        long s = 0;
        for (int i = from; i < to; i++) {
          s += in[i];
        }
        plus(group, s, 0);
        counts[group] += to - from;
        return;
      }
      super.accumulateRun(args, from, to, group, c);
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.NUMERIC, SqlType.INT8);
    }

    private Vector sums(int from, int count) {
      var out = (VectorBuilder.Numerics) VectorBuilder.of(SqlType.NUMERIC, count);
      for (int g = from; g < from + count; g++) {
        appendSum(out, g);
      }
      return out.build();
    }

    private void appendSum(VectorBuilder.Numerics out, int g) {
      BigDecimal b = big[g];
      if (counts[g] == 0) {
        out.appendNull();
      } else if (special[g] != NumericVector.FINITE) {
        out.appendSpecial(special[g]);
      } else if (b != null) {
        out.append(b);
      } else {
        out.append(unscaled[g], scales[g]);
      }
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(
          sums(from, count),
          new LongVector(
              SqlType.INT8, Arrays.copyOfRange(counts, from, from + count), count, null));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      long[] n = Args.longs(states, 1);
      for (int i = 0; i < rows; i++) {
        addOne(states.getFirst(), i, groupIds[i], n[i]);
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      if (!average) {
        return sums(from, count);
      }
      var out = (VectorBuilder.Numerics) VectorBuilder.of(SqlType.NUMERIC, count);
      for (int g = from; g < from + count; g++) {
        if (counts[g] == 0 || special[g] != NumericVector.FINITE) {
          appendSum(out, g);
        } else {
          BigDecimal b = big[g];
          BigDecimal sum = b == null ? BigDecimal.valueOf(unscaled[g], scales[g]) : b;
          out.append(Decimals.divide(sum, BigDecimal.valueOf(counts[g])));
        }
      }
      return out.build();
    }

    @Override
    public void reset(int g) {
      unscaled[g] = 0;
      scales[g] = 0;
      big[g] = null;
      special[g] = 0;
      counts[g] = 0;
    }

    @Override
    public long byteSize() {
      return counts.length * 22L;
    }
  }

  static final class IntervalSum extends Agg {
    private final boolean average;
    private long[] months = new long[0];
    private long[] days = new long[0];
    private long[] micros = new long[0];
    private long[] counts = new long[0];

    IntervalSum(boolean average) {
      this.average = average;
    }

    @Override
    void grow(int capacity) {
      months = Arrays.copyOf(months, capacity);
      days = Arrays.copyOf(days, capacity);
      micros = Arrays.copyOf(micros, capacity);
      counts = Arrays.copyOf(counts, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      var v = (IntervalVector) args.getFirst();
      if (!v.isNull(row)) {
        plus(v, row, g, 1);
      }
    }

    private void plus(IntervalVector v, int row, int g, long n) {
      months[g] += v.months()[row];
      days[g] += v.days()[row];
      long s = micros[g];
      long x = v.micros()[row];
      long r = s + x;
      if (((s ^ r) & (x ^ r)) < 0) {
        throw Errors.datetimeOutOfRange("interval");
      }
      micros[g] = r;
      counts[g] += n;
    }

    private void append(VectorBuilder.Intervals out, long m, long d, long u) {
      if (m != (int) m || d != (int) d) {
        throw Errors.datetimeOutOfRange("interval");
      }
      out.append((int) m, (int) d, u);
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.INTERVAL, SqlType.INT8);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      var out = (VectorBuilder.Intervals) VectorBuilder.of(SqlType.INTERVAL, count);
      for (int g = from; g < from + count; g++) {
        append(out, months[g], days[g], micros[g]);
      }
      return List.of(
          out.build(),
          new LongVector(
              SqlType.INT8, Arrays.copyOfRange(counts, from, from + count), count, null));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      long[] n = Args.longs(states, 1);
      for (int i = 0; i < rows; i++) {
        plus((IntervalVector) states.getFirst(), i, groupIds[i], n[i]);
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      var out = (VectorBuilder.Intervals) VectorBuilder.of(SqlType.INTERVAL, count);
      for (int g = from; g < from + count; g++) {
        if (counts[g] == 0) {
          out.appendNull();
        } else if (!average) {
          append(out, months[g], days[g], micros[g]);
        } else {
          TimeMath.divide(months[g], days[g], micros[g], counts[g], out);
        }
      }
      return out.build();
    }

    @Override
    public void reset(int g) {
      months[g] = 0;
      days[g] = 0;
      micros[g] = 0;
      counts[g] = 0;
    }

    @Override
    public long byteSize() {
      return counts.length * 32L;
    }
  }

  /** bool_and and bool_or: 0 nothing yet, 1 false, 2 true. */
  static final class Booleans extends Agg {
    private final boolean and;
    private byte[] states = new byte[0];

    Booleans(boolean and) {
      this.and = and;
    }

    @Override
    void grow(int capacity) {
      states = Arrays.copyOf(states, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      Vector v = args.getFirst();
      if (v.isNull(row)) {
        return;
      }
      boolean x = ((BoolVector) v).get(row);
      boolean old = states[g] == 0 ? and : states[g] == 2;
      states[g] = (byte) ((and ? old & x : old | x) ? 2 : 1);
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.BOOL);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(result(from, count));
    }

    private Vector result(int from, int count) {
      var out = (VectorBuilder.Bools) VectorBuilder.of(SqlType.BOOL, count);
      for (int g = from; g < from + count; g++) {
        if (states[g] == 0) {
          out.appendNull();
        } else {
          out.append(states[g] == 2);
        }
      }
      return out.build();
    }

    @Override
    public void mergePartial(List<Vector> in, int rows, int[] groupIds, EvalContext c) {
      accumulate(in, rows, groupIds, c);
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return result(from, count);
    }

    @Override
    public void reset(int g) {
      states[g] = 0;
    }

    @Override
    public long byteSize() {
      return states.length;
    }
  }

  static final class BitSums extends Agg {
    private final char op;
    private final SqlType type;
    private long[] values = new long[0];
    private long[] counts = new long[0];

    BitSums(char op, SqlType type) {
      this.op = op;
      this.type = type;
    }

    @Override
    void grow(int capacity) {
      values = Arrays.copyOf(values, capacity);
      counts = Arrays.copyOf(counts, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int g, EvalContext context) {
      Vector v = args.getFirst();
      if (v.isNull(row)) {
        return;
      }
      long x = v instanceof LongVector l ? l.get(row) : ((IntVector) v).get(row);
      values[g] =
          counts[g] == 0
              ? x
              : switch (op) {
                case '&' -> values[g] & x;
                case '|' -> values[g] | x;
                default -> values[g] ^ x;
              };
      counts[g]++;
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(type);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(result(from, count));
    }

    private Vector result(int from, int count) {
      long[] validity = present(counts, from, count);
      long[] out = Arrays.copyOfRange(values, from, from + count);
      if (type.layout() == Layout.LONG) {
        return new LongVector(type, out, count, validity);
      }
      int[] narrow = new int[count];
      for (int i = 0; i < count; i++) {
        narrow[i] = (int) out[i];
      }
      return new IntVector(type, narrow, count, validity);
    }

    @Override
    public void mergePartial(List<Vector> in, int rows, int[] groupIds, EvalContext c) {
      accumulate(in, rows, groupIds, c);
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return result(from, count);
    }

    @Override
    public void reset(int g) {
      values[g] = 0;
      counts[g] = 0;
    }

    @Override
    public long byteSize() {
      return values.length * 16L;
    }
  }
}
