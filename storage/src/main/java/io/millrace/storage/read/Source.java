package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.memtable.MemPart;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.memtable.PartView;
import io.millrace.storage.memtable.SeriesTable;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.index.KeyBloom;
import io.millrace.storage.sst.index.SideCar;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A sorted source of rows: a part of a memtable or a file. Opened once per reader of it. */
abstract sealed class Source {
  final ReadSchema schema;
  final long minTime;
  final long maxTime;
  final long minSequence;
  final long maxSequence;
  final long rows;

  /** Only rows that a reader of the newest versions needs are wanted. */
  boolean newestWins;

  /** Rows with larger sequences are not seen. */
  long upTo = Long.MAX_VALUE;

  Source(
      ReadSchema schema,
      long minTime,
      long maxTime,
      long minSequence,
      long maxSequence,
      long rows) {
    this.schema = schema;
    this.minTime = minTime;
    this.maxTime = maxTime;
    this.minSequence = minSequence;
    this.maxSequence = maxSequence;
    this.rows = rows;
  }

  /** Whether it must be merged even alone: several versions of a key, or tombstones. */
  abstract boolean flagged();

  /** Whether none of its keys is in anything with lower sequences. */
  abstract boolean fresh();

  /** Sources of the same run share no key; 0 = a run of its own. */
  long run() {
    return 0;
  }

  /** Whether it has rows that take away rows of others. */
  abstract boolean hidesRows();

  /** Row groups; 1 for what has none. */
  abstract int groups();

  /**
   * Reads row groups [fromGroup, toGroup).
   *
   * @param fields predicates on fields by which pages may be skipped; not applied otherwise
   */
  abstract ChunkCursor open(
      KeyFilter filter, List<Filter> fields, int fromGroup, int toGroup, ScanCounters counters);

  /** Adds the rows with keys of the list that can matter. */
  abstract void lookup(KeyList keys, KeyHits hits, ScanCounters counters);

  /** The source with all its rows. */
  Source bare() {
    return this;
  }

  /** The file that it reads, if it reads one. */
  @Nullable SstMeta fileMeta() {
    return null;
  }

  final ChunkCursor open(KeyFilter filter, ScanCounters counters) {
    return open(filter, List.of(), 0, groups(), counters);
  }

  /** A source some of whose rows range deletes take away. */
  static final class Masked extends Source {
    private final Source inner;
    private final List<Rectangle> rectangles;

    Masked(Source inner, List<Rectangle> rectangles) {
      super(
          inner.schema,
          inner.minTime,
          inner.maxTime,
          inner.minSequence,
          inner.maxSequence,
          inner.rows);
      this.inner = inner;
      this.rectangles = rectangles;
      this.upTo = inner.upTo;
    }

    @Override
    boolean flagged() {
      return inner.flagged();
    }

    @Override
    boolean fresh() {
      return inner.fresh();
    }

    @Override
    long run() {
      return inner.run();
    }

    @Override
    boolean hidesRows() {
      return inner.hidesRows();
    }

    @Override
    int groups() {
      return inner.groups();
    }

    @Override
    @Nullable SstMeta fileMeta() {
      return inner.fileMeta();
    }

    private ChunkCursor left(ChunkCursor rows) {
      return new Mask(schema, rectangles).over(rows);
    }

    @Override
    ChunkCursor open(
        KeyFilter filter, List<Filter> fields, int fromGroup, int toGroup, ScanCounters counters) {
      inner.newestWins = false; // the newest version may be taken and an older one not
      return left(inner.open(filter, fields, fromGroup, toGroup, counters));
    }

    @Override
    void lookup(KeyList keys, KeyHits hits, ScanCounters counters) {
      hits.mask = new Mask(schema, rectangles);
      try {
        inner.lookup(keys, hits, counters);
      } finally {
        hits.mask = null;
      }
    }

    @Override
    Source bare() {
      return inner;
    }
  }

  /** Rows [from, to) of a part. */
  static final class Mem extends Source {
    private final MemPart part;
    private final TableSchema stored;
    private final int from;
    private final int to;
    private @Nullable PartView whole;

    Mem(ReadSchema schema, Memtable table, MemPart part, int from, int to) {
      super(
          schema,
          part.minTime(),
          part.maxTime(),
          part.minSequence(),
          part.maxSequence(),
          (long) to - from);
      this.part = part;
      this.stored = table.schema();
      this.from = from;
      this.to = to;
    }

    private synchronized PartView whole() {
      PartView v = whole;
      if (v == null) {
        v = part.view(from, to);
        whole = v;
      }
      return v;
    }

    @Override
    boolean fresh() {
      return part.fresh();
    }

    @Override
    boolean hidesRows() {
      return part.tombstones();
    }

    @Override
    boolean flagged() {
      return part.tombstones() || !part.ordered();
    }

    @Override
    int groups() {
      return 1;
    }

    private Chunk chunk(PartView v, int at, int n) {
      var c = new Chunk.Mem(part, schema, stored, v.order(), at, n);
      c.bounds(minTime, maxTime, minSequence, maxSequence);
      c.unique = !v.repeats();
      return c;
    }

    @Override
    ChunkCursor open(
        KeyFilter filter, List<Filter> fields, int fromGroup, int toGroup, ScanCounters counters) {
      return cursor(
          filter, counters, chosen -> part.view(from, to, filter.low(), filter.high(), chosen));
    }

    /** Reads a view, which is made of the chosen series when the first row is wanted. */
    private ChunkCursor cursor(
        KeyFilter filter, ScanCounters counters, Function<long @Nullable [], PartView> views) {
      return new ChunkCursor() {
        private @Nullable PartView view;
        private int at;

        @Override
        public @Nullable Chunk next() {
          PartView v = view;
          if (v == null) {
            if (!filter.touches(minTime, maxTime)) {
              return null;
            }
            v = views.apply(filter.series(part.series(), stored, schema));
            counters.rowsRead.addAndGet(v.count());
            v = newestWins ? part.newest(v) : v;
            view = v;
          }
          while (at < v.count()) {
            int n = Math.min(SstFile.BLOCK_ROWS, v.count() - at);
            Chunk c = chunk(v, at, n);
            at += n;
            Chunk left = filter.apply(c, schema);
            if (left != null) {
              return left;
            }
          }
          return null;
        }
      };
    }

    @Override
    void lookup(KeyList keys, KeyHits hits, ScanCounters counters) {
      int[] numbers = hits.numbers(part.series(), stored);
      int[] wanted = new int[keys.rows];
      boolean any = false;
      for (int k = 0; k < keys.rows; k++) {
        long t = keys.times[k];
        int s = numbers[keys.series[k]];
        boolean can =
            t >= minTime
                && t <= maxTime
                && part.series().mayHold(s, t)
                && hits.wants(k, maxSequence);
        wanted[k] = can ? s : -1;
        any |= can;
      }
      if (!any) {
        return;
      }
      var found = new Found(keys.rows);
      if (part.orderKept() || whole != null) {
        part.find(whole(), wanted, keys.times, keys.rows, found);
      } else {
        scan(keys, wanted, found);
      }
      if (found.n > 0) {
        counters.rowsRead.addAndGet(found.n);
        Chunk c = chunk(new PartView(found.rows, found.n, true), 0, found.n);
        for (int i = 0; i < found.n; i++) {
          hits.add(found.keys[i], c, i, this);
        }
      }
    }

    private void scan(KeyList keys, int[] wanted, Found found) {
      int[] places = new int[part.series().size()];
      java.util.Arrays.fill(places, -1);
      for (int k = 0; k < keys.rows; k++) {
        if (wanted[k] >= 0) {
          places[wanted[k]] = keys.series[k];
        }
      }
      part.scan(from, to, places, keys.starts, keys.times, found);
    }

    private static final class Found implements MemPart.RowSink {
      private int[] keys;
      private int[] rows;
      private int n;

      Found(int capacity) {
        keys = new int[capacity];
        rows = new int[capacity];
      }

      @Override
      public void row(int key, int row) {
        if (n == keys.length) {
          keys = java.util.Arrays.copyOf(keys, n * 2);
          rows = java.util.Arrays.copyOf(rows, n * 2);
        }
        keys[n] = key;
        rows[n++] = row;
      }
    }

    SeriesTable series() {
      return part.series();
    }

    TableSchema stored() {
      return stored;
    }

    /** Per series its newest row with the latest time up to the bound. */
    int[] lastRows(long bound) {
      return part.lastRows(from, to, bound);
    }

    /** Some rows as a chunk, in the order given. */
    Chunk rows(int[] at) {
      return chunk(new PartView(at, at.length, false), 0, at.length);
    }

    int seriesOf(int row) {
      return part.seriesOf(row);
    }

    long time(int row) {
      return part.time(row);
    }
  }

  /** A file. */
  static final class File extends Source {
    private final SstMeta meta;
    private final OpenFiles.Lease files;

    File(ReadSchema schema, SstMeta meta, OpenFiles.Lease files) {
      super(
          schema,
          meta.minTime(),
          meta.maxTime(),
          meta.minSequence(),
          meta.maxSequence(),
          meta.rows());
      this.meta = meta;
      this.files = files;
    }

    @Override
    SstMeta fileMeta() {
      return meta;
    }

    SstMeta meta() {
      return meta;
    }

    SstFile file() {
      return files.file(meta);
    }

    /** The indexes beside it; null if there are none that can be used. */
    @Nullable SideCar sideCar() {
      return files.sideCar(meta);
    }

    /**
     * The Bloom filters of its keys; null if there are none that know the keys as the schema has
     * them.
     */
    @Nullable KeyBloom keyBloom() {
      SideCar s = sideCar();
      KeyBloom b = s == null ? null : s.keyBloom();
      if (b == null || b.timeIndexId() != schema.timeId) {
        return null;
      }
      SstFile f = file();
      for (int id : b.tagIds()) {
        if (schema.tagIndex(id) < 0 || !f.has(id) || !f.type(id).equals(schema.type(id))) {
          return null;
        }
      }
      return b;
    }

    @Override
    boolean fresh() {
      return meta.fresh();
    }

    @Override
    long run() {
      return meta.run();
    }

    @Override
    boolean hidesRows() {
      return meta.tombstones();
    }

    @Override
    boolean flagged() {
      return meta.multiVersion() || meta.tombstones();
    }

    @Override
    int groups() {
      return meta.rowGroups();
    }

    Chunk block(SstFile f, SstFile.Reader reader, int group, int block, ScanCounters counters) {
      boolean plainOps = !meta.tombstones() && schema.lastRow;
      var c = new Chunk.Block(f, reader, schema, group, block, plainOps, counters);
      int page = SstFile.pageOf(block);
      Vector lo = f.pageMins(schema.timeId, group);
      Vector hi = f.pageMaxs(schema.timeId, group);
      c.bounds(
          lo == null ? minTime : time(lo, page),
          hi == null ? maxTime : time(hi, page),
          minSequence,
          maxSequence);
      c.unique = !meta.multiVersion();
      c.fresh = meta.fresh() && c.unique;
      return c;
    }

    /** The last rows of the file's series. */
    Chunk lastRows(SstFile f, SeriesIndex index, FileLookup.FileRows rows, ScanCounters counters) {
      boolean plainOps = !meta.tombstones() && schema.lastRow;
      var c = new LastRows(f, schema, index, rows, plainOps, counters);
      c.bounds(minTime, maxTime, minSequence, maxSequence);
      c.unique = true;
      return c;
    }

    static long time(Vector v, int row) {
      return v instanceof io.millrace.common.batch.LongVector l
          ? l.get(row)
          : ((io.millrace.common.batch.IntVector) v).get(row);
    }

    @Override
    ChunkCursor open(
        KeyFilter filter, List<Filter> fields, int fromGroup, int toGroup, ScanCounters counters) {
      return new ChunkCursor() {
        private @Nullable GroupPruner pruner;
        private int group = fromGroup - 1;
        private int block;
        private int blocks;
        private boolean used;
        private SstFile.@Nullable Reader reader;

        @Override
        public @Nullable Chunk next() {
          GroupPruner p = pruner;
          if (p == null) {
            p = new GroupPruner(File.this, filter, fields, counters);
            pruner = p;
          }
          SstFile f = file();
          while (block < blocks || nextGroup(f, p)) {
            int b = block++;
            if (p.skips(b)) {
              continue;
            }
            used = true;
            Chunk left = filter.apply(chunk(f, b, p.picked(b)), schema);
            return left == null ? new Chunk.Empty() : left;
          }
          return null;
        }

        private Chunk chunk(SstFile f, int b, int @Nullable [] picked) {
          SstFile.Reader r = reader;
          if (r == null) {
            r = f.reader();
            reader = r;
          }
          Chunk c = block(f, r, group, b, counters);
          c = picked == null ? c : c.narrow(picked, picked.length);
          counters.rowsRead.addAndGet(c.rows);
          return c;
        }

        private boolean nextGroup(SstFile f, GroupPruner p) {
          if (group + 1 >= toGroup) {
            if (!used && group >= 0 && fromGroup == 0 && toGroup == f.groups()) {
              p.prunedFile();
              used = true;
            }
            return false;
          }
          group++;
          block = 0;
          blocks = f.blocks(group);
          p.begin(group);
          return true;
        }
      };
    }

    @Override
    void lookup(KeyList keys, KeyHits hits, ScanCounters counters) {
      int[] picked = new int[keys.rows];
      int n = 0;
      for (int k = 0; k < keys.rows; k++) {
        long t = keys.times[k];
        picked[n] = k;
        n += t >= minTime && t <= maxTime && hits.wants(k, maxSequence) ? 1 : 0;
      }
      if (n > 0) {
        new FileLookup(this, file(), schema, counters).find(keys, picked, n, hits);
      }
    }
  }
}
