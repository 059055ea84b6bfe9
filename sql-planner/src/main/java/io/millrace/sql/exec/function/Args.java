package io.millrace.sql.exec.function;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reading arguments: arrays by layout and the validity of strict results. */
final class Args {
  private Args() {}

  /** Rows where every argument is there; null = all rows. */
  static long @Nullable [] validity(List<Vector> args, int rows) {
    long[] v = null;
    for (Vector a : args) {
      v = Bits.and(v, a.validity(), rows);
    }
    return v;
  }

  static boolean valid(long @Nullable [] validity, int row) {
    return validity == null || Bits.get(validity, row);
  }

  static int[] ints(List<Vector> args, int i) {
    return ((IntVector) args.get(i)).values();
  }

  /** 64-bit values; narrower integers are widened into a new array. */
  static long[] longs(List<Vector> args, int i) {
    Vector v = args.get(i);
    if (v instanceof LongVector l) {
      return l.values();
    }
    int[] in = ((IntVector) v).values();
    int n = v.length();
    long[] out = new long[n];
    for (int r = 0; r < n; r++) {
      out[r] = in[r];
    }
    return out;
  }

  static boolean[] bools(List<Vector> args, int i) {
    return ((BoolVector) args.get(i)).values();
  }

  /** Doubles; floats are widened into a new array. */
  static double[] doubles(List<Vector> args, int i) {
    Vector v = args.get(i);
    if (v instanceof DoubleVector d) {
      return d.values();
    }
    float[] in = ((FloatVector) v).values();
    int n = v.length();
    double[] out = new double[n];
    for (int r = 0; r < n; r++) {
      out[r] = in[r];
    }
    return out;
  }

  static float[] floats(List<Vector> args, int i) {
    return ((FloatVector) args.get(i)).values();
  }

  static BytesColumn bytes(List<Vector> args, int i) {
    return (BytesColumn) args.get(i);
  }

  static NumericVector numerics(List<Vector> args, int i) {
    return (NumericVector) args.get(i);
  }

  static IntervalVector intervals(List<Vector> args, int i) {
    return (IntervalVector) args.get(i);
  }
}
