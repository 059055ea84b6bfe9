package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.RangedBatch;
import io.millrace.common.batch.Vector;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.memtable.SeriesTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A piece of a scan that one thread reads. */
abstract sealed class Unit {
  /**
   * What all units of a scan share.
   *
   * @param active the series of the active memtable, if it has the tags of the schema
   */
  record Shape(
      ReadSchema schema,
      List<Integer> columnIds,
      List<ColumnPredicate> fields,
      long afterSequence,
      long limit,
      @Nullable SeriesTable active,
      ScanCounters counters) {

    List<Filter> filters() {
      var out = new ArrayList<Filter>();
      for (ColumnPredicate p : fields) {
        out.add(new Filter(p));
      }
      return out;
    }
  }

  final Shape shape;
  final KeyFilter filter;

  Unit(Shape shape, KeyFilter filter) {
    this.shape = shape;
    this.filter = filter;
  }

  abstract long rows();

  abstract long minTime();

  abstract long maxTime();

  /** From when on its sources have rows, whatever is asked for. */
  abstract long sourceMinTime();

  abstract long sourceMaxTime();

  /** A stream; the filter given is the reader's own and may be narrowed while it reads. */
  abstract RowStream open(KeyFilter own);

  static Batch batch(List<Vector> columns, int rows) {
    return new Batch(columns, rows);
  }

  /** One source whose rows no merge can change: row groups [fromGroup, toGroup). */
  static final class Direct extends Unit {
    final Source source;
    final int fromGroup;
    final int toGroup;

    Direct(Shape shape, KeyFilter filter, Source source, int fromGroup, int toGroup) {
      super(shape, filter);
      this.source = source;
      this.fromGroup = fromGroup;
      this.toGroup = toGroup;
    }

    @Override
    long rows() {
      return source.rows * (toGroup - fromGroup) / Math.max(1, source.groups());
    }

    @Override
    long minTime() {
      return Math.max(source.minTime, filter.low());
    }

    @Override
    long maxTime() {
      return Math.min(source.maxTime, filter.high());
    }

    @Override
    long sourceMinTime() {
      return source.minTime;
    }

    @Override
    long sourceMaxTime() {
      return source.maxTime;
    }

    @Override
    RowStream open(KeyFilter own) {
      List<Filter> fields = shape.filters();
      ChunkCursor cursor = source.open(own, fields, fromGroup, toGroup, shape.counters);
      return new RowStream() {
        private long given;

        @Override
        public @Nullable Batch next() {
          if (shape.limit >= 0 && given >= shape.limit) {
            return null;
          }
          Chunk c = cursor.next();
          if (c == null) {
            return null;
          }
          c = narrowed(c, fields);
          if (c == null) {
            return NOTHING;
          }
          if (shape.limit >= 0 && c.rows > shape.limit - given) {
            int n = (int) (shape.limit - given);
            c = c.narrow(Chunk.identity(n), n);
          }
          given += c.rows;
          return columns(c);
        }

        @Override
        public @Nullable RangedBatch nextRanges() {
          if (shape.limit >= 0) {
            return RowStream.super.nextRanges();
          }
          Chunk c = cursor.next();
          if (c == null) {
            return null;
          }
          c = narrowed(c, fields);
          if (c == null) {
            return RangedBatch.none();
          }
          Runs runs = c instanceof Chunk.Taken t ? t.runs() : null;
          return runs == null || !(c instanceof Chunk.Taken t)
              ? RangedBatch.whole(columns(c))
              : new RangedBatch(columns(t.base()), runs.from(), runs.count(), runs.size(), c.rows);
        }
      };
    }

    private Batch columns(Chunk c) {
      var out = new ArrayList<Vector>(shape.columnIds.size());
      for (int id : shape.columnIds) {
        out.add(shape.schema.column(c, id));
      }
      return batch(out, c.rows);
    }

    private @Nullable Chunk narrowed(Chunk c, List<Filter> fields) {
      Chunk left = c;
      if (left.rows == 0) {
        return null;
      }
      for (Filter f : fields) {
        int[] at = Chunk.identity(left.rows);
        int n = f.apply(shape.schema.column(left, f.columnId()), at, left.rows);
        if (n == 0) {
          return null;
        }
        left = n == left.rows ? left : left.narrow(at, n);
      }
      return left;
    }
  }

  /** Sources merged by key. */
  static final class Merge extends Unit {
    private final List<Source> sources;
    private final java.util.function.Supplier<Fold> fold;
    private final boolean lastPerSeries;
    private final @Nullable KeySplit split;
    private final int piece;
    private final int pieces;

    Merge(
        Shape shape,
        KeyFilter filter,
        List<Source> sources,
        java.util.function.Supplier<Fold> fold,
        boolean lastPerSeries) {
      this(shape, filter, sources, fold, lastPerSeries, null, 0, 1);
    }

    private Merge(
        Shape shape,
        KeyFilter filter,
        List<Source> sources,
        java.util.function.Supplier<Fold> fold,
        boolean lastPerSeries,
        @Nullable KeySplit split,
        int piece,
        int pieces) {
      super(shape, filter);
      this.sources = sources;
      this.fold = fold;
      this.lastPerSeries = lastPerSeries;
      this.split = split;
      this.piece = piece;
      this.pieces = pieces;
    }

    /**
     * The unit as so many, by stretches of its keys in ascending order.
     *
     * @param timesToo whether rows of one series may come in several of them
     */
    List<Unit> split(int n, boolean timesToo) {
      var by = new KeySplit(shape.schema, sources, n, timesToo);
      var out = new ArrayList<Unit>();
      for (int i = 0; i < n; i++) {
        out.add(new Merge(shape, filter, sources, fold, lastPerSeries, by, i, n));
      }
      return out;
    }

    @Override
    long rows() {
      long n = 0;
      for (Source s : sources) {
        n += s.rows;
      }
      return n * 4 / pieces;
    }

    @Override
    long minTime() {
      return filter.low();
    }

    @Override
    long maxTime() {
      return filter.high();
    }

    @Override
    long sourceMinTime() {
      return sources.stream().mapToLong(s -> s.minTime).min().orElse(Long.MIN_VALUE);
    }

    @Override
    long sourceMaxTime() {
      return sources.stream().mapToLong(s -> s.maxTime).max().orElse(Long.MAX_VALUE);
    }

    @Override
    RowStream open(KeyFilter own) {
      KeyFilter mine = split == null ? own : split.narrow(own, piece);
      if (mine == null) {
        return () -> null;
      }
      return lastPerSeries && LastRowScan.suits(shape, mine)
          ? new LastRowScan(this, mine, sources, new LookupCounters(shape.counters))
          : new MergedRows(this, mine);
    }

    MergedRows merged(KeyFilter own) {
      return new MergedRows(this, own);
    }

    Batch batch(Assembly rows) {
      var out = new ArrayList<Vector>(shape.columnIds.size());
      for (int id : shape.columnIds) {
        out.add(rows.column(id));
      }
      return batch(out, rows.rows());
    }
  }

  /** Sources merged by key, as one stream. */
  static final class MergedRows implements RowStream {
    private final Merge unit;
    private final Shape shape;
    private final boolean lastPerSeries;
    private final KeyFilter own;
    private final List<Filter> fields;
    private @Nullable Merger merger;
    private @Nullable Assembly pending;
    private boolean ended;
    private long given;

    MergedRows(Merge unit, KeyFilter own) {
      this.unit = unit;
      this.shape = unit.shape;
      this.lastPerSeries = unit.lastPerSeries;
      this.fields = shape.filters();
      this.own = own;
    }

    private Merger merger() {
      Merger m = merger;
      if (m == null) {
        var cursors = new ArrayList<ChunkCursor>();
        for (Source s : unit.sources) {
          KeyFilter f = own.withSequences(own.above, s.upTo);
          f.lowest = own.lowest;
          f.highest = own.highest;
          cursors.add(s.open(f, shape.counters));
        }
        m = new Merger(shape.schema, cursors, unit.fold.get());
        merger = m;
      }
      return m;
    }

    @Override
    public @Nullable Batch next() {
      Assembly a = rows();
      return a == null ? null : a.rows() == 0 ? NOTHING : unit.batch(a);
    }

    /** The next rows, none after fruitless work; null at the end. */
    @Nullable Assembly rows() {
      if (ended || (shape.limit >= 0 && given >= shape.limit)) {
        return null;
      }
      var a = new Assembly(shape.schema);
      int wanted = 10_240;
      if (shape.limit >= 0 && fields.isEmpty() && !lastPerSeries) {
        wanted = Math.clamp(shape.limit - given, 64, wanted);
      }
      boolean more = merger().fill(a, wanted);
      Assembly left = more ? narrowed(a) : null;
      if (lastPerSeries) {
        left = lastRows(left, !more);
      }
      ended = !more;
      if (left == null || left.rows() == 0) {
        return ended ? null : new Assembly(shape.schema);
      }
      given += left.rows();
      return left;
    }

    private @Nullable Assembly narrowed(Assembly a) {
      Assembly left = a;
      if (shape.afterSequence > 0) {
        long[] s = left.sequences().values();
        int[] at = new int[left.rows()];
        int n = 0;
        for (int i = 0; i < left.rows(); i++) {
          if (s[i] > shape.afterSequence) {
            at[n++] = i;
          }
        }
        left = n == left.rows() ? left : left.narrow(at, n);
      }
      for (Filter f : fields) {
        if (left.rows() == 0) {
          return null;
        }
        int[] at = Chunk.identity(left.rows());
        int n = f.apply(left.column(f.columnId()), at, left.rows());
        left = n == left.rows() ? left : left.narrow(at, n);
      }
      return left;
    }

    /** Of the rows so far the last of every series that has ended. */
    private @Nullable Assembly lastRows(@Nullable Assembly more, boolean atEnd) {
      var all = new Assembly(shape.schema);
      Assembly p = pending;
      if (p != null) {
        all.addAll(p);
      }
      if (more != null) {
        all.addAll(more);
      }
      if (all.rows() == 0) {
        return null;
      }
      var tags = new ArrayList<Vector>();
      for (int id : shape.schema.tagIds) {
        tags.add(all.column(id));
      }
      int[] at = new int[all.rows()];
      int n = 0;
      int last = all.rows() - 1;
      for (int i = 0; i < last; i++) {
        boolean ends = false;
        for (Vector v : tags) {
          ends |= KeyList.Keys.compare(v, i, v, i + 1) != 0;
        }
        if (ends) {
          at[n++] = i;
        }
      }
      if (atEnd) {
        at[n++] = last;
        pending = null;
      } else {
        pending = all.narrow(new int[] {last}, 1);
      }
      return all.narrow(at, n);
    }
  }

  /** The units' rows by time, best first if there is a limit. */
  static final class ByTime implements RowStream {
    private static final long SLAB_ROWS = 524_288;
    private final List<Unit> units;
    private final int timeColumn;
    private final boolean descending;
    private final long limit;
    private final int width;
    private final List<Batch> kept = new ArrayList<>();
    private long keptRows;
    private long worst;
    private boolean bounded;
    private final long slabs;
    private final long first;
    private final long span;
    private long slab;
    private int unit;
    private @Nullable RowStream current;
    private @Nullable KeyFilter currentFilter;
    private @Nullable Batch sorted;
    private int given;

    /**
     * @param units give the time index as column {@code timeColumn}; columns from {@code width} on
     *     are dropped
     */
    ByTime(List<Unit> units, int timeColumn, int width, boolean descending, long limit) {
      var order = new ArrayList<>(units);
      order.sort(
          (a, b) ->
              descending
                  ? Long.compare(b.maxTime(), a.maxTime())
                  : Long.compare(a.minTime(), b.minTime()));
      this.units = order;
      this.timeColumn = timeColumn;
      this.width = width;
      this.descending = descending;
      this.limit = limit;
      long rows = 0;
      long low = Long.MAX_VALUE;
      long high = Long.MIN_VALUE;
      for (Unit u : units) {
        rows += u.rows();
        low = Math.min(low, u.minTime());
        high = Math.max(high, u.maxTime());
      }
      first = low;
      long width2 = high - low;
      boolean slabbed = limit < 0 && rows > SLAB_ROWS && width2 > 0;
      slabs = slabbed ? Math.min(rows / SLAB_ROWS + 1, width2) : 1;
      span = width2 / slabs + 1;
    }

    @Override
    public @Nullable Batch next() {
      Batch s = sorted;
      if (s == null) {
        if (gather()) {
          return NOTHING;
        }
        s = sort(limit < 0 ? Integer.MAX_VALUE : limit);
        sorted = s;
        kept.clear();
      }
      int n = Math.min(10_240, s.rows() - given);
      if (n <= 0) {
        if (++slab >= slabs) {
          return null;
        }
        sorted = null;
        given = 0;
        keptRows = 0;
        unit = 0;
        return NOTHING;
      }
      Batch out = s.slice(given, n);
      given += n;
      int[] columns = Chunk.identity(width);
      return out.project(columns);
    }

    /** Reads a batch more; false when there is none that matters. */
    private boolean gather() {
      RowStream c = current;
      if (c == null) {
        if (unit == units.size()) {
          return false;
        }
        Unit u = units.get(unit++);
        if (bounded && (descending ? u.maxTime() < worst : u.minTime() > worst)) {
          return false;
        }
        KeyFilter own = u.filter.copy();
        bound(own);
        slab(own);
        if (!own.touches(u.minTime(), u.maxTime())) {
          return true;
        }
        currentFilter = own;
        c = u.open(own);
        current = c;
      }
      Batch b = c.next();
      if (b == null) {
        current = null;
        return true;
      }
      if (b.rows() > 0) {
        kept.add(b);
        keptRows += b.rows();
        if (limit >= 0 && keptRows > 2 * limit + 1024) {
          Batch best = sort(limit);
          kept.clear();
          kept.add(best);
          keptRows = best.rows();
          if (best.rows() == limit && limit > 0) {
            long[] t = ReadSchema.times(best.column(timeColumn));
            worst = t[best.rows() - 1];
            bounded = true;
            bound(Objects.requireNonNull(currentFilter));
          }
        }
      }
      return true;
    }

    /** Without a limit rows are sorted in slabs of time, of about {@link #SLAB_ROWS} rows. */
    private void slab(KeyFilter f) {
      if (slabs > 1) {
        long at = descending ? slabs - 1 - slab : slab;
        f.lowest = at == 0 ? Long.MIN_VALUE : first + at * span;
        f.highest = at == slabs - 1 ? Long.MAX_VALUE : first + (at + 1) * span - 1;
      }
    }

    private void bound(KeyFilter f) {
      if (bounded && descending) {
        f.lowest = worst;
      } else if (bounded) {
        f.highest = worst;
      }
    }

    private Batch sort(long max) {
      if (kept.isEmpty()) {
        return new Batch(List.of(), 0);
      }
      int total = Math.toIntExact(keptRows);
      int n = kept.size();
      int[] from = new int[n];
      int[] count = new int[n];
      for (int i = 0; i < n; i++) {
        count[i] = kept.get(i).rows();
      }
      var columns = new ArrayList<Vector>();
      for (int c = 0; c < kept.getFirst().width(); c++) {
        @Nullable Vector[] sources = new Vector[n];
        for (int i = 0; i < n; i++) {
          sources[i] = kept.get(i).column(c);
        }
        columns.add(
            io.millrace.common.batch.VectorConcat.concat(
                kept.getFirst().column(c).type(), sources, from, count, n));
      }
      long[] t = ReadSchema.times(columns.get(timeColumn));
      int[] order = Chunk.identity(total);
      io.millrace.storage.memtable.IntSort.sort(
          order,
          0,
          total,
          descending ? (a, b) -> Long.compare(t[b], t[a]) : (a, b) -> Long.compare(t[a], t[b]));
      int keep = (int) Math.min(max, total);
      return new Batch(columns, total).take(order, keep);
    }
  }
}
