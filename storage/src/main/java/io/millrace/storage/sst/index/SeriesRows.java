package io.millrace.storage.sst.index;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorConcat;
import io.millrace.common.type.SqlType;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.codec.VectorCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last row of each series in a row group, in key order, so that the newest rows of a file are
 * known without reading it. As a blob: version, number of tags, number of columns, the columns' ids
 * (tags in order, the time index, others), then the rows as a batch of these columns and one more
 * with the rows' numbers in the group.
 *
 * @param tags how many of the ids are tags
 * @param ids the columns of the rows; the rows have one more
 */
public record SeriesRows(int tags, List<Integer> ids, Batch rows) implements IndexBlock {
  static final String TYPE = "millrace-series-v1";
  private static final int VERSION = 1;

  /** With fewer rows a series on average there is nothing to gain. */
  private static final int ROWS_A_SERIES = 64;

  /** The number in the row group of a series' last row. */
  public int last(int series) {
    return ((IntVector) rows.column(ids.size())).get(series);
  }

  /** A column of the rows; null if it is not there. */
  public @Nullable Vector column(int id) {
    int at = ids.indexOf(id);
    return at < 0 ? null : rows.column(at);
  }

  @Override
  public long bytes() {
    return 100 + rows.byteSize();
  }

  static SeriesRows read(byte[] blob) {
    var r = new ByteReader(blob, 0, blob.length);
    SideCarFormat.version(r.u1(), VERSION);
    int tags = r.count();
    int n = r.count();
    var ids = new ArrayList<Integer>();
    for (int i = 0; i < n; i++) {
      ids.add((int) r.var());
    }
    return new SeriesRows(tags, List.copyOf(ids), VectorCodec.readBatch(r));
  }

  /**
   * Gathers the rows of one row group while its columns go by. Columns that come before the last of
   * the key columns are left out, so that no column need be kept. One thread.
   */
  static final class Collector {
    private final List<Integer> keys;
    private final Map<Integer, List<Vector>> keyPages = new HashMap<>();
    private final List<Integer> ids = new ArrayList<>();
    private final List<Vector> columns = new ArrayList<>();
    private int @Nullable [] ends;
    private boolean useless;

    /** Over tags in order and the time index; empty: nothing is gathered. */
    Collector(List<Integer> keys) {
      this.keys = keys;
      this.useless = keys.isEmpty();
    }

    void column(int id, List<Vector> pages) {
      if (useless) {
        return;
      }
      int[] e = ends;
      if (e != null) {
        if (!ids.contains(id)) {
          ids.add(id);
          columns.add(take(pages, e));
        }
        return;
      }
      if (keys.contains(id)) {
        keyPages.put(id, pages);
      }
      if (keyPages.size() == keys.size()) {
        settle();
      }
    }

    private void settle() {
      int[] e = ends();
      if (e == null) {
        useless = true;
      } else {
        for (int id : keys) {
          ids.add(id);
          columns.add(take(keyPages.getOrDefault(id, List.of()), e));
        }
        ends = e;
      }
      keyPages.clear();
    }

    /** The last rows of the series; null if they are too many. */
    private int @Nullable [] ends() {
      var tags = keys.subList(0, keys.size() - 1);
      List<Vector> time = keyPages.getOrDefault(keys.getLast(), List.of());
      int rows = time.stream().mapToInt(Vector::length).sum();
      int most = rows / ROWS_A_SERIES;
      int[] out = new int[16];
      int n = 0;
      int start = 0;
      for (int p = 0; p < time.size(); p++) {
        int length = time.get(p).length();
        boolean[] begins = new boolean[length];
        for (int id : tags) {
          List<Vector> pages = keyPages.getOrDefault(id, List.of());
          changes(pages.get(p), p == 0 ? null : pages.get(p - 1), begins);
        }
        for (int i = 0; i < length; i++) {
          if (begins[i]) {
            if (n == most) {
              return null;
            }
            out = n == out.length ? Arrays.copyOf(out, n * 2) : out;
            out[n++] = start + i - 1;
          }
        }
        start += length;
      }
      if (rows == 0 || n == most) {
        return null;
      }
      out = Arrays.copyOf(out, n + 1);
      out[n] = rows - 1;
      return out;
    }

    /** Marks rows that differ from the one before. */
    private static void changes(Vector v, @Nullable Vector before, boolean[] begins) {
      if (before != null && begins.length > 0) {
        begins[0] |= !v.same(0, before, before.length() - 1);
      }
      int[] codes = v instanceof DictVector d && !d.mayHaveNulls() ? d.codes() : null;
      for (int i = 1; i < begins.length; i++) {
        if (!begins[i] && (codes == null || codes[i] != codes[i - 1])) {
          begins[i] = !v.same(i, v, i - 1);
        }
      }
    }

    private static Vector take(List<Vector> pages, int[] ends) {
      int k = pages.size();
      @Nullable Vector[] parts = new @Nullable Vector[k];
      int[] from = new int[k];
      int[] count = new int[k];
      int start = 0;
      int e = 0;
      for (int p = 0; p < k; p++) {
        int end = start + pages.get(p).length();
        int[] at = new int[ends.length];
        while (e < ends.length && ends[e] < end) {
          at[count[p]++] = ends[e++] - start;
        }
        parts[p] = pages.get(p).take(at, count[p]);
        start = end;
      }
      return VectorConcat.concat(pages.getFirst().type(), parts, from, count, k);
    }

    /** The blob; null if there is none. */
    byte @Nullable [] blob() {
      int[] e = ends;
      if (e == null) {
        return null;
      }
      var w = new ByteWriter(1024);
      w.u1(VERSION).var(keys.size() - 1).var(ids.size());
      for (int id : ids) {
        w.var(id);
      }
      var all = new ArrayList<>(columns);
      all.add(new IntVector(SqlType.INT4, e, e.length, null));
      VectorCodec.write(w, new Batch(all, e.length));
      return w.toBytes();
    }
  }
}
