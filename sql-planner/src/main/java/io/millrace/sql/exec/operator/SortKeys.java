package io.millrace.sql.exec.operator;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;

/*
 * The first key of a row as 63 bits whose order is the key's order, direction and place of NULLs
 * included, as far as they tell: rows with unequal prefixes need no further look. Where the prefix
 * holds the whole key and there is one key only, equal prefixes are equal rows.
 */
/** Order-preserving prefixes of sort keys. */
final class SortKeys {
  private SortKeys() {}

  /** Whether equal prefixes mean equal values. */
  static boolean exact(SqlType type) {
    return switch (type.layout()) {
      case BOOL, INT, FLOAT -> true;
      default -> false;
    };
  }

  static void prefixes(Vector v, boolean descending, boolean nullsFirst, long[] out) {
    int n = v.length();
    values(v, out, n);
    if (descending) {
      for (int i = 0; i < n; i++) {
        out[i] = Long.MAX_VALUE - out[i];
      }
    }
    if (v.mayHaveNulls()) {
      long asNull = nullsFirst ? -1L : Long.MAX_VALUE;
      for (int i = 0; i < n; i++) {
        if (v.isNull(i)) {
          out[i] = asNull;
        }
      }
    }
  }

  /**
   * Ascending, not negative; above 0 where the prefix is exact, so that no value meets a NULL's.
   */
  private static void values(Vector v, long[] out, int n) {
    switch (v) {
      case BoolVector b -> {
        for (int i = 0; i < n; i++) {
          out[i] = b.get(i) ? 2 : 1;
        }
      }
      case IntVector b -> {
        int[] a = b.values();
        if (b.type().kind().isOid()) {
          for (int i = 0; i < n; i++) {
            out[i] = (a[i] & 0xffffffffL) + 1;
          }
        } else {
          for (int i = 0; i < n; i++) {
            out[i] = a[i] - (long) Integer.MIN_VALUE + 1;
          }
        }
      }
      case LongVector b -> {
        if (b.type().kind() == TypeKind.TIMETZ) {
          java.util.Arrays.fill(out, 0, n, 0);
          return;
        }
        long[] a = b.values();
        for (int i = 0; i < n; i++) {
          out[i] = (a[i] ^ Long.MIN_VALUE) >>> 1;
        }
      }
      case FloatVector b -> {
        for (int i = 0; i < n; i++) {
          out[i] = ordered(b.get(i)) >>> 1;
        }
      }
      case DoubleVector b -> {
        double[] a = b.values();
        for (int i = 0; i < n; i++) {
          out[i] = ordered(a[i]) >>> 1;
        }
      }
      case NumericVector b -> {
        for (int i = 0; i < n; i++) {
          out[i] = b.isNull(i) ? 0 : ordered(approximate(b, i)) >>> 1;
        }
      }
      case BytesColumn b -> {
        boolean padded = b.type().kind() == TypeKind.BPCHAR;
        for (int i = 0; i < n; i++) {
          out[i] = b.isNull(i) || padded ? 0 : bytes(b, i);
        }
      }
      default -> java.util.Arrays.fill(out, 0, n, 0);
    }
  }

  private static double approximate(NumericVector v, int i) {
    return switch (v.special(i)) {
      case NumericVector.NAN -> Double.NaN;
      case NumericVector.POSITIVE_INFINITY -> Double.MAX_VALUE;
      case NumericVector.NEGATIVE_INFINITY -> -Double.MAX_VALUE;
      default -> {
        double d = v.get(i).doubleValue();
        yield Math.clamp(d, -Double.MAX_VALUE, Double.MAX_VALUE);
      }
    };
  }

  /** As unsigned bits in PostgreSQL's order: NaN last, zeros equal. */
  private static long ordered(double d) {
    long bits = Double.doubleToLongBits(d == 0 ? 0.0 : d);
    return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
  }

  private static long bytes(BytesColumn b, int i) {
    byte[] d = b.data(i);
    int s = b.start(i);
    int n = Math.min(7, b.end(i) - s);
    long w = 0;
    for (int k = 0; k < n; k++) {
      w = w << 8 | d[s + k] & 0xff;
    }
    return w << 8 * (7 - n);
  }
}
