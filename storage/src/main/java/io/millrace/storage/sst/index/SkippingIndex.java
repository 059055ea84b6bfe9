package io.millrace.storage.sst.index;

import io.millrace.common.batch.Vector;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * Bloom filters of the values of a column, one for every so many rows of a row group. Rules out
 * stretches of rows for = and IN, for very many different values at a few bits each.
 *
 * <p>As a blob: version u1, rows var, granularity var, the filters.
 */
record SkippingIndex(int rows, int granularity, List<BloomFilter> filters) implements IndexBlock {
  private static final int VERSION = 1;

  SkippingIndex {
    filters = List.copyOf(filters);
  }

  static byte[] build(Ordinals o, int granularity, double falsePositiveRate) {
    var w = new ByteWriter(o.rows() * 2);
    w.u1(VERSION).var(o.rows()).var(granularity);
    int[] seen = new int[o.count()];
    int[] distinct = new int[Math.min(granularity, o.rows())];
    for (int from = 0, granule = 1; from < o.rows(); from += granularity, granule++) {
      int n = 0;
      int to = (int) Math.min(o.rows(), (long) from + granularity);
      for (int r = from; r < to; r++) {
        int v = o.of(r);
        if (v >= 0 && seen[v] != granule) {
          seen[v] = granule;
          distinct[n++] = v;
        }
      }
      BloomFilter f = BloomFilter.sized(n, falsePositiveRate);
      for (int i = 0; i < n; i++) {
        f.add(o.hash(distinct[i]));
      }
      f.write(w);
    }
    return w.toBytes();
  }

  static SkippingIndex read(byte[] blob) {
    var r = new ByteReader(blob, 0, blob.length);
    SideCarFormat.version(r.u1(), VERSION);
    int rows = (int) r.var();
    int granularity = (int) r.var();
    var filters = new ArrayList<BloomFilter>();
    for (long from = 0; from < rows; from += granularity) {
      filters.add(BloomFilter.read(r));
    }
    return new SkippingIndex(rows, granularity, filters);
  }

  @Override
  public long bytes() {
    return 64 + filters.stream().mapToLong(BloomFilter::bytes).sum();
  }

  /** Rows that can satisfy the predicate; null where all may. */
  @Nullable RoaringBitmap rows(ColumnPredicate p) {
    Vector wanted =
        switch (p) {
          case ColumnPredicate.Compare c when c.op() == ColumnPredicate.Op.EQ -> c.constant();
          case ColumnPredicate.In in -> in.values();
          case ColumnPredicate.Compare _,
              ColumnPredicate.Text _,
              ColumnPredicate.IsNull _,
              ColumnPredicate.IsNotNull _ ->
              null;
        };
    if (wanted == null) {
      return null;
    }
    var out = new RoaringBitmap();
    for (int g = 0; g < filters.size(); g++) {
      long from = (long) g * granularity;
      if (any(filters.get(g), wanted)) {
        out.add(from, Math.min(rows, from + granularity));
      }
    }
    return out;
  }

  private static boolean any(BloomFilter f, Vector wanted) {
    for (int i = 0; i < wanted.length(); i++) {
      if (f.mightContain(wanted.hash(i))) {
        return true;
      }
    }
    return false;
  }
}
