package io.millrace.storage.read;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorConcat;
import io.millrace.common.type.SqlType;
import io.millrace.storage.sst.index.SeriesRows;
import io.millrace.storage.sst.index.SideCar;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The series of a file in key order, each with its last time and the number of its last row; its
 * first row follows the last one of the series before. Found by one pass over the key columns and
 * kept in the page cache. With it a key is found by its series and then by time alone, and the last
 * rows of all series are known without reading. Immutable.
 */
final class SeriesIndex {
  /** Part number of the mark that an index is not worth its place. */
  private static final int USELESS = -1;

  /** So many series are always worth it. */
  private static final int SAMPLE = 4096;

  final List<Vector> tags;
  final long[] lastTimes;
  private final int[] ends;
  final int size;

  private SeriesIndex(List<Vector> stored) {
    int width = stored.size() - 2;
    this.tags = stored.subList(0, width);
    this.lastTimes = ((LongVector) stored.get(width)).values();
    this.ends = ((IntVector) stored.get(width + 1)).values();
    this.size = stored.get(width + 1).length();
  }

  /** The number of a series' first row in the file. */
  int first(int series) {
    return series == 0 ? 0 : ends[series - 1] + 1;
  }

  /** The number of a series' last row in the file. */
  int last(int series) {
    return ends[series];
  }

  /** Under what the page cache keeps it; the next number is for {@link LastRows}. */
  static int kind(ReadSchema schema) {
    return schema.tagIds.hashCode();
  }

  /** The file's index if it is at hand. */
  static @Nullable SeriesIndex cached(SstFile file, ReadSchema schema) {
    List<Vector> stored = file.derived(kind(schema), 0);
    return stored == null ? null : new SeriesIndex(stored);
  }

  /**
   * The file's index from what stands beside the file, with the values of the series' last rows put
   * where {@link LastRows} finds them; null if that is not there or of other keys.
   */
  static @Nullable SeriesIndex stored(Source.File source, ReadSchema schema) {
    SideCar sideCar = source.sideCar();
    SstFile file = source.file();
    if (sideCar == null || file.groups() == 0) {
      return null;
    }
    var groups = new ArrayList<SeriesRows>();
    for (int g = 0; g < file.groups(); g++) {
      SeriesRows r = sideCar.series(g);
      if (r == null || !fits(r, file, schema)) {
        return null;
      }
      groups.add(r);
    }
    int[] count = wholeSeries(groups);
    var out = new ArrayList<Vector>();
    for (int id : schema.tagIds) {
      out.add(joined(groups, count, id, schema.type(id)));
    }
    int n = Arrays.stream(count).sum();
    long[] times = ReadSchema.times(joined(groups, count, schema.timeId, file.type(schema.timeId)));
    int[] ends = new int[n];
    int k = 0;
    int start = 0;
    for (int g = 0; g < count.length; g++) {
      for (int i = 0; i < count[g]; i++) {
        ends[k++] = start + groups.get(g).last(i);
      }
      start += file.groupRows(g);
    }
    out.add(new LongVector(SqlType.INT8, times, n, null));
    out.add(new IntVector(SqlType.INT4, ends, n, null));
    for (int id : groups.getFirst().ids()) {
      if (!schema.isKey(id) && groups.stream().allMatch(r -> has(r, file, id))) {
        Vector v = joined(groups, count, id, file.type(id));
        file.keepDerived(kind(schema) + 1, id, List.of(v));
      }
    }
    file.keepDerived(kind(schema), 0, out);
    return new SeriesIndex(out);
  }

  private static boolean has(SeriesRows r, SstFile file, int id) {
    Vector v = r.column(id);
    return v != null && file.has(id) && v.type().equals(file.type(id));
  }

  /** Whether the rows are of the series that the schema knows. */
  private static boolean fits(SeriesRows r, SstFile file, ReadSchema schema) {
    if (!r.ids().subList(0, r.tags()).equals(schema.tagIds)
        || r.ids().get(r.tags()) != schema.timeId
        || !has(r, file, schema.timeId)) {
      return false;
    }
    return schema.tagIds.stream()
        .allMatch(id -> has(r, file, id) && file.type(id).equals(schema.type(id)));
  }

  /** How many series end in each row group: one that goes on in the next ends there. */
  private static int[] wholeSeries(List<SeriesRows> groups) {
    int[] count = new int[groups.size()];
    for (int g = 0; g < count.length; g++) {
      count[g] = groups.get(g).rows().rows();
      if (g > 0) {
        List<Vector> before = groups.get(g - 1).rows().columns();
        List<Vector> now = groups.get(g).rows().columns();
        boolean goesOn = true;
        for (int t = 0; t < groups.get(g).tags(); t++) {
          Vector b = before.get(t);
          goesOn &= now.get(t).same(0, b, b.length() - 1);
        }
        count[g - 1] -= goesOn ? 1 : 0;
      }
    }
    return count;
  }

  private static Vector joined(List<SeriesRows> groups, int[] count, int id, SqlType type) {
    @Nullable Vector[] parts = new @Nullable Vector[count.length];
    for (int g = 0; g < count.length; g++) {
      parts[g] = groups.get(g).column(id);
    }
    return VectorConcat.concat(type, parts, new int[count.length], count, count.length);
  }

  /**
   * Makes the file's index, unless it has fewer rows a series than given, which its first rows
   * tell; null then, and remembered.
   */
  static @Nullable SeriesIndex of(
      SstFile file, ReadSchema schema, ScanCounters counters, int rowsASeries) {
    if (file.derived(kind(schema), USELESS) != null) {
      return null;
    }
    var builder = new Builder(file, schema, counters);
    while (builder.step()) {
      if (builder.start > 0 && builder.rows > builder.start / rowsASeries + SAMPLE) {
        var mark = new IntVector(SqlType.INT4, new int[1], 1, null);
        file.keepDerived(kind(schema), USELESS, List.of(mark));
        return null;
      }
    }
    return builder.finish();
  }

  /**
   * Place of the series with the tags, from a place on; where there is none, the place of the first
   * behind them as {@code -place - 1}.
   */
  int search(int from, List<Vector> wanted, int row) {
    int step = 1;
    int lo = from;
    int hi = from;
    while (hi < size) {
      int c = KeyList.Keys.compare(tags, hi, wanted, row);
      if (c == 0) {
        return hi;
      }
      if (c > 0) {
        break;
      }
      lo = hi + 1;
      hi += step;
      step *= 2;
    }
    hi = Math.min(hi, size);
    while (lo < hi) {
      int mid = lo + hi >>> 1;
      int c = KeyList.Keys.compare(tags, mid, wanted, row);
      if (c == 0) {
        return mid;
      }
      if (c < 0) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return -lo - 1;
  }

  /** Makes an index, a block at a time. One thread. */
  static final class Builder {
    private final SstFile file;
    private final ReadSchema schema;
    private final ScanCounters counters;
    private final SstFile.Reader reader;
    private final List<List<Vector>> parts = new ArrayList<>();
    private long[] times = new long[1024];
    private int[] ends = new int[1024];
    private int rows;
    private int group;
    private int block;
    private int start;
    private @Nullable Block before;
    private List<Vector> beforeTags = List.of();

    Builder(SstFile file, ReadSchema schema, ScanCounters counters) {
      this.file = file;
      this.schema = schema;
      this.counters = counters;
      this.reader = file.reader();
      for (int i = 0; i < schema.tagIds.size(); i++) {
        parts.add(new ArrayList<>());
      }
    }

    private record Block(Chunk chunk, int start) {}

    /** Looks at a block; false at the end. */
    boolean step() {
      while (group < file.groups() && block == file.blocks(group)) {
        group++;
        block = 0;
      }
      if (group == file.groups()) {
        return false;
      }
      var c = new Chunk.Block(file, reader, schema, group, block, true, counters);
      var now = new ArrayList<Vector>();
      boolean[] starts = new boolean[c.rows];
      for (int t = 0; t < parts.size(); t++) {
        Vector v = schema.tag(c, t);
        now.add(v);
        KeyList.Keys.changes(v, c.rows, starts);
      }
      Block b = before;
      if (b != null && KeyList.Keys.compare(beforeTags, b.chunk.rows - 1, now, 0) != 0) {
        add(b, beforeTags, new int[] {b.chunk.rows - 1}, 1);
      }
      int[] at = new int[c.rows];
      int k = 0;
      for (int i = 1; i < c.rows; i++) {
        at[k] = i - 1;
        k += starts[i] ? 1 : 0;
      }
      var current = new Block(c, start);
      add(current, now, at, k);
      before = current;
      beforeTags = now;
      start += c.rows;
      block++;
      return true;
    }

    private void add(Block b, List<Vector> tags, int[] at, int count) {
      if (count == 0) {
        return;
      }
      for (int t = 0; t < tags.size(); t++) {
        parts.get(t).add(tags.get(t).take(at, count));
      }
      if (rows + count > times.length) {
        int capacity = Math.max(rows + count, times.length * 2);
        times = Arrays.copyOf(times, capacity);
        ends = Arrays.copyOf(ends, capacity);
      }
      long[] time = b.chunk.time();
      for (int i = 0; i < count; i++) {
        times[rows] = time[at[i]];
        ends[rows] = b.start + at[i];
        rows++;
      }
    }

    /** The index, which is kept. */
    SeriesIndex finish() {
      Block b = before;
      if (b != null) {
        add(b, beforeTags, new int[] {b.chunk.rows - 1}, 1);
      }
      var out = new ArrayList<Vector>();
      for (int t = 0; t < parts.size(); t++) {
        out.add(joined(schema.tagType(t), parts.get(t)));
      }
      out.add(new LongVector(SqlType.INT8, Arrays.copyOf(times, rows), rows, null));
      out.add(new IntVector(SqlType.INT4, Arrays.copyOf(ends, rows), rows, null));
      file.keepDerived(kind(schema), 0, out);
      return new SeriesIndex(out);
    }
  }

  private static Vector joined(SqlType type, List<Vector> parts) {
    int k = parts.size();
    int[] from = new int[k];
    int[] count = parts.stream().mapToInt(Vector::length).toArray();
    return VectorConcat.concat(type, parts.toArray(new @Nullable Vector[0]), from, count, k);
  }
}
