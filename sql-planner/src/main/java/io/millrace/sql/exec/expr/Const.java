package io.millrace.sql.exec.expr;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A value that is the same for all rows; expanded only where a kernel wants it. */
final class Const extends Eval {
  private final Vector one;
  private @Nullable Vector expanded;

  /**
   * @param one a vector of one row
   */
  Const(SqlType type, Vector one) {
    super(type);
    this.one = one.length() == 1 ? one : one.slice(0, 1);
  }

  Vector one() {
    return one;
  }

  boolean isNull() {
    return one.isNull(0);
  }

  @Override
  boolean safe() {
    return true;
  }

  @Override
  public Vector eval(Rows in) {
    int n = in.rows();
    Vector e = expanded;
    if (e == null || e.length() != n) {
      e = expand(e, n);
      expanded = e;
    }
    return e;
  }

  private Vector expand(@Nullable Vector old, int n) {
    if (n == 1) {
      return one;
    }
    if (one.isNull(0)) {
      return Gather.nulls(type(), n);
    }
    return expand(one, old, n);
  }

  /** The value repeated; arrays of an earlier expansion are used again where they are enough. */
  static Vector expand(Vector one, @Nullable Vector old, int n) {
    SqlType type = one.type();
    return switch (one) {
      case BoolVector v -> {
        boolean[] a = old instanceof BoolVector o && o.values().length >= n ? o.values() : null;
        if (a == null) {
          a = new boolean[n];
          Arrays.fill(a, v.get(0));
        }
        yield new BoolVector(type, a, n, null);
      }
      case IntVector v -> {
        int[] a = old instanceof IntVector o && o.values().length >= n ? o.values() : null;
        if (a == null) {
          a = new int[n];
          Arrays.fill(a, v.get(0));
        }
        yield new IntVector(type, a, n, null);
      }
      case LongVector v -> {
        long[] a = old instanceof LongVector o && o.values().length >= n ? o.values() : null;
        if (a == null) {
          a = new long[n];
          Arrays.fill(a, v.get(0));
        }
        yield new LongVector(type, a, n, null);
      }
      case FloatVector v -> {
        float[] a = new float[n];
        Arrays.fill(a, v.get(0));
        yield new FloatVector(type, a, n, null);
      }
      case DoubleVector v -> {
        double[] a = old instanceof DoubleVector o && o.values().length >= n ? o.values() : null;
        if (a == null) {
          a = new double[n];
          Arrays.fill(a, v.get(0));
        }
        yield new DoubleVector(type, a, n, null);
      }
      case BytesColumn v -> {
        if (old instanceof DictVector o && o.codes().length >= n) {
          yield new DictVector(type, o.codes(), o.dictionary(), n, null);
        }
        byte[] b = v.bytes(0);
        yield new DictVector(
            type,
            new int[n],
            new DictVector.FixedDictionary(new int[] {0, b.length}, b, 1, true),
            n,
            null);
      }
      case NumericVector v when v.isPlain() -> {
        long[] a = new long[n];
        Arrays.fill(a, v.unscaled()[0]);
        yield new NumericVector(type, a, v.uniformScale(), null, null, null, n, null);
      }
      default -> one.take(new int[n], n);
    };
  }
}
