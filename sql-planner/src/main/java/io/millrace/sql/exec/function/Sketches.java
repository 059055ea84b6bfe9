package io.millrace.sql.exec.function;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates whose states are values: a query keeps them in a bytea column, another one merges them
 * and reads the estimate. hll counts distinct values, uddsketch answers quantiles.
 */
final class Sketches {
  private Sketches() {}

  static void register(FunctionRegistry.Builder b) {
    b.aggregate("hll(any)", (_, _, _) -> new HllAggregate(false));
    b.aggregate("hll_merge(bytea)", (_, _, _) -> new HllAggregate(true));
    b.simple(
        "hll_count(bytea)",
        (a, n, _) ->
            Build.longs(SqlType.INT8, a, n, i -> Hll.read(Args.bytes(a, 0).bytes(i)).estimate()));
    b.aggregate("uddsketch_state(int8,float8,float8)", (_, _, _) -> new UddAggregate(false));
    b.aggregate("uddsketch_merge(int8,float8,bytea)", (_, _, _) -> new UddAggregate(true));
    b.simple(
        "uddsketch_calc(float8,bytea)",
        (a, n, _) ->
            Build.any(
                SqlType.FLOAT8,
                a,
                n,
                (i, out) ->
                    calc(
                        Args.doubles(a, 0)[i],
                        Args.bytes(a, 1).bytes(i),
                        (VectorBuilder.Doubles) out)));
  }

  private static void calc(double p, byte[] state, VectorBuilder.Doubles out) {
    if (!(p >= 0 && p <= 1)) {
      throw new MillraceException(
          ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
          "percentile value " + p + " is not between 0 and 1");
    }
    UddSketch sketch = UddSketch.read(state);
    if (sketch.count() == 0) {
      out.appendNull();
    } else {
      out.append(sketch.quantile(p));
    }
  }

  /** What both aggregates share: one sketch per group, its bytes as state and as result. */
  private abstract static class SketchAggregate<S> extends Agg {
    private final List<@Nullable S> sketches = new ArrayList<>();

    @Override
    void grow(int capacity) {
      while (sketches.size() < capacity) {
        sketches.add(null);
      }
    }

    @Nullable S at(int group) {
      return sketches.get(group);
    }

    void put(int group, S sketch) {
      sketches.set(group, sketch);
    }

    abstract byte[] write(S sketch);

    abstract S read(byte[] state);

    abstract void merge(S into, S from);

    abstract long size(S sketch);

    void mergeState(int group, byte[] state) {
      S from = read(state);
      S into = at(group);
      if (into == null) {
        put(group, from);
      } else {
        merge(into, from);
      }
    }

    @Override
    public List<SqlType> stateTypes() {
      return List.of(SqlType.BYTEA);
    }

    @Override
    public List<Vector> partial(int from, int count) {
      return List.of(states(from, count));
    }

    private Vector states(int from, int count) {
      var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.BYTEA, count);
      for (int g = from; g < from + count; g++) {
        S s = at(g);
        if (s == null) {
          out.appendNull();
        } else {
          out.append(write(s));
        }
      }
      return out.build();
    }

    @Override
    public void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext context) {
      BytesColumn v = Args.bytes(states, 0);
      for (int i = 0; i < rows; i++) {
        if (!v.isNull(i)) {
          mergeState(groupIds[i], v.bytes(i));
        }
      }
    }

    @Override
    public Vector finish(int from, int count, EvalContext context) {
      return states(from, count);
    }

    @Override
    public void reset(int group) {
      sketches.set(group, null);
    }

    @Override
    public long byteSize() {
      long n = 0;
      for (S s : sketches) {
        n += 8 + (s == null ? 0 : size(s));
      }
      return n;
    }
  }

  /** hll over values, or over states of other hlls; NULL over none. */
  private static final class HllAggregate extends SketchAggregate<Hll> {
    private final boolean ofStates;

    HllAggregate(boolean ofStates) {
      this.ofStates = ofStates;
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      Vector v = args.getFirst();
      if (v.isNull(row)) {
        return;
      }
      if (ofStates) {
        mergeState(group, ((BytesColumn) v).bytes(row));
        return;
      }
      Hll hll = at(group);
      if (hll == null) {
        hll = new Hll();
        put(group, hll);
      }
      hll.add(v.hash(row));
    }

    @Override
    byte[] write(Hll sketch) {
      return sketch.write();
    }

    @Override
    Hll read(byte[] state) {
      return Hll.read(state);
    }

    @Override
    void merge(Hll into, Hll from) {
      into.merge(from);
    }

    @Override
    long size(Hll sketch) {
      return sketch.byteSize();
    }
  }

  /** uddsketch over numbers, or over states of others; NULL over none. */
  private static final class UddAggregate extends SketchAggregate<UddSketch> {
    private final boolean ofStates;

    UddAggregate(boolean ofStates) {
      this.ofStates = ofStates;
    }

    @Override
    void add(List<Vector> args, int row, int group, EvalContext context) {
      for (Vector v : args) {
        if (v.isNull(row)) {
          return;
        }
      }
      if (ofStates) {
        mergeState(group, Args.bytes(args, 2).bytes(row));
        return;
      }
      UddSketch sketch = at(group);
      if (sketch == null) {
        sketch = new UddSketch(Args.longs(args, 0)[row], Args.doubles(args, 1)[row]);
        put(group, sketch);
      }
      sketch.add(Args.doubles(args, 2)[row]);
    }

    @Override
    byte[] write(UddSketch sketch) {
      return sketch.write();
    }

    @Override
    UddSketch read(byte[] state) {
      return UddSketch.read(state);
    }

    @Override
    void merge(UddSketch into, UddSketch from) {
      into.merge(from);
    }

    @Override
    long size(UddSketch sketch) {
      return sketch.byteSize();
    }
  }
}
