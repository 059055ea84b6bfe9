package io.millrace.storage.read;

import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.storage.memtable.IntSort;
import io.millrace.storage.memtable.SeriesTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Distinct keys in key order, to be looked up. Their tags are kept once per series, so that what
 * compares keys compares tags once per series and then numbers. Immutable.
 */
final class KeyList {
  /** The tags of each series, in key order. */
  final List<Vector> tags;

  /** The series of each key; ascending. */
  final int[] series;

  /** The first key of each series, and at last the number of keys. */
  final int[] starts;

  final long[] times;
  final int rows;

  private KeyList(List<Vector> tags, int[] series, int[] starts, long[] times, int rows) {
    this.tags = tags;
    this.series = series;
    this.starts = starts;
    this.times = times;
    this.rows = rows;
  }

  int seriesCount() {
    return starts.length - 1;
  }

  /** One key of each of some series in key order. */
  static KeyList ofSeries(List<Vector> tags, long[] times) {
    int n = times.length;
    return new KeyList(tags, Chunk.identity(n), Chunk.identity(n + 1), times, n);
  }

  /** Keys sorted, and for each of the rows given the place of its key in the list. */
  record Sorted(KeyList keys, int[] placeOf) {}

  /**
   * Sorts keys: their series are numbered, the series are ordered, and the keys are counted into
   * their series' places, where only times are left to compare.
   *
   * @param times of each of the rows
   */
  static Sorted sort(ReadSchema schema, List<Vector> tags, long[] times, int rows) {
    if (rows == 1) {
      return new Sorted(new KeyList(tags, new int[1], new int[] {0, 1}, times, 1), new int[1]);
    }
    var table = new SeriesTable(schema.tagTypes());
    int[] number = new int[rows];
    table.resolve(tags.toArray(new Vector[0]), rows, number);
    int n = table.size();
    int[] rank = table.ranks(n);
    int[] starts = new int[n + 1];
    for (int i = 0; i < rows; i++) {
      starts[rank[number[i]] + 1]++;
    }
    for (int s = 0; s < n; s++) {
      starts[s + 1] += starts[s];
    }
    int[] order = new int[rows];
    int[] at = starts.clone();
    for (int i = 0; i < rows; i++) {
      order[at[rank[number[i]]]++] = i;
    }
    int[] byRank = new int[n];
    for (int s = 0; s < n; s++) {
      byRank[rank[s]] = s;
    }
    var sortedTags = new ArrayList<Vector>();
    for (int t = 0; t < tags.size(); t++) {
      sortedTags.add(table.tag(t, byRank, n));
    }
    return distinct(sortedTags, starts, order, times);
  }

  private static Sorted distinct(List<Vector> tags, int[] starts, int[] order, long[] times) {
    int rows = order.length;
    int[] placeOf = new int[rows];
    int[] series = new int[rows];
    long[] sorted = new long[rows];
    int[] firsts = new int[starts.length];
    int k = 0;
    for (int s = 0; s + 1 < starts.length; s++) {
      int from = starts[s];
      int to = starts[s + 1];
      if (!ascending(order, times, from, to)) {
        IntSort.sort(order, from, to, (a, b) -> Long.compare(times[a], times[b]));
      }
      firsts[s] = k;
      for (int i = from; i < to; i++) {
        long t = times[order[i]];
        if (k == firsts[s] || sorted[k - 1] != t) {
          series[k] = s;
          sorted[k++] = t;
        }
        placeOf[order[i]] = k - 1;
      }
    }
    firsts[firsts.length - 1] = k;
    return new Sorted(new KeyList(tags, series, firsts, sorted, k), placeOf);
  }

  private static boolean ascending(int[] order, long[] times, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      if (times[order[i]] < times[order[i - 1]]) {
        return false;
      }
    }
    return true;
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

    /** Order of two rows by tags. */
    static int compare(List<? extends @Nullable Vector> a, int i, List<Vector> b, int j) {
      for (int t = 0; t < b.size(); t++) {
        int c = compare(a.get(t), i, b.get(t), j);
        if (c != 0) {
          return c;
        }
      }
      return 0;
    }

    /** Order of two tag values, NULLs last. */
    static int compare(@Nullable Vector a, int i, @Nullable Vector b, int j) {
      boolean x = a == null || a.isNull(i);
      boolean y = b == null || b.isNull(j);
      if (x || y || a == null || b == null) {
        return Boolean.compare(x, y);
      }
      if (a instanceof DictVector p
          && b instanceof DictVector q
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

    /**
     * Marks where rows differ from the one before in a tag: one array access a row for
     * dictionaries.
     *
     * @param starts bits, those of such rows are set; row 0 is left as it is
     */
    static void changes(@Nullable Vector v, int rows, boolean[] starts) {
      if (v == null) {
        return;
      }
      if (v instanceof DictVector d && !d.mayHaveNulls()) {
        int[] codes = d.codes();
        for (int i = 1; i < rows; i++) {
          starts[i] |= codes[i] != codes[i - 1];
        }
        return;
      }
      for (int i = 1; i < rows; i++) {
        if (!starts[i]) {
          starts[i] = compare(v, i, v, i - 1) != 0;
        }
      }
    }
  }
}
