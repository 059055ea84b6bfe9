package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.RangedBatch;
import io.millrace.common.batch.Stretch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.function.StepFunction;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * Runs of equal keys within the ranges of a batch, key columns or steps of them. Each key column is
 * walked once, from one end of a stretch to the next; a run ends where the first of its keys' stretches
 * does. Stretches are found by comparing memory with itself one value on, or with the bounds of a
 * step, many values at a time.
 */
/** Finds runs of equal keys in ranges of rows. */
final class StretchRuns {
  /** Values that are compared one by one before whole memory is. */
  private static final int SHORT = 8;

  private final @Nullable StepFunction[] steps;
  private final long[][] results;
  private final boolean[][] missing;
  private final int[] ends;
  private final long[] current;
  private final boolean[] none;
  private int[] from = new int[64];
  private int[] to = new int[64];
  private int count;

  /**
   * Runs by so many keys.
   *
   * @param steps the steps of each key column; null = its own values
   */
  StretchRuns(@Nullable StepFunction[] steps) {
    this.steps = steps;
    int n = steps.length;
    results = new long[n][];
    missing = new boolean[n][];
    for (int k = 0; k < n; k++) {
      if (steps[k] != null) {
        results[k] = new long[64];
        missing[k] = new boolean[64];
      }
    }
    ends = new int[n];
    current = new long[n];
    none = new boolean[n];
  }

  int count() {
    return count;
  }

  /** First rows of the runs. */
  int[] from() {
    return from;
  }

  /** The rows behind the last ones of the runs. */
  int[] to() {
    return to;
  }

  void find(RangedBatch in, Vector[] columns) {
    count = 0;
    for (int r = 0; r < in.ranges(); r++) {
      int p = in.from()[r];
      int end = p + in.count()[r];
      Arrays.fill(ends, p);
      while (p < end) {
        int e = end;
        for (int k = 0; k < columns.length; k++) {
          if (ends[k] == p) {
            ends[k] = stretch(k, columns[k], p, end);
          }
          e = Math.min(e, ends[k]);
        }
        add(p, e);
        p = e;
      }
    }
  }

  private void add(int first, int end) {
    if (count == from.length) {
      int capacity = count * 2;
      from = Arrays.copyOf(from, capacity);
      to = Arrays.copyOf(to, capacity);
      for (int k = 0; k < steps.length; k++) {
        if (steps[k] != null) {
          results[k] = Arrays.copyOf(results[k], capacity);
          missing[k] = Arrays.copyOf(missing[k], capacity);
        }
      }
    }
    from[count] = first;
    to[count] = end;
    for (int k = 0; k < steps.length; k++) {
      if (steps[k] != null) {
        results[k][count] = current[k];
        missing[k][count] = none[k];
      }
    }
    count++;
  }

  /** Where the stretch of a key that begins at a row ends. */
  private int stretch(int k, Vector v, int p, int end) {
    StepFunction s = steps[k];
    if (s == null) {
      return v.mayHaveNulls() ? slowly(v, p, end) : same(v, p, end);
    }
    long[] a = ((LongVector) v).values();
    none[k] = v.isNull(p);
    if (none[k]) {
      int i = p + 1;
      while (i < end && v.isNull(i)) {
        i++;
      }
      return i;
    }
    s.locate(a[p]);
    current[k] = s.result();
    if (!v.mayHaveNulls()) {
      return Stretch.end(a, p + 1, end, s.first(), s.last());
    }
    int i = p + 1;
    while (i < end && !v.isNull(i) && a[i] >= s.first() && a[i] <= s.last()) {
      i++;
    }
    return i;
  }

  private static int slowly(Vector v, int p, int end) {
    int i = p + 1;
    while (i < end && v.same(i, v, p)) {
      i++;
    }
    return i;
  }

  private static int same(Vector v, int p, int end) {
    return switch (v) {
      case LongVector x -> same(x.values(), p, end);
      case IntVector x -> same(x.values(), p, end);
      case DictVector x -> same(x.codes(), p, end);
      default -> slowly(v, p, end);
    };
  }

  private static int same(long[] a, int p, int end) {
    int i = p + 1;
    int near = Math.min(end, p + SHORT);
    while (i < near && a[i] == a[p]) {
      i++;
    }
    if (i < near || i == end) {
      return i;
    }
    int at = Arrays.mismatch(a, i - 1, end - 1, a, i, end);
    return at < 0 ? end : i + at;
  }

  private static int same(int[] a, int p, int end) {
    int i = p + 1;
    int near = Math.min(end, p + SHORT);
    while (i < near && a[i] == a[p]) {
      i++;
    }
    if (i < near || i == end) {
      return i;
    }
    int at = Arrays.mismatch(a, i - 1, end - 1, a, i, end);
    return at < 0 ? end : i + at;
  }

  /** The keys of the runs, of one key column. */
  Vector key(int k, Vector column, SqlType type) {
    if (steps[k] == null) {
      return column.take(from, count);
    }
    long[] valid = null;
    for (int r = 0; r < count; r++) {
      if (missing[k][r]) {
        valid = valid == null ? Bits.allSet(count) : valid;
        Bits.clear(valid, r);
      }
    }
    return new LongVector(type, Arrays.copyOf(results[k], count), count, valid);
  }
}
