package io.millrace.sql.exec.operator;

import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import java.util.Arrays;

/*
 * Runs of equal keys within a batch. One pass per key column marks where a value differs from the
 * one before; plain loops over the arrays for numbers, times and dictionary codes.
 */
/** Finds where runs of equal keys begin. */
final class Runs {
  private boolean[] change = new boolean[0];
  private int[] starts = new int[1];
  private int count;

  /** First rows of the runs, then the number of rows. */
  int[] starts() {
    return starts;
  }

  int count() {
    return count;
  }

  void find(Vector[] keys, int rows) {
    if (starts.length < rows + 1) {
      starts = new int[rows + 1];
      change = new boolean[rows];
    }
    if (keys.length == 0) {
      starts[0] = 0;
      count = rows == 0 ? 0 : 1;
      starts[count] = rows;
      return;
    }
    boolean[] c = change;
    Arrays.fill(c, 0, rows, false);
    for (Vector k : keys) {
      mark(k, c, rows);
    }
    int n = 0;
    int[] s = starts;
    if (rows > 0) {
      c[0] = true;
    }
    for (int i = 0; i < rows; i++) {
      s[n] = i;
      n += c[i] ? 1 : 0;
    }
    count = n;
    s[n] = rows;
  }

  private static void mark(Vector k, boolean[] c, int rows) {
    if (k.mayHaveNulls()) {
      for (int i = 1; i < rows; i++) {
        c[i] |= !k.same(i, k, i - 1);
      }
      return;
    }
    switch (k) {
      case LongVector v -> {
        long[] a = v.values();
        for (int i = 1; i < rows; i++) {
          c[i] |= a[i] != a[i - 1];
        }
      }
      case IntVector v -> {
        int[] a = v.values();
        for (int i = 1; i < rows; i++) {
          c[i] |= a[i] != a[i - 1];
        }
      }
      case DictVector v -> {
        int[] a = v.codes();
        for (int i = 1; i < rows; i++) {
          c[i] |= a[i] != a[i - 1];
        }
      }
      case DoubleVector v -> {
        double[] a = v.values();
        for (int i = 1; i < rows; i++) {
          c[i] |= !(a[i] == a[i - 1]);
        }
      }
      default -> {
        for (int i = 1; i < rows; i++) {
          c[i] |= k.compare(i, k, i - 1) != 0;
        }
      }
    }
  }
}
