package io.millrace.sql.exec.driver;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.function.AggregateKernel;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.exec.function.WindowKernel;
import java.util.Arrays;
import java.util.List;

/** A few functions of our own, so that these tests depend on nobody else's. */
final class TestFunctions {
  private TestFunctions() {}

  static void register(FunctionRegistry.Builder b) {
    b.scalar(
        "test_inverse(int4)",
        (_, _) ->
            (args, rows, _) -> {
              VectorBuilder out = VectorBuilder.of(SqlType.INT4, rows);
              var v = (IntVector) args.getFirst();
              for (int i = 0; i < rows; i++) {
                if (v.isNull(i)) {
                  out.appendNull();
                } else if (v.get(i) == 0) {
                  throw new MillraceException(ErrorCode.DIVISION_BY_ZERO, "division by zero");
                } else {
                  ((VectorBuilder.Ints) out).append(100 / v.get(i));
                }
              }
              return out.build();
            });
    b.scalar("test_error(int4)", (_, _) -> (args, rows, _) -> failing(args.getFirst(), rows));
    b.aggregate("test_count()", (_, _, _) -> new Count());
    b.aggregate("test_sum(int8)", (_, _, _) -> new Sum(false));
    b.aggregate("test_slow_sum(int8)", (_, _, _) -> new Sum(true));
    b.aggregate("test_concat(text)", (_, _, _) -> new Concat());
    b.window(
        "test_row_number()",
        (_, _) ->
            (WindowKernel.Partition p, EvalContext _) -> {
              long[] out = new long[p.rows()];
              Arrays.setAll(out, i -> i + 1L);
              return new LongVector(SqlType.INT8, out, p.rows(), null);
            });
    b.set(
        "test_series(int4)",
        (_, _) ->
            (args, row, _) -> {
              var v = (IntVector) args.getFirst();
              int n = v.isNull(row) ? 0 : v.get(row);
              int[] at = {0};
              return max -> {
                int k = Math.min(max, n - at[0]);
                if (k <= 0) {
                  return null;
                }
                int[] out = new int[k];
                for (int i = 0; i < k; i++) {
                  out[i] = ++at[0];
                }
                return new Batch(List.of(new IntVector(SqlType.INT4, out, k, null)), k);
              };
            });
  }

  /** 1 needs too much memory, 2 too much of the stack, 3 is a defect; other values stay. */
  private static Vector failing(Vector v, int rows) {
    for (int i = 0; i < rows; i++) {
      switch (((IntVector) v).get(i)) {
        case 1 -> throw new OutOfMemoryError("Java heap space");
        case 2 -> throw new StackOverflowError();
        case 3 -> throw new AssertionError("never so");
        default -> {}
      }
    }
    return v;
  }

  private abstract static class Longs implements AggregateKernel {
    long[] value = new long[4];
    long[] count = new long[4];
    int groups;

    @Override
    public void ensureGroups(int n) {
      if (n > value.length) {
        value = Arrays.copyOf(value, Math.max(n, value.length * 2));
        count = Arrays.copyOf(count, value.length);
      }
      groups = Math.max(groups, n);
    }

    abstract void one(List<Vector> args, int row, int group);

    @Override
    public void accumulate(List<Vector> args, int rows, int[] ids, EvalContext c) {
      for (int i = 0; i < rows; i++) {
        one(args, i, ids[i]);
      }
    }

    @Override
    public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext c) {
      for (int i = from; i < to; i++) {
        one(args, i, group);
      }
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.INT8, SqlType.INT8);
    }

    @Override
    public List<Vector> partial(int from, int n) {
      return List.of(
          new LongVector(SqlType.INT8, Arrays.copyOfRange(value, from, from + n), n, null),
          new LongVector(SqlType.INT8, Arrays.copyOfRange(count, from, from + n), n, null));
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] ids, EvalContext c) {
      for (int i = 0; i < rows; i++) {
        value[ids[i]] += ((LongVector) states.get(0)).get(i);
        count[ids[i]] += ((LongVector) states.get(1)).get(i);
      }
    }

    @Override
    public void reset(int group) {
      value[group] = 0;
      count[group] = 0;
    }

    @Override
    public long byteSize() {
      return value.length * 16L;
    }
  }

  private static final class Count extends Longs {
    @Override
    void one(List<Vector> args, int row, int group) {
      value[group]++;
    }

    @Override
    public Vector finish(int from, int n, EvalContext c) {
      return new LongVector(SqlType.INT8, Arrays.copyOfRange(value, from, from + n), n, null);
    }
  }

  private static final class Sum extends Longs {
    private final boolean slow;

    Sum(boolean slow) {
      this.slow = slow;
    }

    @Override
    void one(List<Vector> args, int row, int group) {
      var v = (LongVector) args.getFirst();
      if (!v.isNull(row)) {
        value[group] += v.get(row);
        count[group]++;
      }
    }

    @Override
    public boolean retractable() {
      return !slow;
    }

    @Override
    public void retract(List<Vector> args, int from, int to, int group, EvalContext c) {
      var v = (LongVector) args.getFirst();
      for (int i = from; i < to; i++) {
        if (!v.isNull(i)) {
          value[group] -= v.get(i);
          count[group]--;
        }
      }
    }

    @Override
    public Vector finish(int from, int n, EvalContext c) {
      VectorBuilder b = VectorBuilder.of(SqlType.INT8, n);
      for (int g = from; g < from + n; g++) {
        if (count[g] == 0) {
          b.appendNull();
        } else {
          ((VectorBuilder.Longs) b).append(value[g]);
        }
      }
      return b.build();
    }
  }

  private static final class Concat implements AggregateKernel {
    private StringBuilder[] value = new StringBuilder[4];

    @Override
    public void ensureGroups(int n) {
      if (n > value.length) {
        value = Arrays.copyOf(value, Math.max(n, value.length * 2));
      }
    }

    @Override
    public void accumulate(List<Vector> args, int rows, int[] ids, EvalContext c) {
      for (int i = 0; i < rows; i++) {
        accumulateRun(args, i, i + 1, ids[i], c);
      }
    }

    @Override
    public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext c) {
      var v = (BytesColumn) args.getFirst();
      for (int i = from; i < to; i++) {
        if (!v.isNull(i)) {
          if (value[group] == null) {
            value[group] = new StringBuilder();
          }
          value[group].append(v.string(i)).append(',');
        }
      }
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.TEXT);
    }

    @Override
    public List<Vector> partial(int from, int n) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] ids, EvalContext c) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Vector finish(int from, int n, EvalContext c) {
      VectorBuilder b = VectorBuilder.of(SqlType.TEXT, n);
      for (int g = from; g < from + n; g++) {
        if (value[g] == null) {
          b.appendNull();
        } else {
          ((VectorBuilder.Bytes) b).append(value[g].toString());
        }
      }
      return b.build();
    }

    @Override
    public void reset(int group) {
      value[group] = null;
    }

    @Override
    public long byteSize() {
      return value.length * 64L;
    }
  }
}
