package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.storage.memtable.SeriesTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Merges sources by (tags, time, sequence descending). A heap holds the sources by their next row;
 * while the first source's rows lie below the second's next key they go through as one run, found
 * series by series and by binary search in time, so sources that do not interleave cost next to
 * nothing. Equal keys are collected newest first and folded.
 *
 * <p>The series of a chunk are found once, when it is loaded, and numbered the same for all
 * sources, so that within and between sources rows of one series are known by a number and tags are
 * compared only where series differ. Where nearly every row is a series of its own, tags are
 * compared as they are. One thread.
 */
final class Merger {
  /** Chunks loaded in one call, so that it takes a few milliseconds. */
  private static final int CHUNKS_A_CALL = 8;

  /** So many series are numbered at most. */
  private static final int MAX_SERIES = 1 << 17;

  /** Rows per series of a chunk from which on numbering them pays. */
  private static final int WORTH = 4;

  private final ReadSchema schema;
  private final SeriesTable series;
  private final Fold fold;
  private final Head[] heap;
  private int size;

  /** Sources without rows at hand; nothing can be merged before they have some. */
  private final ArrayDeque<Head> waiting = new ArrayDeque<>();

  private Chunk[] versions = new Chunk[8];
  private int[] versionRows = new int[8];

  /** The key whose versions are being collected. */
  private final Head key;

  private static final class Head {
    final ChunkCursor cursor;
    Chunk chunk = new Chunk.Empty();
    List<Vector> tags = List.of();
    long[] time = new long[0];
    int row;

    /** Where the series of the chunk end. */
    int[] ends = new int[0];

    /** Their numbers; -1 where they have none. */
    int[] numbers = new int[0];

    /** The series of the row. */
    int at;

    Head(ChunkCursor cursor) {
      this.cursor = cursor;
    }

    void like(Head other) {
      chunk = other.chunk;
      tags = other.tags;
      time = other.time;
      row = other.row;
      ends = other.ends;
      numbers = other.numbers;
      at = other.at;
    }

    void advance(int rows) {
      row += rows;
      while (at < ends.length && ends[at] <= row) {
        at++;
      }
    }
  }

  Merger(ReadSchema schema, List<ChunkCursor> cursors, Fold fold) {
    this.schema = schema;
    this.series = new SeriesTable(schema.tagTypes());
    this.fold = fold;
    heap = new Head[cursors.size()];
    for (ChunkCursor c : cursors.reversed()) {
      waiting.addLast(new Head(c));
    }
    key = new Head(() -> null);
  }

  /** Takes the head's next chunk: null = at its end, an empty one = nothing yet. */
  private @Nullable Chunk load(Head h) {
    Chunk c = h.cursor.next();
    if (c != null && c.rows > 0) {
      h.chunk = c;
      h.row = 0;
      h.at = 0;
      h.time = c.time();
      h.tags = new ArrayList<>();
      for (int t = 0; t < schema.tagIds.size(); t++) {
        h.tags.add(schema.tag(c, t));
      }
      if (heap.length > 1) {
        number(h);
      }
    }
    return c;
  }

  /** Finds the series of a chunk and numbers them. */
  private void number(Head h) {
    int rows = h.chunk.rows;
    boolean[] starts = new boolean[rows];
    for (Vector v : h.tags) {
      KeyList.Keys.changes(v, rows, starts);
    }
    int n = 1;
    for (int i = 1; i < rows; i++) {
      n += starts[i] ? 1 : 0;
    }
    int[] firsts = new int[n];
    int k = 1;
    for (int i = 1; i < rows; i++) {
      if (starts[i]) {
        firsts[k++] = i;
      }
    }
    h.ends = new int[n];
    System.arraycopy(firsts, 1, h.ends, 0, n - 1);
    h.ends[n - 1] = rows;
    h.numbers = new int[n];
    if (n > rows / WORTH + 1 || series.size() + n > MAX_SERIES) {
      Arrays.fill(h.numbers, -1);
      return;
    }
    Vector[] tags = new Vector[h.tags.size()];
    for (int t = 0; t < tags.length; t++) {
      tags[t] = h.tags.get(t).take(firsts, n);
    }
    series.resolve(tags, n, h.numbers);
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

  /** Order of the heads' series. */
  private static int compareTags(Head a, Head b) {
    int x = a.numbers[a.at];
    return x >= 0 && x == b.numbers[b.at] ? 0 : KeyList.Keys.compare(a.tags, a.row, b.tags, b.row);
  }

  private static int compareKeys(Head a, Head b) {
    int c = compareTags(a, b);
    return c != 0 ? c : Long.compare(a.time[a.row], b.time[b.row]);
  }

  private static boolean less(Head a, Head b) {
    int c = compareKeys(a, b);
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
    top.advance(rows);
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
    key.like(heap[0]);
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
    } while (size > 0 && sameKey(heap[0]));
    fold.group(versions, versionRows, n, out);
  }

  private boolean sameKey(Head h) {
    if (heap.length > 1) {
      return compareKeys(h, key) == 0;
    }
    return h.time[h.row] == key.time[key.row]
        && KeyList.Keys.compare(h.tags, h.row, key.tags, key.row) == 0;
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
    int number = second.numbers[second.at];
    for (int s = top.at; row < limit; s++) {
      int x = top.numbers[s];
      int c =
          x >= 0 && x == number ? 0 : KeyList.Keys.compare(top.tags, row, second.tags, second.row);
      if (c > 0) {
        return row;
      }
      int end = Math.min(limit, top.ends[s]);
      if (c == 0) {
        return firstFrom(top.time, row, end, second.time[second.row]);
      }
      row = end;
    }
    return limit;
  }

  /** The first of rows [from, to) at or behind a time; near the beginning as a rule. */
  private static int firstFrom(long[] times, int from, int to, long wanted) {
    int step = 1;
    int lo = from;
    int hi = from;
    while (hi < to && times[hi] < wanted) {
      lo = hi + 1;
      hi += step;
      step *= 2;
    }
    hi = Math.min(hi, to);
    while (lo < hi) {
      int mid = lo + hi >>> 1;
      if (times[mid] < wanted) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return lo;
  }
}
