package io.millrace.storage.sst.parquet;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.Words;
import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Minimum and maximum of a page in Parquet's plain form. A page with a NaN has none, and a zero
 * stands for both zeros (−0.0 as minimum, +0.0 as maximum), as Parquet asks.
 *
 * @param nulls number of NULLs
 */
record PageStats(byte @Nullable [] min, byte @Nullable [] max, int nulls, int rows) {

  /** Of a page's values without NULLs. */
  static PageStats of(SqlType type, Vector dense, int nulls) {
    int n = dense.length();
    if (n == 0 || !Physical.ordered(type)) {
      return new PageStats(null, null, nulls, n + nulls);
    }
    int lo = 0;
    int hi = 0;
    switch (dense) {
      case DoubleVector d -> {
        for (int i = 0; i < n; i++) {
          if (Double.isNaN(d.get(i))) {
            return new PageStats(null, null, nulls, n + nulls);
          }
          lo = d.get(i) < d.get(lo) ? i : lo;
          hi = d.get(i) > d.get(hi) ? i : hi;
        }
      }
      case FloatVector d -> {
        for (int i = 0; i < n; i++) {
          if (Float.isNaN(d.get(i))) {
            return new PageStats(null, null, nulls, n + nulls);
          }
          lo = d.get(i) < d.get(lo) ? i : lo;
          hi = d.get(i) > d.get(hi) ? i : hi;
        }
      }
      case LongVector d -> {
        for (int i = 0; i < n; i++) {
          lo = d.get(i) < d.get(lo) ? i : lo;
          hi = d.get(i) > d.get(hi) ? i : hi;
        }
      }
      case IntVector d -> {
        for (int i = 0; i < n; i++) {
          lo = d.get(i) < d.get(lo) ? i : lo;
          hi = d.get(i) > d.get(hi) ? i : hi;
        }
      }
      case DictVector d when d.dictionary().size() <= 4 * n + 1024 -> {
        int[] rows = firstRows(d);
        lo = rows[0];
        hi = rows[0];
        for (int i : rows) {
          lo = d.compare(i, d, lo) < 0 ? i : lo;
          hi = d.compare(i, d, hi) > 0 ? i : hi;
        }
      }
      default -> {
        for (int i = 1; i < n; i++) {
          lo = dense.compare(i, dense, lo) < 0 ? i : lo;
          hi = dense.compare(i, dense, hi) > 0 ? i : hi;
        }
      }
    }
    return new PageStats(bytes(dense, lo, true), bytes(dense, hi, false), nulls, n + nulls);
  }

  /** One row of each value that is there: a tag has few values and is long to compare. */
  private static int[] firstRows(DictVector v) {
    boolean[] seen = new boolean[v.dictionary().size()];
    int[] codes = v.codes();
    int[] out = new int[Math.min(v.length(), seen.length)];
    int n = 0;
    for (int i = 0; i < v.length(); i++) {
      if (!seen[codes[i]]) {
        seen[codes[i]] = true;
        out[n++] = i;
      }
    }
    return Arrays.copyOf(out, n);
  }

  static byte[] bytes(Vector v, int row, boolean min) {
    return switch (v) {
      case BoolVector x -> new byte[] {(byte) (x.get(row) ? 1 : 0)};
      case IntVector x -> word(x.get(row));
      case FloatVector x -> {
        float f = x.get(row) == 0f ? min ? -0f : 0f : x.get(row);
        yield word(Float.floatToRawIntBits(f));
      }
      case LongVector x -> longWord(x.get(row));
      case DoubleVector x -> {
        double d = x.get(row) == 0d ? min ? -0d : 0d : x.get(row);
        yield longWord(Double.doubleToRawLongBits(d));
      }
      case BytesColumn x -> x.bytes(row);
      default -> throw new IllegalStateException("no statistics for " + v.type());
    };
  }

  private static byte[] word(int v) {
    byte[] b = new byte[4];
    Words.putInt(b, 0, v);
    return b;
  }

  private static byte[] longWord(long v) {
    byte[] b = new byte[8];
    Words.putLong(b, 0, v);
    return b;
  }

  /** Appends a value given in plain form. */
  static void append(byte[] b, VectorBuilder out) {
    switch (out) {
      case VectorBuilder.Bools x -> x.append(b[0] != 0);
      case VectorBuilder.Ints x -> x.append(Words.getInt(b, 0));
      case VectorBuilder.Longs x -> x.append(Words.getLong(b, 0));
      case VectorBuilder.Floats x -> x.append(Float.intBitsToFloat(Words.getInt(b, 0)));
      case VectorBuilder.Doubles x -> x.append(Double.longBitsToDouble(Words.getLong(b, 0)));
      case VectorBuilder.Bytes x -> x.append(b);
      default -> throw new IllegalStateException("no statistics for " + out.getClass());
    }
  }
}
