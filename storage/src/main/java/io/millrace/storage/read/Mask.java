package io.millrace.storage.read;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.sst.Rectangle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Takes away from a source's rows those that range deletes take, before any merge: what is left of
 * a key's versions then merges as if the others had never been. Rows that a ROWS hold between them
 * and the delete needs are left, for who writes files. One thread.
 */
final class Mask {
  private final ReadSchema schema;
  private final List<Entry> entries = new ArrayList<>();
  private final long[] rowsHolds;
  private long taken;

  private record Entry(Rectangle rectangle, List<Filter> tags) {}

  Mask(ReadSchema schema, List<Rectangle> rectangles) {
    this(schema, rectangles, new long[0]);
  }

  /**
   * A mask.
   *
   * @param rowsHolds sequences of ROWS holds, ascending
   */
  Mask(ReadSchema schema, List<Rectangle> rectangles, long[] rowsHolds) {
    this.schema = schema;
    this.rowsHolds = rowsHolds;
    for (Rectangle r : rectangles) {
      var filters = new ArrayList<Filter>();
      for (int i = 0; i < r.what().tagIds().size(); i++) {
        int id = r.what().tagIds().get(i);
        Vector value = converted(r.what().tags().get(i), schema.type(id));
        filters.add(new Filter(new ColumnPredicate.Compare(id, ColumnPredicate.Op.EQ, value)));
      }
      entries.add(new Entry(r, filters));
    }
  }

  private static Vector converted(Vector v, SqlType type) {
    if (v.type().equals(type)) {
      return v;
    }
    return Conversions.sameValues(v.type(), type) ? v.withType(type) : Conversions.convert(v, type);
  }

  /** The largest sequence of a delete that has taken a row. */
  long taken() {
    return taken;
  }

  /** What is left of the chunk; an empty one if nothing is. */
  Chunk apply(Chunk c) {
    if (c.rows == 0) {
      return c;
    }
    long[] gone = null;
    for (Entry e : entries) {
      if (e.rectangle.touches(c.minTime, c.maxTime, c.minSequence, c.maxSequence)) {
        gone = take(c, e, gone == null ? new long[Bits.words(c.rows)] : gone);
      }
    }
    return gone == null ? c : without(c, gone);
  }

  /** Whether a row is taken. */
  boolean takes(Chunk c, int row) {
    for (Entry e : entries) {
      Rectangle r = e.rectangle;
      long t = c.time()[row];
      boolean inside =
          t >= r.what().minTime() && t <= r.what().maxTime() && r.takes(c.sequence()[row]);
      for (int i = 0; i < e.tags.size() && inside; i++) {
        Filter f = e.tags.get(i);
        inside = f.apply(schema.column(c, f.columnId()), new int[] {row}, 1) == 1;
      }
      if (inside && !held(c.sequence()[row], r.sequence())) {
        return true;
      }
    }
    return false;
  }

  private long[] take(Chunk c, Entry e, long[] gone) {
    Rectangle r = e.rectangle;
    int[] at = new int[c.rows];
    int n = 0;
    long[] time = c.time();
    for (int i = 0; i < c.rows; i++) {
      at[n] = i;
      n += time[i] >= r.what().minTime() && time[i] <= r.what().maxTime() ? 1 : 0;
    }
    for (Filter f : e.tags) {
      n = n == 0 ? 0 : f.apply(schema.column(c, f.columnId()), at, n);
    }
    if (n == 0) {
      return gone;
    }
    long[] sequence = c.sequence();
    for (int k = 0; k < n; k++) {
      long s = sequence[at[k]];
      if (r.takes(s) && !held(s, r.sequence())) {
        Bits.set(gone, at[k]);
        taken = Math.max(taken, r.sequence());
      }
    }
    return gone;
  }

  /** Whether a hold lies at or above the row and below the delete. */
  private boolean held(long row, long delete) {
    if (rowsHolds.length == 0) {
      return false;
    }
    int p = Arrays.binarySearch(rowsHolds, row);
    int at = p >= 0 ? p : -p - 1;
    return at < rowsHolds.length && rowsHolds[at] < delete;
  }

  private static Chunk without(Chunk c, long[] gone) {
    int[] left = new int[c.rows];
    int n = 0;
    for (int i = 0; i < c.rows; i++) {
      left[n] = i;
      n += Bits.get(gone, i) ? 0 : 1;
    }
    if (n == c.rows) {
      return c;
    }
    return n == 0 ? new Chunk.Empty() : c.narrow(left, n);
  }

  /** A cursor's rows without those taken. */
  ChunkCursor over(ChunkCursor rows) {
    return () -> {
      Chunk c = rows.next();
      return c == null ? null : apply(c);
    };
  }
}
