package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds keys in a file. With the file's {@link SeriesIndex} a key is found by its series and then
 * by halving over the times of that series, so that tags are compared once a series and only the
 * blocks of time that matter are read; the index is made when enough keys are asked for, and not
 * where nearly every row is a series of its own. Without it the ascending keys are merged with the
 * pages' bounds and asked for in the file's key Bloom filters, and rows of what is left are found
 * by halving. One thread.
 */
final class FileLookup {
  /** Keys per page of the file from which on its index pays. */
  private static final int PAGES_A_KEY = 8;

  private static final int FEW_KEYS = 16;

  /** Of so many series one must be asked for, for the last rows of all to be gathered. */
  private static final int SHARE = 4;

  /** Rows per series under which an index would not be smaller than the keys. */
  private static final int SMALL_SERIES = 8;

  private final Source.File source;
  private final SstFile file;
  private final ReadSchema schema;
  private final ScanCounters counters;
  private final FileRows rows;

  FileLookup(Source.File source, SstFile file, ReadSchema schema, ScanCounters counters) {
    this.source = source;
    this.file = file;
    this.schema = schema;
    this.counters = counters;
    this.rows = new FileRows(source, file, schema, counters);
  }

  /** Adds the rows of the picked keys. */
  void find(KeyList keys, int[] picked, int n, KeyHits hits) {
    SeriesIndex index = SeriesIndex.cached(file, schema);
    if (index == null && n >= Math.max(FEW_KEYS, source.rows / SstFile.BLOCK_ROWS / PAGES_A_KEY)) {
      index = SeriesIndex.of(file, schema, counters, SMALL_SERIES);
    }
    if (index != null && index.size > 0) {
      bySeries(index, keys, picked, n, hits);
    } else {
      byPages(keys, picked, n, hits);
    }
  }

  private void bySeries(SeriesIndex index, KeyList keys, int[] picked, int n, KeyHits hits) {
    int at = 0;
    int next = 0;
    int series = -1;
    boolean found = false;
    int low = 0;
    var last = hits.lastRows ? new int[n] : new int[0];
    var lastKeys = hits.lastRows ? new int[n] : new int[0];
    int lasts = 0;
    for (int i = 0; i < n; i++) {
      int k = picked[i];
      if (keys.series[k] != series) {
        series = keys.series[k];
        int place = index.search(next, keys.tags, series);
        found = place >= 0;
        at = found ? place : -place - 1;
        next = found ? place + 1 : at;
        low = found ? index.first(at) : 0;
      }
      long t = keys.times[k];
      if (!found || t > index.lastTimes[at]) {
        continue;
      }
      if (hits.lastRows && t == index.lastTimes[at] && !source.flagged()) {
        last[lasts] = at;
        lastKeys[lasts++] = k;
        continue;
      }
      int end = index.last(at) + 1;
      low = rows.firstFrom(low, end, t);
      for (int r = low; r < end && rows.time(r) == t; r++) {
        counters.rowsRead.incrementAndGet();
        hits.add(k, rows.chunk(r), rows.place(r), source);
      }
    }
    addLast(index, last, lastKeys, lasts, hits);
  }

  /** Adds the last rows of series: from what is kept of all of them, if enough are asked for. */
  private void addLast(SeriesIndex index, int[] series, int[] keys, int n, KeyHits hits) {
    if (n == 0) {
      return;
    }
    counters.rowsRead.addAndGet(n);
    boolean all = (long) n * SHARE >= index.size;
    Chunk kept = all ? source.lastRows(file, index, rows, counters) : null;
    for (int i = 0; i < n; i++) {
      int row = index.last(series[i]);
      if (kept == null) {
        hits.add(keys[i], rows.chunk(row), rows.place(row), source);
      } else {
        hits.add(keys[i], kept, series[i], source);
      }
    }
  }

  private void byPages(KeyList keys, int[] picked, int n, KeyHits hits) {
    int[] left = new int[n];
    var blooms = new KeyBlooms(source, keys);
    for (int g = 0; g < file.groups(); g++) {
      int pages = SstFile.pageOf(file.blocks(g) - 1) + 1;
      for (int p = 0; p < pages; p++) {
        int m = blooms.left(g, left, candidates(keys, picked, n, g, p, left), hits);
        if (m == 0) {
          counters.pagesPruned.incrementAndGet();
          continue;
        }
        int first = 2 * p;
        for (int b = first; b < Math.min(first + 2, file.blocks(g)); b++) {
          match(rows.block(g, b), keys, left, m, hits);
        }
      }
    }
  }

  private @Nullable Vector bound(Vector values, int id, int group, boolean low) {
    if (!file.has(id) || !Conversions.sameValues(file.type(id), values.type())) {
      return null;
    }
    return low ? file.pageMins(id, group) : file.pageMaxs(id, group);
  }

  /**
   * Keys that can be in a page, by the bounds of its key columns: those of the first tag halve the
   * keys, the others are compared with what is left.
   */
  private int candidates(KeyList keys, int[] picked, int n, int group, int page, int[] out) {
    int first = 0;
    int end = n;
    int nulls = n;
    if (!keys.tags.isEmpty()) {
      Vector lead = keys.tags.getFirst();
      int id = schema.tagIds.getFirst();
      Vector lo = bound(lead, id, group, true);
      Vector hi = bound(lead, id, group, false);
      if (lo != null && hi != null) {
        nulls = place(keys, picked, n, null, 0, false);
        first = lo.isNull(page) ? nulls : place(keys, picked, nulls, lo, page, false);
        end = lo.isNull(page) ? nulls : place(keys, picked, nulls, hi, page, true);
      }
    }
    Vector from = file.pageMins(schema.timeId, group);
    Vector to = file.pageMaxs(schema.timeId, group);
    long min = from == null ? Long.MIN_VALUE : Source.File.time(from, page);
    long max = to == null ? Long.MAX_VALUE : Source.File.time(to, page);
    int m = inTime(keys, picked, first, end, min, max, out, 0);
    m = inTime(keys, picked, nulls, n, min, max, out, m);
    for (int t = 0; t < keys.tags.size() && m > 0; t++) {
      m = narrow(schema.tagIds.get(t), keys, keys.tags.get(t), group, page, out, m);
    }
    return m;
  }

  private static int inTime(
      KeyList keys, int[] picked, int from, int to, long min, long max, int[] out, int have) {
    int m = have;
    for (int i = from; i < to; i++) {
      int k = picked[i];
      out[m] = k;
      m += keys.times[k] >= min && keys.times[k] <= max ? 1 : 0;
    }
    return m;
  }

  /**
   * How many of the picked keys have a first tag below a bound, or not above it; without a bound,
   * how many have one at all.
   */
  private static int place(
      KeyList keys, int[] picked, int n, @Nullable Vector bound, int page, boolean orEqual) {
    Vector lead = keys.tags.getFirst();
    int lo = 0;
    int hi = n;
    while (lo < hi) {
      int mid = lo + hi >>> 1;
      int s = keys.series[picked[mid]];
      boolean below;
      if (bound == null) {
        below = !lead.isNull(s);
      } else {
        int c = lead.compare(s, bound, page);
        below = c < 0 || (orEqual && c == 0);
      }
      if (below) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return lo;
  }

  private int narrow(int id, KeyList keys, Vector values, int group, int page, int[] out, int n) {
    Vector lo = bound(values, id, group, true);
    Vector hi = bound(values, id, group, false);
    if (!file.has(id)) {
      return n;
    }
    long[] nulls = file.pageNulls(id, group);
    int m = 0;
    for (int i = 0; i < n; i++) {
      int s = keys.series[out[i]];
      boolean keep;
      if (values.isNull(s)) {
        keep = nulls == null || nulls[page] > 0;
      } else if (lo == null || hi == null) {
        keep = true;
      } else {
        keep =
            !lo.isNull(page)
                && values.compare(s, lo, page) >= 0
                && values.compare(s, hi, page) <= 0;
      }
      out[m] = out[i];
      m += keep ? 1 : 0;
    }
    return m;
  }

  /** Adds the rows of a block that have one of the wanted keys. */
  private void match(Chunk c, KeyList keys, int[] wanted, int n, KeyHits hits) {
    List<Vector> tags = new ArrayList<>();
    for (int t = 0; t < schema.tagIds.size(); t++) {
      tags.add(schema.tag(c, t));
    }
    long[] time = c.time();
    int low = 0;
    for (int i = 0; i < n && low < c.rows; i++) {
      int k = wanted[i];
      int lo = low;
      int hi = c.rows;
      while (lo < hi) {
        int mid = lo + hi >>> 1;
        if (compare(tags, time, mid, keys, k) < 0) {
          lo = mid + 1;
        } else {
          hi = mid;
        }
      }
      low = lo;
      for (int r = lo; r < c.rows && compare(tags, time, r, keys, k) == 0; r++) {
        counters.rowsRead.incrementAndGet();
        hits.add(k, c, r, source);
      }
    }
  }

  private static int compare(List<Vector> tags, long[] time, int row, KeyList keys, int k) {
    int c = KeyList.Keys.compare(tags, row, keys.tags, keys.series[k]);
    return c != 0 ? c : Long.compare(time[row], keys.times[k]);
  }

  /** The rows of a file by their number, their blocks loaded when touched. */
  static final class FileRows {
    private final Source.File source;
    private final SstFile file;
    private final ReadSchema schema;
    private final ScanCounters counters;

    /** Number of the first row, and of the first block, of each row group. */
    private final int[] groupStarts;

    private final int[] groupBlocks;
    private final @Nullable Chunk[] blocks;
    private final SstFile.Reader reader;

    FileRows(Source.File source, SstFile file, ReadSchema schema, ScanCounters counters) {
      this.source = source;
      this.file = file;
      this.schema = schema;
      this.counters = counters;
      this.reader = file.reader();
      groupStarts = new int[file.groups() + 1];
      groupBlocks = new int[file.groups() + 1];
      for (int g = 0; g < file.groups(); g++) {
        groupStarts[g + 1] = groupStarts[g] + file.groupRows(g);
        groupBlocks[g + 1] = groupBlocks[g] + file.blocks(g);
      }
      blocks = new Chunk[groupBlocks[file.groups()]];
    }

    int group(int row) {
      int g = Arrays.binarySearch(groupStarts, row);
      return g >= 0 ? g : -g - 2;
    }

    /** The number of a row's block. */
    int blockOf(int row) {
      return groupBlocks[group(row)] + blockInGroup(row);
    }

    /** The place of a row's block in its row group. */
    int blockInGroup(int row) {
      return (row - groupStarts[group(row)]) / SstFile.BLOCK_ROWS;
    }

    private int blockGroup(int block) {
      int g = Arrays.binarySearch(groupBlocks, block);
      return g >= 0 ? g : -g - 2;
    }

    private int blockStart(int block) {
      int g = blockGroup(block);
      return groupStarts[g] + (block - groupBlocks[g]) * SstFile.BLOCK_ROWS;
    }

    Chunk block(int group, int block) {
      int at = groupBlocks[group] + block;
      Chunk c = blocks[at];
      if (c == null) {
        c = source.block(file, reader, group, block, counters);
        blocks[at] = c;
      }
      return c;
    }

    private Chunk block(int number) {
      Chunk c = blocks[number];
      if (c == null) {
        int g = blockGroup(number);
        c = block(g, number - groupBlocks[g]);
      }
      return c;
    }

    Chunk chunk(int row) {
      return block(blockOf(row));
    }

    int place(int row) {
      return (row - groupStarts[group(row)]) % SstFile.BLOCK_ROWS;
    }

    long time(int row) {
      return chunk(row).time()[place(row)];
    }

    /** Of every series its last time up to a bound; Long.MIN_VALUE if there is none. */
    long[] lastTimes(SeriesIndex index, long bound) {
      long[] out = index.lastTimes.clone();
      for (int s = 0; s < index.size; s++) {
        if (out[s] > bound) {
          int first = index.first(s);
          int r = firstFrom(first, index.last(s) + 1, bound + 1) - 1;
          out[s] = r < first ? Long.MIN_VALUE : time(r);
        }
      }
      return out;
    }

    /** The first of rows [from, to) of one series with that time or a later one. */
    int firstFrom(int from, int to, long wanted) {
      if (from >= to) {
        return from;
      }
      int low = blockOf(from);
      int high = blockOf(to - 1);
      while (low < high) {
        int mid = low + high + 1 >>> 1;
        if (firstTime(mid, to) < wanted) {
          low = mid;
        } else {
          high = mid - 1;
        }
      }
      int start = blockStart(low);
      Chunk c = block(low);
      int lo = Math.max(from, start) - start;
      int hi = Math.min(to, start + c.rows) - start;
      long[] t = c.time();
      while (lo < hi) {
        int mid = lo + hi >>> 1;
        if (t[mid] < wanted) {
          lo = mid + 1;
        } else {
          hi = mid;
        }
      }
      return start + lo;
    }

    /** The time of a block's first row; from the page index if the page has one series only. */
    private long firstTime(int block, int seriesEnd) {
      int g = blockGroup(block);
      int b = block - groupBlocks[g];
      int page = SstFile.pageOf(b);
      int pageEnd =
          Math.min(groupStarts[g + 1], groupStarts[g] + (page + 1) * 2 * SstFile.BLOCK_ROWS);
      Vector mins = file.pageMins(schema.timeId, g);
      if (b % 2 == 0 && pageEnd <= seriesEnd && mins != null) {
        return Source.File.time(mins, page);
      }
      return block(block).time()[0];
    }
  }
}
