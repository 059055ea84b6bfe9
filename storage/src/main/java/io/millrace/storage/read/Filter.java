package io.millrace.storage.read;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.storage.ColumnPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates one predicate over vectors, and over bounds of pages. Remembers per dictionary which
 * entries match, so that a dictionary column costs one array access a row. One thread.
 */
final class Filter {
  final ColumnPredicate predicate;
  private DictVector.@Nullable Dictionary lastDictionary;
  private byte[] lastMatches = new byte[0];

  Filter(ColumnPredicate predicate) {
    this.predicate = predicate;
  }

  int columnId() {
    return predicate.columnId();
  }

  /** Keeps of the first n positions those that match; gives their number. */
  int apply(Vector v, int[] at, int n) {
    return switch (predicate) {
      case ColumnPredicate.IsNull _ -> nulls(v, at, n, true);
      case ColumnPredicate.IsNotNull _ -> nulls(v, at, n, false);
      case ColumnPredicate.Compare c -> compare(v, c, at, n);
      case ColumnPredicate.In in -> in(v, in, at, n);
      case ColumnPredicate.Text t -> text(v, t, at, n);
    };
  }

  private int text(Vector v, ColumnPredicate.Text t, int[] at, int n) {
    int m = v.mayHaveNulls() ? nulls(v, at, n, false) : n;
    if (v instanceof DictVector d) {
      return coded(d, at, m);
    }
    var texts = (BytesColumn) v;
    int k = 0;
    for (int i = 0; i < m; i++) {
      if (t.match().matches(texts.string(at[i]))) {
        at[k++] = at[i];
      }
    }
    return k;
  }

  private static int nulls(Vector v, int[] at, int n, boolean wanted) {
    if (!v.mayHaveNulls()) {
      return wanted ? 0 : n;
    }
    int k = 0;
    for (int i = 0; i < n; i++) {
      if (v.isNull(at[i]) == wanted) {
        at[k++] = at[i];
      }
    }
    return k;
  }

  private int compare(Vector v, ColumnPredicate.Compare c, int[] at, int n) {
    int m = v.mayHaveNulls() ? nulls(v, at, n, false) : n;
    switch (v) {
      case LongVector l when c.constant() instanceof LongVector x -> {
        return longs(l.values(), x.get(0), c.op(), at, m);
      }
      case IntVector l when c.constant() instanceof IntVector x -> {
        return ints(l.values(), x.get(0), c.op(), at, m);
      }
      case DoubleVector d
          when c.constant() instanceof DoubleVector x && !Double.isNaN(x.get(0)) -> {
        return doubles(d.values(), x.get(0), c.op(), at, m);
      }
      case DictVector d -> {
        return coded(d, at, m);
      }
      default -> {
        int k = 0;
        for (int i = 0; i < m; i++) {
          if (matches(c.op(), v.compare(at[i], c.constant(), 0))) {
            at[k++] = at[i];
          }
        }
        return k;
      }
    }
  }

  static boolean matches(ColumnPredicate.Op op, int c) {
    return switch (op) {
      case EQ -> c == 0;
      case NE -> c != 0;
      case LT -> c < 0;
      case LE -> c <= 0;
      case GT -> c > 0;
      case GE -> c >= 0;
    };
  }

  private static int longs(long[] v, long x, ColumnPredicate.Op op, int[] at, int n) {
    int k = 0;
    switch (op) {
      case EQ -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] == x ? 1 : 0;
        }
      }
      case NE -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] != x ? 1 : 0;
        }
      }
      case LT -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] < x ? 1 : 0;
        }
      }
      case LE -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] <= x ? 1 : 0;
        }
      }
      case GT -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] > x ? 1 : 0;
        }
      }
      case GE -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] >= x ? 1 : 0;
        }
      }
    }
    return k;
  }

  private static int ints(int[] v, int x, ColumnPredicate.Op op, int[] at, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) {
      int p = at[i];
      at[k] = p;
      boolean keep =
          switch (op) {
            case EQ -> v[p] == x;
            case NE -> v[p] != x;
            case LT -> v[p] < x;
            case LE -> v[p] <= x;
            case GT -> v[p] > x;
            case GE -> v[p] >= x;
          };
      k += keep ? 1 : 0;
    }
    return k;
  }

  /** NaN is above all numbers, so it satisfies what is not "at most x". */
  private static int doubles(double[] v, double x, ColumnPredicate.Op op, int[] at, int n) {
    int k = 0;
    switch (op) {
      case EQ -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] == x ? 1 : 0;
        }
      }
      case NE -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] != x ? 1 : 0;
        }
      }
      case LT -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] < x ? 1 : 0;
        }
      }
      case LE -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] <= x ? 1 : 0;
        }
      }
      case GT -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] <= x ? 0 : 1;
        }
      }
      case GE -> {
        for (int i = 0; i < n; i++) {
          int p = at[i];
          at[k] = p;
          k += v[p] < x ? 0 : 1;
        }
      }
    }
    return k;
  }

  private int in(Vector v, ColumnPredicate.In in, int[] at, int n) {
    int m = v.mayHaveNulls() ? nulls(v, at, n, false) : n;
    if (v instanceof DictVector d) {
      return coded(d, at, m);
    }
    int k = 0;
    for (int i = 0; i < m; i++) {
      if (find(in.values(), v, at[i]) >= 0) {
        at[k++] = at[i];
      }
    }
    return k;
  }

  /**
   * The first of n ascending values, none of them null, that is at least, or above, the constant.
   */
  int firstOf(Vector v, int n, boolean above) {
    Vector wanted = ((ColumnPredicate.Compare) predicate).constant();
    int lo = 0;
    int hi = n;
    while (lo < hi) {
      int mid = lo + hi >>> 1;
      int c = v.compare(mid, wanted, 0);
      if (above ? c <= 0 : c < 0) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return lo;
  }

  /** Place of a value among sorted values; below 0 as Arrays.binarySearch if not there. */
  static int find(Vector sorted, Vector v, int row) {
    int lo = 0;
    int hi = sorted.length() - 1;
    while (lo <= hi) {
      int mid = lo + hi >>> 1;
      int c = sorted.compare(mid, v, row);
      if (c == 0) {
        return mid;
      }
      if (c < 0) {
        lo = mid + 1;
      } else {
        hi = mid - 1;
      }
    }
    return -lo - 1;
  }

  private boolean matchesValue(Vector v, int row) {
    return switch (predicate) {
      case ColumnPredicate.Compare c -> matches(c.op(), v.compare(row, c.constant(), 0));
      case ColumnPredicate.In in -> find(in.values(), v, row) >= 0;
      case ColumnPredicate.IsNull _ -> v.isNull(row);
      case ColumnPredicate.IsNotNull _ -> !v.isNull(row);
      case ColumnPredicate.Text t -> t.match().matches(((BytesColumn) v).string(row));
    };
  }

  private int coded(DictVector d, int[] at, int n) {
    DictVector.Dictionary dictionary = d.dictionary();
    int size = dictionary.size();
    if (dictionary != lastDictionary || lastMatches.length < size) {
      lastMatches = new byte[size];
      lastDictionary = dictionary;
    }
    byte[] m = lastMatches;
    int[] codes = d.codes();
    int k = 0;
    for (int i = 0; i < n; i++) {
      int p = at[i];
      int c = codes[p];
      byte known = m[c];
      if (known == 0) {
        known = (byte) (matchesValue(d, p) ? 1 : 2);
        m[c] = known;
      }
      at[k] = p;
      k += known & 1;
    }
    return k;
  }

  /** Whether rows of a page can match, by its bounds. */
  boolean mayMatch(
      @Nullable Vector mins, @Nullable Vector maxs, long @Nullable [] nulls, int page, int rows) {
    if (nulls != null) {
      if (predicate instanceof ColumnPredicate.IsNull) {
        return nulls[page] > 0;
      }
      if (nulls[page] == rows) {
        return false;
      }
    }
    if (mins == null || maxs == null || mins.isNull(page) || maxs.isNull(page)) {
      return true;
    }
    return switch (predicate) {
      case ColumnPredicate.IsNull _ -> true;
      case ColumnPredicate.IsNotNull _ -> true;
      case ColumnPredicate.Text _ -> true;
      case ColumnPredicate.Compare c -> {
        if (!mins.getClass().equals(c.constant().getClass())
            && mins.type().layout() != c.constant().type().layout()) {
          yield true;
        }
        int lo = mins.compare(page, c.constant(), 0);
        int hi = maxs.compare(page, c.constant(), 0);
        yield switch (c.op()) {
          case EQ -> lo <= 0 && hi >= 0;
          case NE -> lo != 0 || hi != 0;
          case LT -> lo < 0;
          case LE -> lo <= 0;
          case GT -> hi > 0;
          case GE -> hi >= 0;
        };
      }
      case ColumnPredicate.In in -> {
        if (mins.type().layout() != in.values().type().layout()) {
          yield true;
        }
        int p = find(in.values(), mins, page);
        if (p >= 0) {
          yield true;
        }
        int first = -p - 1;
        yield first < in.values().length() && in.values().compare(first, maxs, page) <= 0;
      }
    };
  }
}
