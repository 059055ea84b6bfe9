package io.millrace.sql.exec.function;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.List;

/** Aggregates that keep one of their values: min, max, first, last, argmin, argmax. */
final class ChoiceAggregates {
  private ChoiceAggregates() {}

  static void register(FunctionRegistry.Builder b) {
    String[] types = {
      "int2",
      "int4",
      "int8",
      "float4",
      "float8",
      "numeric",
      "text",
      "bpchar",
      "date",
      "time",
      "timetz",
      "timestamp",
      "timestamptz",
      "timestamp_ns",
      "interval",
      "oid",
      "anyarray",
      "anyenum",
      "bool",
      "uuid",
      "bytea",
      "name"
    };
    for (String t : types) {
      b.aggregate("min(" + t + ")", (_, r, _) -> new MinMax(r, false));
      b.aggregate("max(" + t + ")", (_, r, _) -> new MinMax(r, true));
    }
    for (String s : new String[] {"first", "first_value"}) {
      b.aggregate(s + "(anyelement)", (_, r, _) -> new Edge(r, false));
      b.aggregate(s + "(anyelement,any)", (t, r, _) -> new By(r, t.get(1), false, false));
    }
    for (String s : new String[] {"last", "last_value"}) {
      b.aggregate(s + "(anyelement)", (_, r, _) -> new Edge(r, true));
      b.aggregate(s + "(anyelement,any)", (t, r, _) -> new By(r, t.get(1), true, true));
    }
    b.aggregate("argmin(anyelement,any)", (t, r, _) -> new By(r, t.get(1), false, false));
    b.aggregate("argmax(anyelement,any)", (t, r, _) -> new By(r, t.get(1), true, false));
  }

  /** min and max; runs of doubles, longs and ints are reduced in registers first. */
  static final class MinMax extends Agg {
    private final boolean max;
    private final Cells cells;

    MinMax(SqlType type, boolean max) {
      this.max = max;
      cells = new Cells(type);
    }

    @Override
    void grow(int capacity) {
      cells.grow(capacity);
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      Vector v = args.getFirst();
      if (v.isNull(row)) {
        return;
      }
      if (cells.empty(group)) {
        cells.set(group, v, row);
      } else {
        int c = cells.compare(group, v, row);
        if (max ? c < 0 : c > 0) {
          cells.set(group, v, row);
        }
      }
    }

    @Override
    public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext c) {
      Vector v = args.getFirst();
      if (v.mayHaveNulls() || to - from < 4) {
        super.accumulateRun(args, from, to, group, c);
        return;
      }
      int best = -1;
      switch (v) {
        case LongVector x -> {
          long[] in = x.values();
          long m = in[from];
          if (max) {
            for (int i = from; i < to; i++) {
              m = Math.max(m, in[i]);
            }
          } else {
            for (int i = from; i < to; i++) {
              m = Math.min(m, in[i]);
            }
          }
          best = from;
          while (in[best] != m) {
            best++;
          }
        }
        case IntVector x when !x.type().kind().isOid() -> {
          int[] in = x.values();
          int m = in[from];
          if (max) {
            for (int i = from; i < to; i++) {
              m = Math.max(m, in[i]);
            }
          } else {
            for (int i = from; i < to; i++) {
              m = Math.min(m, in[i]);
            }
          }
          best = from;
          while (in[best] != m) {
            best++;
          }
        }
        case DoubleVector x -> {
          double[] in = x.values();
          double m = in[from];
          if (max) {
            for (int i = from; i < to; i++) {
              m = Math.max(m, in[i]);
            }
          } else {
            for (int i = from; i < to; i++) {
              m = Math.min(m, in[i]);
            }
          }
          if (!Double.isNaN(m)) {
            best = from;
            while (in[best] != m) {
              best++;
            }
          }
        }
        default -> {}
      }
      if (best < 0) {
        super.accumulateRun(args, from, to, group, c);
      } else {
        add(args, best, group, c);
      }
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(cells.type());
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(cells.build(from, count));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      accumulate(states, rows, groupIds, c);
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return cells.build(from, count);
    }

    @Override
    public void reset(int group) {
      cells.clear(group);
    }

    @Override
    public long byteSize() {
      return cells.byteSize();
    }
  }

  /** The first or last row in the order of the input. */
  static final class Edge extends Agg {
    private final boolean last;
    private final Cells cells;

    Edge(SqlType type, boolean last) {
      this.last = last;
      cells = new Cells(type);
    }

    @Override
    void grow(int capacity) {
      cells.grow(capacity);
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      if (last || cells.empty(group)) {
        cells.set(group, args.getFirst(), row);
      }
    }

    @Override
    public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext c) {
      if (to > from) {
        add(args, last ? to - 1 : from, group, c);
      }
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(cells.type(), SqlType.BOOL);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      boolean[] seen = new boolean[count];
      for (int i = 0; i < count; i++) {
        seen[i] = !cells.empty(from + i);
      }
      return List.of(
          cells.build(from, count),
          new io.millrace.common.batch.BoolVector(SqlType.BOOL, seen, count, null));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      boolean[] seen = Args.bools(states, 1);
      for (int i = 0; i < rows; i++) {
        if (seen[i]) {
          add(states, i, groupIds[i], c);
        }
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return cells.build(from, count);
    }

    @Override
    public void reset(int group) {
      cells.clear(group);
    }

    @Override
    public long byteSize() {
      return cells.byteSize();
    }
  }

  /** The value of the row whose second argument is least or greatest; NULL orders are left out. */
  static final class By extends Agg {
    private final boolean greatest;
    private final boolean laterWins;
    private final Cells values;
    private final Cells orders;

    By(SqlType value, SqlType order, boolean greatest, boolean laterWins) {
      this.greatest = greatest;
      this.laterWins = laterWins;
      values = new Cells(value);
      orders = new Cells(order);
    }

    @Override
    void grow(int capacity) {
      values.grow(capacity);
      orders.grow(capacity);
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      Vector order = args.get(1);
      if (order.isNull(row)) {
        return;
      }
      if (!orders.empty(group)) {
        int c = orders.compare(group, order, row);
        boolean better = greatest ? c < 0 || (c == 0 && laterWins) : c > 0;
        if (!better) {
          return;
        }
      }
      orders.set(group, order, row);
      values.set(group, args.get(0), row);
    }

    @Override
    public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext c) {
      Vector order = args.get(1);
      if (order.mayHaveNulls() || !(order instanceof LongVector times) || to == from) {
        super.accumulateRun(args, from, to, group, c);
        return;
      }
      long[] t = times.values();
      int best = from;
      for (int i = from + 1; i < to; i++) {
        if (greatest ? (laterWins ? t[i] >= t[best] : t[i] > t[best]) : t[i] < t[best]) {
          best = i;
        }
      }
      add(args, best, group, c);
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(values.type(), orders.type());
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(values.build(from, count), orders.build(from, count));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext c) {
      accumulate(states, rows, groupIds, c);
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return values.build(from, count);
    }

    @Override
    public void reset(int group) {
      values.clear(group);
      orders.clear(group);
    }

    @Override
    public long byteSize() {
      return values.byteSize() + orders.byteSize();
    }
  }
}
