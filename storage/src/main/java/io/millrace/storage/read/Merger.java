package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Merges sources by (tags, time, sequence descending). A heap holds the sources by their next row;
 * while the first source's rows lie below the second's next key they go through as one run, found
 * series by series and by binary search in time, so sources that do not interleave cost next to
 * nothing. Equal keys are collected newest first and folded. One thread.
 */
final class Merger {
  /** Chunks loaded in one call, so that it takes a few milliseconds. */
  private static final int CHUNKS_A_CALL = 8;

  private final Fold fold;
  private final Head[] heap;
  private int size;

  /** Sources without rows at hand; nothing can be merged before they have some. */
  private final ArrayDeque<Head> waiting = new ArrayDeque<>();

  private Chunk[] versions = new Chunk[8];
  private int[] versionRows = new int[8];

  private static final class Head {
    final ChunkCursor cursor;
    Chunk chunk = new Chunk.Empty();
    @Nullable Vector[] tags;
    long[] time = new long[0];
    int row;

    Head(ChunkCursor cursor, int width) {
      this.cursor = cursor;
      this.tags = new Vector[width];
    }
  }

  Merger(ReadSchema schema, List<ChunkCursor> cursors, Fold fold) {
    this.fold = fold;
    heap = new Head[cursors.size()];
    for (ChunkCursor c : cursors.reversed()) {
      waiting.addLast(new Head(c, schema.tagIds.size()));
    }
  }

  /** Takes the head's next chunk: null = at its end, an empty one = nothing yet. */
  private static @Nullable Chunk load(Head h) {
    Chunk c = h.cursor.next();
    if (c != null && c.rows > 0) {
      h.chunk = c;
      h.row = 0;
      h.time = c.time();
      for (int t = 0; t < h.tags.length; t++) {
        h.tags[t] = c.tag(t);
      }
    }
    return c;
  }

  /** Loads heads that have no rows at hand; gives what is left of the budget, 0 if it ran out. */
  private int loadWaiting(int budget) {
    int left = budget;
    while (!waiting.isEmpty()) {
      if (left == 0) {
        return 0;
      }
      left--;
      Head h = waiting.getLast();
      Chunk c = load(h);
      if (c == null) {
        waiting.removeLast();
      } else if (c.rows > 0) {
        waiting.removeLast();
        push(h);
      }
    }
    return left;
  }

  /** Whether all sources are at their ends. */
  boolean done() {
    return size == 0 && waiting.isEmpty();
  }

  private void push(Head h) {
    int i = size++;
    while (i > 0) {
      int parent = (i - 1) / 2;
      if (!less(h, heap[parent])) {
        break;
      }
      heap[i] = heap[parent];
      i = parent;
    }
    heap[i] = h;
  }

  private int compareTags(Head a, int i, Head b, int j) {
    for (int t = 0; t < a.tags.length; t++) {
      int c = KeyList.Keys.compare(a.tags[t], i, b.tags[t], j);
      if (c != 0) {
        return c;
      }
    }
    return 0;
  }

  private int compareKeys(Head a, int i, Head b, int j) {
    int c = compareTags(a, i, b, j);
    return c != 0 ? c : Long.compare(a.time[i], b.time[j]);
  }

  private boolean less(Head a, Head b) {
    int c = compareKeys(a, a.row, b, b.row);
    return c < 0 || (c == 0 && a.chunk.sequence()[a.row] > b.chunk.sequence()[b.row]);
  }

  private void down(int at) {
    int i = at;
    Head x = heap[i];
    for (; ; ) {
      int k = 2 * i + 1;
      if (k >= size) {
        break;
      }
      if (k + 1 < size && less(heap[k + 1], heap[k])) {
        k++;
      }
      if (!less(heap[k], x)) {
        break;
      }
      heap[i] = heap[k];
      i = k;
    }
    heap[i] = x;
  }

  private void advance(Head top, int rows) {
    top.row += rows;
    if (top.row == top.chunk.rows) {
      size--;
      heap[0] = heap[size];
      waiting.addLast(top);
    }
    if (size > 0) {
      down(0);
    }
  }

  /**
   * Adds whole keys until about that many rows are there, or the work of a call is done; false at
   * the end if there are none.
   */
  boolean fill(Assembly out, int wanted) {
    int budget = CHUNKS_A_CALL;
    for (; ; ) {
      budget = loadWaiting(budget);
      if (!waiting.isEmpty()) {
        return true;
      }
      if (size == 0) {
        return out.rows() > 0;
      }
      if (out.rows() >= wanted) {
        return true;
      }
      Head top = heap[0];
      Chunk c = top.chunk;
      if (fold.raw() || (c.unique && c.op() == null)) {
        int end = runEnd(top, Math.min(wanted - out.rows(), c.rows - top.row));
        if (end > top.row) {
          int n = end - top.row;
          out.run(c, top.row, n);
          advance(top, n);
          continue;
        }
      }
      collect(out);
    }
  }

  private void collect(Assembly out) {
    int n = 0;
    Head first = heap[0];
    Chunk keyChunk = first.chunk;
    int keyRow = first.row;
    var key = new Head(first.cursor, first.tags.length);
    key.chunk = keyChunk;
    key.row = keyRow;
    key.time = first.time;
    System.arraycopy(first.tags, 0, key.tags, 0, key.tags.length);
    do {
      Head top = heap[0];
      if (n == versions.length) {
        versions = Arrays.copyOf(versions, n * 2);
        versionRows = Arrays.copyOf(versionRows, n * 2);
      }
      versions[n] = top.chunk;
      versionRows[n] = top.row;
      n++;
      advance(top, 1);
      while (loadWaiting(CHUNKS_A_CALL) == 0 && !waiting.isEmpty()) {}
    } while (size > 0 && compareKeys(heap[0], heap[0].row, key, keyRow) == 0);
    fold.group(versions, versionRows, n, out);
  }

  /** End of the first source's run below the second's next key, at most {@code max} rows. */
  private int runEnd(Head top, int max) {
    int limit = top.row + max;
    if (size == 1) {
      return limit;
    }
    Head second = heap[1];
    if (size > 2 && less(heap[2], second)) {
      second = heap[2];
    }
    int row = top.row;
    while (row < limit) {
      int c = compareTags(top, row, second, second.row);
      if (c > 0) {
        return row;
      }
      int end = seriesEnd(top, row, limit);
      if (c == 0) {
        long t = second.time[second.row];
        int lo = row;
        int hi = end;
        while (lo < hi) {
          int mid = lo + hi >>> 1;
          if (top.time[mid] < t) {
            lo = mid + 1;
          } else {
            hi = mid;
          }
        }
        return lo;
      }
      row = end;
    }
    return limit;
  }

  private static int seriesEnd(Head h, int row, int limit) {
    int end = row + 1;
    while (end < limit) {
      for (Vector v : h.tags) {
        if (v != null && KeyList.Keys.compare(v, end, v, row) != 0) {
          return end;
        }
      }
      end++;
    }
    return end;
  }
}
