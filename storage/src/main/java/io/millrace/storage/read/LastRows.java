package io.millrace.storage.read;

import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorConcat;
import io.millrace.common.type.SqlType;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last row of every series of a file, as a chunk. Where these rows lie, with their tags and
 * times, is found by one pass over the key columns and kept in the page cache; fields are gathered
 * from the file's blocks when a reader asks for them.
 */
final class LastRows extends Chunk {
  private final SstFile file;
  private final List<Vector> tags;
  private final long[] times;
  private final long[] positions;
  private final ScanCounters counters;
  private final Map<Integer, Vector> loaded = new HashMap<>();

  private LastRows(SstFile file, List<Vector> index, int rows, ScanCounters counters) {
    super(rows);
    this.file = file;
    this.tags = index.subList(0, index.size() - 2);
    this.times = ((LongVector) index.get(index.size() - 2)).values();
    this.positions = ((LongVector) index.get(index.size() - 1)).values();
    this.counters = counters;
  }

  /** Null if the file is older than one of the tags. */
  static @Nullable Chunk of(SstFile file, ReadSchema schema, ScanCounters counters) {
    List<Vector> index =
        file.derived(() -> build(file, schema, counters), schema.tagIds.hashCode());
    int n = index.getLast().length();
    return n == 0 ? null : new LastRows(file, index, n, counters);
  }

  private static List<Vector> build(SstFile file, ReadSchema schema, ScanCounters counters) {
    int width = schema.tagIds.size();
    var parts = new ArrayList<List<Vector>>();
    for (int i = 0; i < width; i++) {
      parts.add(new ArrayList<>());
    }
    long[] times = new long[1024];
    long[] positions = new long[1024];
    int n = 0;
    List<@Nullable Vector> before = null;
    int beforeRows = 0;
    long beforeStart = 0;
    long[] beforeTimes = new long[0];
    for (int g = 0; g < file.groups(); g++) {
      for (int b = 0; b < file.blocks(g); b++) {
        var c = new Block(file, schema, g, b, true, counters);
        var now = new ArrayList<@Nullable Vector>();
        for (int t = 0; t < width; t++) {
          now.add(c.tag(t));
        }
        int[] ends = new int[c.rows + 1];
        int k = 0;
        boolean closes = before != null && !same(before, beforeRows - 1, now, 0);
        if (before != null && closes) {
          n = add(parts, before, new int[] {beforeRows - 1}, 1, n);
          times = room(times, n);
          positions = room(positions, n);
          times[n - 1] = beforeTimes[beforeRows - 1];
          positions[n - 1] = beforeStart + beforeRows - 1;
        }
        for (int i = 0; i + 1 < c.rows; i++) {
          if (!same(now, i, now, i + 1)) {
            ends[k++] = i;
          }
        }
        long start = position(g, b);
        int from = n;
        n = add(parts, now, ends, k, n);
        times = room(times, n);
        positions = room(positions, n);
        long[] time = c.time();
        for (int i = 0; i < k; i++) {
          times[from + i] = time[ends[i]];
          positions[from + i] = start + ends[i];
        }
        before = now;
        beforeRows = c.rows;
        beforeStart = start;
        beforeTimes = time;
      }
    }
    if (before != null) {
      n = add(parts, before, new int[] {beforeRows - 1}, 1, n);
      times = room(times, n);
      positions = room(positions, n);
      times[n - 1] = beforeTimes[beforeRows - 1];
      positions[n - 1] = beforeStart + beforeRows - 1;
    }
    var out = new ArrayList<Vector>();
    for (int t = 0; t < width; t++) {
      out.add(joined(schema.tagType(t), parts.get(t)));
    }
    out.add(new LongVector(SqlType.INT8, Arrays.copyOf(times, n), n, null));
    out.add(new LongVector(SqlType.INT8, Arrays.copyOf(positions, n), n, null));
    return out;
  }

  private static Vector joined(SqlType type, List<Vector> parts) {
    int k = parts.size();
    int[] from = new int[k];
    int[] count = parts.stream().mapToInt(Vector::length).toArray();
    return VectorConcat.concat(type, parts.toArray(new @Nullable Vector[0]), from, count, k);
  }

  private static int add(
      List<List<Vector>> parts, List<@Nullable Vector> tags, int[] rows, int count, int n) {
    if (count > 0) {
      for (int t = 0; t < tags.size(); t++) {
        Vector v = tags.get(t);
        if (v != null) {
          parts.get(t).add(v.take(rows, count));
        }
      }
    }
    return n + count;
  }

  private static long[] room(long[] a, int n) {
    return n <= a.length ? a : Arrays.copyOf(a, Math.max(n, a.length * 2));
  }

  private static boolean same(List<@Nullable Vector> a, int i, List<@Nullable Vector> b, int j) {
    for (int t = 0; t < a.size(); t++) {
      if (KeyList.Keys.compare(a.get(t), i, b.get(t), j) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Blocks have at most 10,240 rows: group, block and row in one number. */
  private static long position(int group, int block) {
    return (long) group << 32 | (long) block << 16;
  }

  @Override
  Vector tag(int tag) {
    return tags.get(tag);
  }

  @Override
  long[] time() {
    return times;
  }

  @Override
  long[] sequence() {
    Vector v = gathered(SstFile.SEQUENCE_ID, SqlType.INT8);
    return ((LongVector) v).values();
  }

  @Override
  byte @Nullable [] op() {
    return null;
  }

  @Override
  @Nullable Vector field(int columnId) {
    return file.has(columnId) ? gathered(columnId, file.type(columnId)) : null;
  }

  private Vector gathered(int columnId, SqlType type) {
    Vector have = loaded.get(columnId);
    if (have != null) {
      return have;
    }
    @Nullable Vector[] sources = new Vector[rows];
    int[] from = new int[rows];
    int[] count = new int[rows];
    Arrays.fill(count, 1);
    long last = -1;
    Vector block = null;
    for (int i = 0; i < rows; i++) {
      long p = positions[i];
      long at = p >>> 16;
      if (at != last || block == null) {
        int group = (int) (p >>> 32);
        int b = (int) (p >>> 16) & 0xffff;
        counters.page(file.cached(columnId, group, b));
        block = file.block(columnId, group, b);
        last = at;
      }
      sources[i] = block;
      from[i] = (int) (p & 0xffff);
    }
    Vector v = VectorConcat.concat(type, sources, from, count, rows);
    loaded.put(columnId, v);
    return v;
  }
}
