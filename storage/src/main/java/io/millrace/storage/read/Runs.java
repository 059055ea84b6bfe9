package io.millrace.storage.read;

import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Stretch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorConcat;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Ascending positions that lie side by side but for a few gaps, as a filter on time leaves of rows
 * in key order: taken run by run, which copies memory instead of single values.
 */
record Runs(int[] from, int[] count, int size) {
  /** Rows a run on average from which on copying by runs is cheaper. */
  private static final int WORTH = 16;

  /** The runs of the first n positions; null if they are many. */
  static @Nullable Runs of(int[] positions, int n) {
    int max = n / WORTH + 1;
    int[] from = new int[Math.min(max, 16)];
    int[] count = new int[from.length];
    int k = 0;
    int i = 0;
    while (i < n) {
      if (k == max) {
        return null;
      }
      if (k == from.length) {
        from = Arrays.copyOf(from, Math.min(max, k * 4));
        count = Arrays.copyOf(count, from.length);
      }
      int start = i;
      // Where the rest is one run, as it often is, that is seen at once.
      if (positions[n - 1] - positions[i] == n - 1 - i) {
        i = n;
      } else {
        i++;
        while (i < n && positions[i] == positions[i - 1] + 1) {
          i++;
        }
      }
      from[k] = positions[start];
      count[k++] = i - start;
    }
    return new Runs(from, count, k);
  }

  /**
   * The runs of rows with times in [lo, hi]; null if they are many. Rows in key order come in few.
   */
  static @Nullable Runs within(long[] t, int n, long lo, long hi) {
    int max = n / WORTH + 1;
    int[] from = new int[16];
    int[] count = new int[16];
    int k = 0;
    int i = 0;
    while (i < n) {
      int start = Stretch.begin(t, i, n, lo, hi);
      i = Stretch.end(t, start, n, lo, hi);
      if (i > start) {
        if (k == max) {
          return null;
        }
        if (k == from.length) {
          from = Arrays.copyOf(from, k * 4);
          count = Arrays.copyOf(count, k * 4);
        }
        from[k] = start;
        count[k++] = i - start;
      }
    }
    return new Runs(from, count, k);
  }

  int rows() {
    int n = 0;
    for (int i = 0; i < size; i++) {
      n += count[i];
    }
    return n;
  }

  int[] positions() {
    int[] out = new int[rows()];
    int n = 0;
    for (int r = 0; r < size; r++) {
      for (int i = 0; i < count[r]; i++) {
        out[n++] = from[r] + i;
      }
    }
    return out;
  }

  /** The rows of a vector. */
  Vector take(Vector v, int rows) {
    if (size == 1) {
      return v.slice(from[0], rows);
    }
    if (!v.mayHaveNulls()) {
      switch (v) {
        case DoubleVector d -> {
          double[] out = new double[rows];
          // First thing after the allocation, so that the array need not be cleared.
          System.arraycopy(d.values(), from[0], out, 0, count[0]);
          int at = count[0];
          for (int i = 1; i < size; i++) {
            System.arraycopy(d.values(), from[i], out, at, count[i]);
            at += count[i];
          }
          return new DoubleVector(v.type(), out, rows, null);
        }
        case LongVector l -> {
          return new LongVector(v.type(), take(l.values(), rows), rows, null);
        }
        case DictVector d -> {
          int[] out = new int[rows];
          System.arraycopy(d.codes(), from[0], out, 0, count[0]);
          int at = count[0];
          for (int i = 1; i < size; i++) {
            System.arraycopy(d.codes(), from[i], out, at, count[i]);
            at += count[i];
          }
          return new DictVector(v.type(), out, d.dictionary(), rows, null);
        }
        default -> {}
      }
    }
    @Nullable Vector[] sources = new Vector[size];
    Arrays.fill(sources, v);
    return VectorConcat.concat(v.type(), sources, from, count, size);
  }

  long[] take(long[] v, int rows) {
    long[] out = new long[rows];
    System.arraycopy(v, from[0], out, 0, count[0]);
    int at = count[0];
    for (int i = 1; i < size; i++) {
      System.arraycopy(v, from[i], out, at, count[i]);
      at += count[i];
    }
    return out;
  }
}
