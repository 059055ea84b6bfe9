package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.TypeKind;
import java.util.Arrays;
import java.util.List;

/** Compares rows by their key columns, which lie in separate arrays of vectors. */
final class RowOrder {
  private final boolean[] descending;
  private final boolean[] nullsFirst;

  RowOrder(List<Sorter.Key> keys) {
    descending = new boolean[keys.size()];
    nullsFirst = new boolean[keys.size()];
    for (int k = 0; k < descending.length; k++) {
      descending[k] = keys.get(k).descending();
      nullsFirst[k] = keys.get(k).nullsFirst();
    }
  }

  int compare(Vector[] a, int i, Vector[] b, int j) {
    return compare(0, a, i, b, j);
  }

  /** Compares by the keys from {@code first} on. */
  int compare(int first, Vector[] a, int i, Vector[] b, int j) {
    for (int k = first; k < descending.length; k++) {
      int c = compareKey(k, a[k], i, b[k], j);
      if (c != 0) {
        return c;
      }
    }
    return 0;
  }

  private int compareKey(int k, Vector a, int i, Vector b, int j) {
    boolean an = a.isNull(i);
    boolean bn = b.isNull(j);
    if (an || bn) {
      return an == bn ? 0 : an == nullsFirst[k] ? -1 : 1;
    }
    int c = order(a, i, b, j);
    return descending[k] ? -c : c;
  }

  /** Whether two rows are equal in the given columns, NULLs being equal. */
  static boolean same(Batch a, int i, Batch b, int j, List<Integer> columns) {
    for (int c : columns) {
      Vector x = a.column(c);
      Vector y = b.column(c);
      boolean xn = x.isNull(i);
      boolean yn = y.isNull(j);
      if (xn || yn ? xn != yn : order(x, i, y, j) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Btree order of two values, blank-padded strings without their trailing spaces. */
  static int order(Vector a, int i, Vector b, int j) {
    if (a.type().kind() == TypeKind.BPCHAR) {
      var x = (BytesColumn) a;
      var y = (BytesColumn) b;
      return Arrays.compareUnsigned(
          x.data(i), x.start(i), trimmed(x, i), y.data(j), y.start(j), trimmed(y, j));
    }
    return Integer.signum(a.compare(i, b, j));
  }

  private static int trimmed(BytesColumn b, int i) {
    int e = b.end(i);
    byte[] d = b.data(i);
    while (e > b.start(i) && d[e - 1] == ' ') {
      e--;
    }
    return e;
  }
}
