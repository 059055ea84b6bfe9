package io.millrace.sql.exec.function;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.Dates;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Set-returning functions over numbers, times and arrays. */
final class SetKernels {
  private static final SetKernel.Rows NONE = _ -> null;

  private SetKernels() {}

  static void register(FunctionRegistry.Builder b) {
    for (String t : new String[] {"int4", "int8"}) {
      b.set("generate_series(" + t + "," + t + ")", (_, _) -> (a, i, _) -> integers(a, i));
      b.set(
          "generate_series(" + t + "," + t + "," + t + ")", (_, _) -> (a, i, _) -> integers(a, i));
    }
    b.set("generate_series(numeric,numeric)", (_, _) -> (a, i, _) -> numerics(a, i));
    b.set("generate_series(numeric,numeric,numeric)", (_, _) -> (a, i, _) -> numerics(a, i));
    for (String t : new String[] {"timestamp", "timestamptz"}) {
      b.set("generate_series(" + t + "," + t + ",interval)", (_, _) -> (a, i, c) -> times(a, i, c));
    }
    b.set("unnest(anyarray)", (_, _) -> (a, i, _) -> unnest(a, i));
    b.set("generate_subscripts(anyarray,int4)", (_, _) -> (a, i, _) -> subscripts(a, i));
    b.set("generate_subscripts(anyarray,int4,bool)", (_, _) -> (a, i, _) -> subscripts(a, i));
    b.set("string_to_table(text,text)", (_, _) -> (a, i, _) -> stringToTable(a, i));
    b.set("string_to_table(text,text,text)", (_, _) -> (a, i, _) -> stringToTable(a, i));
  }

  /** Rows that are all there already, handed out in pieces. */
  static SetKernel.Rows of(Vector... columns) {
    var whole = new Batch(List.of(columns), columns[0].length());
    int[] at = {0};
    return max -> {
      int n = Math.min(max, whole.rows() - at[0]);
      if (n <= 0) {
        return null;
      }
      Batch out = whole.slice(at[0], n);
      at[0] += n;
      return out;
    };
  }

  static boolean anyNull(List<Vector> args, int row) {
    for (Vector a : args) {
      if (a.isNull(row)) {
        return true;
      }
    }
    return false;
  }

  private static long at(List<Vector> a, int arg, int row) {
    return a.get(arg) instanceof LongVector l ? l.get(row) : ((IntVector) a.get(arg)).get(row);
  }

  private static SetKernel.Rows integers(List<Vector> a, int row) {
    if (anyNull(a, row)) {
      return NONE;
    }
    long stop = at(a, 1, row);
    long step = a.size() > 2 ? at(a, 2, row) : 1;
    if (step == 0) {
      throw zeroStep();
    }
    boolean narrow = a.getFirst() instanceof IntVector;
    SqlType result = narrow ? SqlType.INT4 : SqlType.INT8;
    return new SetKernel.Rows() {
      private long current = at(a, 0, row);
      private boolean done;

      @Override
      public @Nullable Batch next(int max) {
        long[] out = new long[Math.min(max, Batch.ROWS)];
        int n = 0;
        while (n < out.length && !done && (step > 0 ? current <= stop : current >= stop)) {
          out[n++] = current;
          long next = current + step;
          done = ((current ^ next) & (step ^ next)) < 0;
          current = next;
        }
        if (n == 0) {
          return null;
        }
        if (!narrow) {
          return new Batch(List.of(new LongVector(result, out, n, null)), n);
        }
        int[] small = new int[n];
        for (int i = 0; i < n; i++) {
          small[i] = (int) out[i];
        }
        return new Batch(List.of(new IntVector(result, small, n, null)), n);
      }
    };
  }

  private static io.millrace.common.error.MillraceException zeroStep() {
    return Errors.invalidParameter("step size cannot equal zero");
  }

  private static SetKernel.Rows numerics(List<Vector> a, int row) {
    if (anyNull(a, row)) {
      return NONE;
    }
    for (Vector v : a) {
      byte s = ((NumericVector) v).special(row);
      if (s != NumericVector.FINITE) {
        String what = v == a.get(0) ? "start" : v == a.get(1) ? "stop" : "step size";
        throw Errors.invalidParameter(
            what
                + (what.equals("step size") ? "" : " value")
                + " cannot be "
                + (s == NumericVector.NAN ? "NaN" : "infinity"));
      }
    }
    BigDecimal stop = ((NumericVector) a.get(1)).get(row);
    BigDecimal step = a.size() > 2 ? ((NumericVector) a.get(2)).get(row) : BigDecimal.ONE;
    if (step.signum() == 0) {
      throw zeroStep();
    }
    return new SetKernel.Rows() {
      private BigDecimal current = ((NumericVector) a.get(0)).get(row);

      @Override
      public @Nullable Batch next(int max) {
        var out = (VectorBuilder.Numerics) VectorBuilder.of(SqlType.NUMERIC, 64);
        int limit = Math.min(max, Batch.ROWS);
        while (out.length() < limit
            && (step.signum() > 0 ? current.compareTo(stop) <= 0 : current.compareTo(stop) >= 0)) {
          out.append(current);
          current = current.add(step);
        }
        int n = out.length();
        return n == 0 ? null : new Batch(List.of(out.build()), n);
      }
    };
  }

  private static SetKernel.Rows times(List<Vector> a, int row, EvalContext c) {
    if (anyNull(a, row)) {
      return NONE;
    }
    var step = (IntervalVector) a.get(2);
    int months = step.months()[row];
    int days = step.days()[row];
    long micros = step.micros()[row];
    long span = (months * 30L + days) * Dates.DAY + micros;
    if (span == 0) {
      throw zeroStep();
    }
    long stop = ((LongVector) a.get(1)).get(row);
    boolean zoned = a.getFirst().type().kind() == TypeKind.TIMESTAMPTZ;
    SqlType result = zoned ? SqlType.TIMESTAMPTZ : SqlType.TIMESTAMP;
    return new SetKernel.Rows() {
      private long current = ((LongVector) a.get(0)).get(row);

      @Override
      public @Nullable Batch next(int max) {
        long[] out = new long[Math.min(max, Batch.ROWS)];
        int n = 0;
        while (n < out.length && (span > 0 ? current <= stop : current >= stop)) {
          out[n++] = current;
          current = TimeMath.add(current, months, days, micros, zoned ? c.format().zone() : null);
        }
        return n == 0 ? null : new Batch(List.of(new LongVector(result, out, n, null)), n);
      }
    };
  }

  private static SetKernel.Rows unnest(List<Vector> a, int row) {
    var v = (ArrayVector) a.getFirst();
    if (v.isNull(row)) {
      return NONE;
    }
    return of(v.elements().slice(v.start(row), v.end(row) - v.start(row)));
  }

  private static SetKernel.Rows subscripts(List<Vector> a, int row) {
    if (anyNull(a, row)) {
      return NONE;
    }
    var v = (ArrayVector) a.getFirst();
    int dimension = ((IntVector) a.get(1)).get(row);
    int[] shape = ArrayKernels.shape(v, row);
    if (dimension < 1 || dimension * 2 > shape.length) {
      return NONE;
    }
    boolean reverse = a.size() > 2 && Args.bools(a, 2)[row];
    int n = shape[dimension * 2 - 2];
    int low = shape[dimension * 2 - 1];
    int[] out = new int[n];
    for (int i = 0; i < n; i++) {
      out[i] = reverse ? low + n - 1 - i : low + i;
    }
    return of(new IntVector(SqlType.INT4, out, n, null));
  }

  private static SetKernel.Rows stringToTable(List<Vector> a, int row) {
    if (a.getFirst().isNull(row)) {
      return NONE;
    }
    var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 8);
    var v = (BytesColumn) a.get(0);
    TextKernels.splitInto(
        v.string(row),
        a.get(1).isNull(row) ? null : Args.bytes(a, 1).string(row),
        a.size() < 3 || a.get(2).isNull(row) ? null : Args.bytes(a, 2).string(row),
        out);
    return of(out.build());
  }
}
