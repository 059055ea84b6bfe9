package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of keys, by the first tag: from one value, inclusive, up to another, exclusive. NULL
 * comes last, as in keys.
 *
 * @param from one row; null = from the first key on
 * @param to one row; null = to the last key
 */
record KeyRange(@Nullable Vector from, @Nullable Vector to) {
  boolean contains(Vector v, int row) {
    return !below(v, row) && !beyond(v, row);
  }

  private boolean below(Vector v, int row) {
    return from != null && KeyList.Keys.compare(v, row, from, 0) < 0;
  }

  private boolean beyond(Vector v, int row) {
    return to != null && KeyList.Keys.compare(v, row, to, 0) >= 0;
  }

  /** Whether a page can have rows of it. */
  boolean touches(@Nullable Vector mins, @Nullable Vector maxs, long @Nullable [] nulls, int page) {
    if (mins == null || maxs == null) {
      return true;
    }
    boolean hasNulls = nulls == null || nulls[page] > 0;
    if (mins.isNull(page)) {
      return to == null || !hasNulls;
    }
    return !beyond(mins, page) && (!below(maxs, page) || hasNulls);
  }

  /** The rows of it among rows in key order. */
  Runs rows(Vector v, int n) {
    int first = place(v, 0, n, true);
    int end = place(v, first, n, false);
    return new Runs(new int[] {first}, new int[] {end - first}, end > first ? 1 : 0);
  }

  private int place(Vector v, int low, int high, boolean start) {
    int lo = low;
    int hi = high;
    while (lo < hi) {
      int mid = lo + hi >>> 1;
      if (start ? below(v, mid) : !beyond(v, mid)) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return lo;
  }
}
