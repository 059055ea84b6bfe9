package io.millrace.storage.read;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Distinct keys in key order, to be looked up. Immutable. */
final class KeyList {
  final List<Vector> tags;
  final long[] times;
  final int rows;

  KeyList(List<Vector> tags, long[] times, int rows) {
    this.tags = tags;
    this.times = times;
    this.rows = rows;
  }

  /** Keys that can be in a page, by the bounds of its key columns. */
  int[] candidates(SstFile f, ReadSchema schema, int group, int page) {
    int n = 0;
    int[] out = new int[rows];
    Vector lo = f.pageMins(schema.timeId, group);
    Vector hi = f.pageMaxs(schema.timeId, group);
    long from = lo == null ? Long.MIN_VALUE : time(lo, page);
    long to = hi == null ? Long.MAX_VALUE : time(hi, page);
    for (int k = 0; k < rows; k++) {
      if (times[k] >= from && times[k] <= to) {
        out[n++] = k;
      }
    }
    for (int t = 0; t < tags.size() && n > 0; t++) {
      n = narrow(f, schema.tagIds.get(t), tags.get(t), group, page, out, n);
    }
    return Arrays.copyOf(out, n);
  }

  private static int narrow(
      SstFile f, int id, Vector values, int group, int page, int[] out, int n) {
    if (!f.has(id) || f.type(id).layout() != values.type().layout()) {
      return n;
    }
    Vector lo = f.pageMins(id, group);
    Vector hi = f.pageMaxs(id, group);
    long[] nulls = f.pageNulls(id, group);
    int m = 0;
    for (int i = 0; i < n; i++) {
      int k = out[i];
      boolean keep;
      if (values.isNull(k)) {
        keep = nulls == null || nulls[page] > 0;
      } else if (lo == null || hi == null) {
        keep = true;
      } else {
        keep =
            !lo.isNull(page)
                && values.compare(k, lo, page) >= 0
                && values.compare(k, hi, page) <= 0;
      }
      if (keep) {
        out[m++] = k;
      }
    }
    return m;
  }

  private static long time(Vector v, int row) {
    return v instanceof LongVector l ? l.get(row) : ((IntVector) v).get(row);
  }

  /** Rows of a chunk that have one of the wanted keys. */
  int[] match(Chunk c, ReadSchema schema, int[] wanted) {
    var columns = new ArrayList<Vector>();
    for (int id : schema.tagIds) {
      columns.add(schema.column(c, id));
    }
    long[] time = c.time();
    int[] out = new int[wanted.length];
    int n = 0;
    int low = 0;
    for (int k : wanted) {
      int lo = low;
      int hi = c.rows;
      while (lo < hi) {
        int mid = lo + hi >>> 1;
        if (compare(columns, time, mid, k) < 0) {
          lo = mid + 1;
        } else {
          hi = mid;
        }
      }
      low = lo;
      while (lo < c.rows && compare(columns, time, lo, k) == 0) {
        if (n == out.length) {
          out = Arrays.copyOf(out, n * 2);
        }
        out[n++] = lo++;
      }
    }
    return Arrays.copyOf(out, n);
  }

  private int compare(List<Vector> columns, long[] time, int row, int key) {
    for (int t = 0; t < columns.size(); t++) {
      int c = Keys.compare(columns.get(t), row, tags.get(t), key);
      if (c != 0) {
        return c;
      }
    }
    return Long.compare(time[row], times[key]);
  }

  /** Keys of a batch sorted, and for every row of the batch the place of its key in the list. */
  record Sorted(KeyList keys, int[] placeOf) {}

  static Sorted sort(List<Vector> tags, long[] times, int rows) {
    Integer[] order = new Integer[rows];
    for (int i = 0; i < rows; i++) {
      order[i] = i;
    }
    Arrays.sort(
        order,
        (a, b) -> {
          for (Vector v : tags) {
            int c = Keys.compare(v, a, v, b);
            if (c != 0) {
              return c;
            }
          }
          return Long.compare(times[a], times[b]);
        });
    int[] at = new int[rows];
    int[] placeOf = new int[rows];
    int n = 0;
    for (int i = 0; i < rows; i++) {
      int r = order[i];
      if (n == 0 || !same(tags, times, at[n - 1], r)) {
        at[n++] = r;
      }
      placeOf[r] = n - 1;
    }
    var sortedTags = new ArrayList<Vector>();
    for (Vector v : tags) {
      sortedTags.add(v.take(at, n));
    }
    long[] sortedTimes = new long[n];
    for (int i = 0; i < n; i++) {
      sortedTimes[i] = times[at[i]];
    }
    return new Sorted(new KeyList(sortedTags, sortedTimes, n), placeOf);
  }

  private static boolean same(List<Vector> tags, long[] times, int a, int b) {
    for (Vector v : tags) {
      if (Keys.compare(v, a, v, b) != 0) {
        return false;
      }
    }
    return times[a] == times[b];
  }

  long minTime() {
    long t = Long.MAX_VALUE;
    for (int i = 0; i < rows; i++) {
      t = Math.min(t, times[i]);
    }
    return t;
  }

  long maxTime() {
    long t = Long.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      t = Math.max(t, times[i]);
    }
    return t;
  }

  /** Order of tag values. */
  static final class Keys {
    private Keys() {}

    /** Order of two tag values, NULLs last. */
    static int compare(@Nullable Vector a, int i, @Nullable Vector b, int j) {
      boolean x = a == null || a.isNull(i);
      boolean y = b == null || b.isNull(j);
      if (x || y || a == null || b == null) {
        return Boolean.compare(x, y);
      }
      if (a instanceof io.millrace.common.batch.DictVector p
          && b instanceof io.millrace.common.batch.DictVector q
          && p.dictionary() == q.dictionary()) {
        int c = p.codes()[i];
        int d = q.codes()[j];
        if (c == d) {
          return 0;
        }
        if (p.dictionary().sorted()) {
          return Integer.compare(c, d);
        }
      }
      return a.compare(i, b, j);
    }
  }
}
