package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.memtable.MemPart;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.memtable.PartView;
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

  /** The rows with the given keys, in key order. */
  abstract ChunkCursor lookup(KeyList keys, KeyFilter filter, ScanCounters counters);

  /** Whether {@link #openLast} can be used: no row hides another, none lies above the time. */
  boolean hasLast(long maxTimeWanted) {
    return false;
  }

  /** Of every series only rows that can be its last; where {@link #hasLast}, just its last one. */
  ChunkCursor openLast(KeyFilter filter, ScanCounters counters) {
    return open(filter, counters);
  }

  final ChunkCursor open(KeyFilter filter, ScanCounters counters) {
    return open(filter, List.of(), 0, groups(), counters);
  }

  /** Rows [from, to) of a part. */
  static final class Mem extends Source {
    /** Up to so many keys a part that grows is searched row by row instead of sorted. */
    private static final int FEW_KEYS = 16;

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

    @Override
    boolean hasLast(long maxTimeWanted) {
      return !flagged() && maxTime <= maxTimeWanted && maxSequence <= upTo;
    }

    @Override
    ChunkCursor openLast(KeyFilter filter, ScanCounters counters) {
      return cursor(filter, counters, chosen -> part.lastRows(from, to, chosen));
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

    private @Nullable Chunk few(KeyList keys, KeyFilter filter, ScanCounters counters) {
      int[] wanted = new int[keys.rows];
      boolean any = false;
      for (int k = 0; k < keys.rows; k++) {
        long t = keys.times[k];
        wanted[k] = t < minTime || t > maxTime ? -1 : part.series().find(keys.tags, k);
        any |= wanted[k] >= 0;
      }
      if (!any) {
        return null;
      }
      int[] hits = part.findFew(from, to, wanted, keys.times, keys.rows);
      if (hits.length == 0) {
        return null;
      }
      counters.rowsRead.addAndGet(hits.length);
      return filter.apply(chunk(new PartView(hits, hits.length, true), 0, hits.length), schema);
    }

    @Override
    ChunkCursor lookup(KeyList keys, KeyFilter filter, ScanCounters counters) {
      return new ChunkCursor() {
        private boolean done;

        @Override
        public @Nullable Chunk next() {
          if (done) {
            return null;
          }
          done = true;
          if (keys.rows <= FEW_KEYS && !part.orderKept() && whole == null) {
            return few(keys, filter, counters);
          }
          int[] hits = new int[keys.rows];
          int n = 0;
          PartView v = null;
          boolean repeats = false;
          for (int k = 0; k < keys.rows; k++) {
            long t = keys.times[k];
            if (t < minTime || t > maxTime) {
              continue;
            }
            int s = part.series().find(keys.tags, k);
            if (s < 0) {
              continue;
            }
            if (v == null) {
              v = whole();
              repeats = v.repeats();
            }
            int p = part.find(v, s, t);
            while (p >= 0 && p < v.count() && part.is(v.order()[p], s, t)) {
              if (n == hits.length) {
                hits = java.util.Arrays.copyOf(hits, n * 2);
              }
              hits[n++] = v.order()[p++];
            }
          }
          if (n == 0) {
            return null;
          }
          counters.rowsRead.addAndGet(n);
          Chunk c = chunk(new PartView(hits, n, repeats), 0, n);
          return filter.apply(c, schema);
        }
      };
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

    @Override
    boolean hasLast(long maxTimeWanted) {
      return !flagged() && maxTime <= maxTimeWanted && maxSequence <= upTo;
    }

    @Override
    ChunkCursor openLast(KeyFilter filter, ScanCounters counters) {
      return new ChunkCursor() {
        private @Nullable ChunkCursor rows;

        @Override
        public @Nullable Chunk next() {
          ChunkCursor r = rows;
          if (r == null) {
            r = LastRows.cursor(file(), schema, counters);
            rows = r;
          }
          Chunk c = r.next();
          if (c == null || c.rows == 0) {
            return c;
          }
          c.bounds(minTime, maxTime, minSequence, maxSequence);
          c.unique = true;
          Chunk left = filter.apply(c, schema);
          return left == null ? new Chunk.Empty() : left;
        }
      };
    }

    private Chunk block(SstFile f, int group, int block, ScanCounters counters) {
      boolean plainOps = !meta.tombstones() && schema.lastRow;
      var c = new Chunk.Block(f, schema, group, block, plainOps, counters);
      int page = SstFile.pageOf(block);
      Vector lo = f.pageMins(schema.timeId, group);
      Vector hi = f.pageMaxs(schema.timeId, group);
      c.bounds(
          lo == null ? minTime : time(lo, page),
          hi == null ? maxTime : time(hi, page),
          minSequence,
          maxSequence);
      c.unique = !meta.multiVersion();
      return c;
    }

    private static long time(Vector v, int row) {
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
          Chunk c = block(f, group, b, counters);
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
    ChunkCursor lookup(KeyList keys, KeyFilter filter, ScanCounters counters) {
      return new ChunkCursor() {
        private final KeyBlooms blooms = new KeyBlooms(File.this, keys);
        private int group;
        private int block;

        @Override
        public @Nullable Chunk next() {
          SstFile f = file();
          while (group < f.groups()) {
            if (block == f.blocks(group)) {
              block = 0;
              group++;
              continue;
            }
            int b = block++;
            int page = SstFile.pageOf(b);
            int[] wanted = blooms.left(group, keys.candidates(f, schema, group, page));
            if (wanted.length == 0) {
              counters.pagesPruned.incrementAndGet();
              continue;
            }
            Chunk c = block(f, group, b, counters);
            int[] hits = keys.match(c, schema, wanted);
            if (hits.length == 0) {
              continue;
            }
            counters.rowsRead.addAndGet(hits.length);
            Chunk left = filter.apply(c.narrow(hits, hits.length), schema);
            if (left != null) {
              return left;
            }
          }
          return null;
        }
      };
    }
  }
}
