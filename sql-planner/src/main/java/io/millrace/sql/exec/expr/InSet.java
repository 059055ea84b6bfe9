package io.millrace.sql.exec.expr;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * value IN (constants). Small integer sets are sorted arrays; everything else is an open-addressing
 * table over the options by their hash; dictionary columns ask once per entry.
 */
/** Membership in a set of constants. */
final class InSet extends Eval {
  private final Eval value;
  private final boolean negated;
  private final Vector options;
  private final boolean optionsHaveNull;
  private final int[] table;
  private final long @Nullable [] sorted;
  private DictVector.@Nullable Dictionary lastDictionary;
  private byte[] decided = new byte[0];

  /**
   * @param options all options, NULLs included, of the value's layout
   */
  InSet(Eval value, Vector options, boolean negated) {
    super(SqlType.BOOL);
    this.value = value;
    this.negated = negated;
    this.options = options;
    int n = options.length();
    int size = Integer.highestOneBit(Math.max(4, n) * 2) * 2;
    table = new int[size];
    boolean nulls = false;
    long[] numbers = new long[n];
    int m = 0;
    for (int i = 0; i < n; i++) {
      if (options.isNull(i)) {
        nulls = true;
        continue;
      }
      if (options instanceof LongVector v) {
        numbers[m++] = v.get(i);
      } else if (options instanceof IntVector v) {
        numbers[m++] = v.get(i);
      }
      int at = slot(options.hash(i));
      while (table[at] != 0 && options.compare(table[at] - 1, options, i) != 0) {
        at = at + 1 & size - 1;
      }
      table[at] = i + 1;
    }
    optionsHaveNull = nulls;
    boolean integers =
        options instanceof IntVector
            || (options instanceof LongVector && options.type().kind() != TypeKind.TIMETZ);
    if (integers) {
      sorted = Arrays.copyOf(numbers, m);
      Arrays.sort(sorted);
    } else {
      sorted = null;
    }
  }

  private int slot(long hash) {
    return (int) (hash ^ hash >>> 32) & table.length - 1;
  }

  @Override
  boolean safe() {
    return value.safe();
  }

  @Override
  public Vector eval(Rows in) {
    int n = in.rows();
    Vector v = value.eval(in);
    boolean[] out = new boolean[n];
    if (v instanceof DictVector d) {
      dict(d, out, n);
    } else if (sorted != null && sorted.length <= 16) {
      few(v, sorted, out, n);
    } else {
      for (int i = 0; i < n; i++) {
        out[i] = !v.isNull(i) && contains(v, i);
      }
    }
    long[] valid = v.validity();
    if (optionsHaveNull) {
      valid = valid == null ? Bits.allSet(n) : valid.clone();
      for (int i = 0; i < n; i++) {
        if (!out[i]) {
          Bits.clear(valid, i);
        }
      }
    }
    if (negated) {
      for (int i = 0; i < n; i++) {
        out[i] = !out[i];
      }
    }
    return new BoolVector(SqlType.BOOL, out, n, valid);
  }

  private static void few(Vector v, long[] set, boolean[] out, int n) {
    if (v instanceof LongVector l) {
      long[] a = l.values();
      for (int i = 0; i < n; i++) {
        boolean hit = false;
        for (long s : set) {
          hit |= a[i] == s;
        }
        out[i] = hit;
      }
    } else {
      int[] a = ((IntVector) v).values();
      for (int i = 0; i < n; i++) {
        boolean hit = false;
        for (long s : set) {
          hit |= a[i] == s;
        }
        out[i] = hit;
      }
    }
  }

  private boolean contains(Vector v, int i) {
    int at = slot(v.hash(i));
    while (table[at] != 0) {
      if (options.compare(table[at] - 1, v, i) == 0) {
        return true;
      }
      at = at + 1 & table.length - 1;
    }
    return false;
  }

  private void dict(DictVector v, boolean[] out, int n) {
    DictVector.Dictionary d = v.dictionary();
    if (d != lastDictionary) {
      lastDictionary = d;
      decided = new byte[d.size()];
    } else if (decided.length < d.size()) {
      decided = Arrays.copyOf(decided, Math.max(d.size(), decided.length * 2));
    }
    for (int i = 0; i < n; i++) {
      if (v.isNull(i)) {
        continue;
      }
      int code = v.codes()[i];
      byte k = decided[code];
      if (k == 0) {
        k = (byte) (contains(v, i) ? 2 : 1);
        decided[code] = k;
      }
      out[i] = k == 2;
    }
  }
}
