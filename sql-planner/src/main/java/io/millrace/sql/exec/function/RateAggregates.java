package io.millrace.sql.exec.function;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.Arrays;
import java.util.List;

/**
 * How a series of samples changes: delta, increase and rate of (value, time), which are fed in
 * order of time.
 *
 * <p>delta is the last value less the first. increase takes the value for a counter, which only
 * falls when it starts again from zero: it adds up the steps upward, and what was counted since
 * each new start. rate is the increase per second between the first sample and the last. All are
 * NULL without two samples; samples with NULL are left out.
 */
final class RateAggregates {
  private RateAggregates() {}

  static void register(FunctionRegistry.Builder b) {
    for (String t : List.of("timestamp", "timestamptz", "timestamp_ns")) {
      for (Kind k : Kind.values()) {
        b.aggregate(
            k.name().toLowerCase(java.util.Locale.ROOT) + "(float8," + t + ")",
            (types, _, _) -> new Samples(k, types.get(1)));
      }
    }
  }

  private enum Kind {
    DELTA,
    INCREASE,
    RATE
  }

  /** First and last sample, and the increase between them. */
  private static final class Samples extends Agg {
    private static final List<SqlType> STATE =
        List.of(
            SqlType.INT8,
            SqlType.INT8,
            SqlType.FLOAT8,
            SqlType.INT8,
            SqlType.FLOAT8,
            SqlType.FLOAT8);
    private final Kind kind;
    private final double perSecond;
    private long[] counts = new long[0];
    private long[] firstTimes = new long[0];
    private double[] firsts = new double[0];
    private long[] lastTimes = new long[0];
    private double[] lasts = new double[0];
    private double[] increases = new double[0];

    Samples(Kind kind, SqlType time) {
      this.kind = kind;
      perSecond = time.kind() == TypeKind.TIMESTAMP_NS ? 1e9 : 1e6;
    }

    @Override
    void grow(int capacity) {
      counts = Arrays.copyOf(counts, capacity);
      firstTimes = Arrays.copyOf(firstTimes, capacity);
      firsts = Arrays.copyOf(firsts, capacity);
      lastTimes = Arrays.copyOf(lastTimes, capacity);
      lasts = Arrays.copyOf(lasts, capacity);
      increases = Arrays.copyOf(increases, capacity);
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      Vector value = args.get(0);
      Vector time = args.get(1);
      if (value.isNull(row) || time.isNull(row)) {
        return;
      }
      double v = ((DoubleVector) value).get(row);
      long t = ((LongVector) time).get(row);
      follow(group, 1, t, v, t, v, 0);
    }

    /** Samples that come behind those of the group. */
    private void follow(
        int g, long count, long firstTime, double first, long lastTime, double last, double inc) {
      if (counts[g] == 0) {
        firstTimes[g] = firstTime;
        firsts[g] = first;
        increases[g] = inc;
      } else {
        increases[g] += inc + (first < lasts[g] ? first : first - lasts[g]);
      }
      counts[g] += count;
      lastTimes[g] = lastTime;
      lasts[g] = last;
    }

    @Override
    public List<SqlType> stateTypes() {
      return STATE;
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(
          longs(counts, from, count),
          longs(firstTimes, from, count),
          doubles(firsts, from, count),
          longs(lastTimes, from, count),
          doubles(lasts, from, count),
          doubles(increases, from, count));
    }

    private static Vector longs(long[] a, int from, int count) {
      return new LongVector(SqlType.INT8, Arrays.copyOfRange(a, from, from + count), count, null);
    }

    private static Vector doubles(double[] a, int from, int count) {
      return new DoubleVector(
          SqlType.FLOAT8, Arrays.copyOfRange(a, from, from + count), count, null);
    }

    /** States are merged in order of time, too. */
    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      var n = (LongVector) states.get(0);
      var firstTime = (LongVector) states.get(1);
      var first = (DoubleVector) states.get(2);
      var lastTime = (LongVector) states.get(3);
      var last = (DoubleVector) states.get(4);
      var inc = (DoubleVector) states.get(5);
      for (int i = 0; i < rows; i++) {
        if (n.get(i) > 0) {
          follow(
              groupIds[i],
              n.get(i),
              firstTime.get(i),
              first.get(i),
              lastTime.get(i),
              last.get(i),
              inc.get(i));
        }
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      double[] out = new double[count];
      long[] valid = Bits.allSet(count);
      for (int i = 0; i < count; i++) {
        int g = from + i;
        double seconds = ((double) lastTimes[g] - firstTimes[g]) / perSecond;
        if (counts[g] < 2 || (kind == Kind.RATE && !(seconds > 0))) {
          Bits.clear(valid, i);
          continue;
        }
        out[i] =
            switch (kind) {
              case DELTA -> lasts[g] - firsts[g];
              case INCREASE -> increases[g];
              case RATE -> increases[g] / seconds;
            };
      }
      return new DoubleVector(SqlType.FLOAT8, out, count, valid);
    }

    @Override
    public void reset(int group) {
      counts[group] = 0;
    }

    @Override
    public long byteSize() {
      return counts.length * 48L;
    }
  }
}
