package io.millrace.storage.sst.index;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.codec.VectorCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * For every distinct value of a column of a row group the rows that have it: a sorted dictionary
 * and a bitmap of row places per value, and one for NULL. A comparison is a stretch of the
 * dictionary, found by binary search; the bitmaps of the stretch together are the answer, exact.
 *
 * <p>As a blob: version u1, rows var, the dictionary (a batch of one column), then one after the
 * other the places of each value's set in the data that follows (i4, one more at the end), the
 * data; the set of NULL comes last. A set of up to {@value #FEW} rows is its size and the steps
 * between them, a larger one 255 and a Roaring bitmap in its portable form.
 */
final class InvertedIndex implements IndexBlock {
  private static final int VERSION = 1;
  private static final int FEW = 16;
  private static final int BITMAP = 255;
  private static final int MOST_TEXTS = 1000;

  private final Vector values;
  private final int rows;
  private final byte[] data;
  private final int[] starts;

  private InvertedIndex(Vector values, int rows, byte[] data, int[] starts) {
    this.values = values;
    this.rows = rows;
    this.data = data;
    this.starts = starts;
  }

  static byte[] build(Ordinals o) {
    int[] order = o.sorted();
    int n = order.length;
    int[] rankOf = new int[n];
    for (int i = 0; i < n; i++) {
      rankOf[order[i]] = i;
    }
    int rows = o.rows();
    int[] ends = new int[n + 2];
    for (int r = 0; r < rows; r++) {
      ends[1 + rank(o.of(r), rankOf)]++;
    }
    for (int i = 1; i < ends.length; i++) {
      ends[i] += ends[i - 1];
    }
    int[] places = new int[rows];
    int[] next = ends.clone();
    for (int r = 0; r < rows; r++) {
      places[next[rank(o.of(r), rankOf)]++] = r;
    }
    var w = new ByteWriter(rows + 16 * n);
    w.u1(VERSION).var(rows);
    VectorCodec.write(w, new Batch(List.of(o.values(order)), n));
    int table = w.skip(4 * (n + 2));
    int start = w.size();
    for (int i = 0; i <= n; i++) {
      w.i4At(table + 4 * i, w.size() - start);
      writeSet(w, places, ends[i], ends[i + 1]);
    }
    w.i4At(table + 4 * (n + 1), w.size() - start);
    return w.toBytes();
  }

  private static int rank(int ordinal, int[] rankOf) {
    return ordinal < 0 ? rankOf.length : rankOf[ordinal];
  }

  private static void writeSet(ByteWriter w, int[] places, int from, int to) {
    if (to - from <= FEW) {
      w.u1(to - from);
      int last = 0;
      for (int i = from; i < to; i++) {
        w.var(places[i] - last);
        last = places[i];
      }
      return;
    }
    var set = new RoaringBitmap();
    int i = from;
    while (i < to) {
      int end = i + 1;
      while (end < to && places[end] == places[end - 1] + 1) {
        end++;
      }
      set.add((long) places[i], places[end - 1] + 1L);
      i = end;
    }
    set.runOptimize();
    w.u1(BITMAP);
    int size = set.serializedSizeInBytes();
    int at = w.skip(size);
    set.serialize(ByteBuffer.wrap(w.array(), at, size));
  }

  static InvertedIndex read(byte[] blob) {
    var r = new ByteReader(blob, 0, blob.length);
    SideCarFormat.version(r.u1(), VERSION);
    int rows = (int) r.var();
    Vector values = VectorCodec.readBatch(r).column(0);
    int[] starts = new int[values.length() + 2];
    for (int i = 0; i < starts.length; i++) {
      starts[i] = r.i4();
    }
    byte[] data = r.bytes(r.remaining());
    if (starts[starts.length - 1] != data.length) {
      throw new IllegalStateException("inverted index is cut off");
    }
    return new InvertedIndex(values, rows, data, starts);
  }

  @Override
  public long bytes() {
    return 64 + values.byteSize() + data.length + 4L * starts.length;
  }

  /** Rows that satisfy the predicate; null where all may. */
  @Nullable RoaringBitmap rows(ColumnPredicate p) {
    return switch (p) {
      case ColumnPredicate.IsNull _ -> union(values.length(), values.length() + 1);
      case ColumnPredicate.IsNotNull _ -> allBut(values.length());
      case ColumnPredicate.Compare c ->
          c.constant().type().layout() == values.type().layout() ? compare(c) : null;
      case ColumnPredicate.In in ->
          in.values().type().layout() == values.type().layout() ? in(in.values()) : null;
      case ColumnPredicate.Text t -> text(t);
    };
  }

  private @Nullable RoaringBitmap compare(ColumnPredicate.Compare c) {
    int n = values.length();
    int low = bound(c.constant(), 0, false);
    int high = bound(c.constant(), 0, true);
    return switch (c.op()) {
      case EQ -> union(low, high);
      case LT -> union(0, low);
      case LE -> union(0, high);
      case GT -> union(high, n);
      case GE -> union(low, n);
      case NE -> {
        RoaringBitmap out = allBut(n);
        out.andNot(union(low, high));
        yield out;
      }
    };
  }

  /** Few values are looked at one by one. */
  private @Nullable RoaringBitmap text(ColumnPredicate.Text t) {
    if (values.length() > MOST_TEXTS || !(values instanceof BytesColumn texts)) {
      return null;
    }
    var out = new RoaringBitmap();
    for (int i = 0; i < texts.length(); i++) {
      if (t.match().matches(texts.string(i))) {
        addTo(out, i);
      }
    }
    return out;
  }

  private RoaringBitmap in(Vector wanted) {
    var out = new RoaringBitmap();
    for (int i = 0; i < wanted.length(); i++) {
      int low = bound(wanted, i, false);
      if (low < values.length() && values.compare(low, wanted, i) == 0) {
        addTo(out, low);
      }
    }
    return out;
  }

  /** The first value that is at least, or above, the one given. */
  private int bound(Vector v, int row, boolean above) {
    int lo = 0;
    int hi = values.length();
    while (lo < hi) {
      int mid = lo + hi >>> 1;
      int c = values.compare(mid, v, row);
      if (above ? c <= 0 : c < 0) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return lo;
  }

  private RoaringBitmap union(int from, int to) {
    var out = new RoaringBitmap();
    for (int i = from; i < to; i++) {
      addTo(out, i);
    }
    return out;
  }

  private RoaringBitmap allBut(int value) {
    var out = new RoaringBitmap();
    out.add(0L, rows);
    out.andNot(union(value, value + 1));
    return out;
  }

  private void addTo(RoaringBitmap out, int value) {
    var r = new ByteReader(data, starts[value], starts[value + 1] - starts[value]);
    int size = r.u1();
    if (size != BITMAP) {
      int last = 0;
      for (int i = 0; i < size; i++) {
        last += (int) r.var();
        out.add(last);
      }
      return;
    }
    var set = new RoaringBitmap();
    try {
      set.deserialize(ByteBuffer.wrap(data, r.position(), r.remaining()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    out.or(set);
  }
}
