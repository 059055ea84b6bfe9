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

  /** Finds the rows, a block a call. */
  static ChunkCursor cursor(SstFile file, ReadSchema schema, ScanCounters counters) {
    return new ChunkCursor() {
      private @Nullable Builder builder;
      private boolean done;

      @Override
      public @Nullable Chunk next() {
        if (done) {
          return null;
        }
        int kind = schema.tagIds.hashCode();
        List<Vector> index = file.derived(kind);
        if (index == null) {
          Builder b = builder;
          if (b == null) {
            b = new Builder(file, schema, counters);
            builder = b;
          }
          if (b.step()) {
            return new Empty();
          }
          index = b.finish();
          file.keepDerived(kind, index);
        }
        done = true;
        int n = index.getLast().length();
        return n == 0 ? null : new LastRows(file, index, n, counters);
      }
    };
  }

  private static final class Builder {
    private final SstFile file;
    private final ReadSchema schema;
    private final ScanCounters counters;
    private final List<List<Vector>> parts = new ArrayList<>();
    private long[] times = new long[1024];
    private long[] positions = new long[1024];
    private int rows;
    private int group;
    private int block;
    private List<@Nullable Vector> before = List.of();
    private int beforeRows;
    private long beforeStart;
    private long[] beforeTimes = new long[0];

    Builder(SstFile file, ReadSchema schema, ScanCounters counters) {
      this.file = file;
      this.schema = schema;
      this.counters = counters;
      for (int i = 0; i < schema.tagIds.size(); i++) {
        parts.add(new ArrayList<>());
      }
    }

    /** Looks at a block; false at the end. */
    boolean step() {
      while (group < file.groups() && block == file.blocks(group)) {
        group++;
        block = 0;
      }
      if (group == file.groups()) {
        return false;
      }
      var c = new Block(file, schema, group, block, true, counters);
      var now = new ArrayList<@Nullable Vector>();
      for (int t = 0; t < parts.size(); t++) {
        now.add(c.tag(t));
      }
      if (beforeRows > 0 && !same(before, beforeRows - 1, now, 0)) {
        add(before, new int[] {beforeRows - 1}, 1, beforeTimes, beforeStart);
      }
      int[] ends = new int[c.rows];
      int k = 0;
      for (int i = 0; i + 1 < c.rows; i++) {
        if (!same(now, i, now, i + 1)) {
          ends[k++] = i;
        }
      }
      long start = position(group, block);
      add(now, ends, k, c.time(), start);
      before = now;
      beforeRows = c.rows;
      beforeStart = start;
      beforeTimes = c.time();
      block++;
      return true;
    }

    private void add(List<@Nullable Vector> tags, int[] at, int count, long[] time, long start) {
      for (int t = 0; t < tags.size() && count > 0; t++) {
        Vector v = tags.get(t);
        if (v != null) {
          parts.get(t).add(v.take(at, count));
        }
      }
      times = room(times, rows + count);
      positions = room(positions, rows + count);
      for (int i = 0; i < count; i++) {
        times[rows] = time[at[i]];
        positions[rows] = start + at[i];
        rows++;
      }
    }

    List<Vector> finish() {
      if (beforeRows > 0) {
        add(before, new int[] {beforeRows - 1}, 1, beforeTimes, beforeStart);
      }
      var out = new ArrayList<Vector>();
      for (int t = 0; t < parts.size(); t++) {
        out.add(joined(schema.tagType(t), parts.get(t)));
      }
      out.add(new LongVector(SqlType.INT8, Arrays.copyOf(times, rows), rows, null));
      out.add(new LongVector(SqlType.INT8, Arrays.copyOf(positions, rows), rows, null));
      return out;
    }
  }

  private static Vector joined(SqlType type, List<Vector> parts) {
    int k = parts.size();
    int[] from = new int[k];
    int[] count = parts.stream().mapToInt(Vector::length).toArray();
    return VectorConcat.concat(type, parts.toArray(new @Nullable Vector[0]), from, count, k);
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
