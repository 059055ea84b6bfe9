package io.millrace.storage.read;

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

  Vector take(Vector v) {
    @Nullable Vector[] sources = new Vector[size];
    Arrays.fill(sources, v);
    return VectorConcat.concat(v.type(), sources, from, count, size);
  }

  void take(long[] v, long[] out) {
    int at = 0;
    for (int i = 0; i < size; i++) {
      System.arraycopy(v, from[i], out, at, count[i]);
      at += count[i];
    }
  }
}
