package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.memtable.IntSort;
import io.millrace.storage.memtable.SeriesTable;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last row of every series, in key order.
 *
 * <p>Every source knows the last time of each of its series: a part of a memtable keeps its last
 * rows, a file its {@link SeriesIndex}. The latest of them is the time of the series' last row,
 * unless that row has been deleted; so these keys are looked up like any others, and tombstones and
 * versions are minded there. For series without a row at that time all their rows are merged.
 *
 * <p>One source or one slice of the series a call. One thread.
 */
final class LastRowScan implements RowStream {
  private static final int SLICE = 8192;

  private final Unit.Merge unit;
  private final KeyFilter filter;
  private final List<Source> sources;
  private final LookupCounters counters;
  private final ReadSchema schema;

  /** The series of the active memtable, which has the numbers of nearly all; or null. */
  private final @Nullable SeriesTable active;

  /** Series found so far that are not in memory, and the last time of each. */
  private SeriesTable series;

  private long[] times = new long[64];
  private final Map<SeriesTable, long[]> inMemory = new IdentityHashMap<>();
  private int source;
  private SeriesIndex.@Nullable Builder builder;

  /** The series wanted, in key order; null until all sources have been asked. */
  private int @Nullable [] wanted;

  private int at;
  private long given;

  LastRowScan(Unit.Merge unit, KeyFilter filter, List<Source> sources, LookupCounters counters) {
    this.unit = unit;
    this.filter = filter;
    this.sources = sources;
    this.counters = counters;
    this.schema = unit.shape.schema();
    this.active = unit.shape.active();
    this.series = new SeriesTable(schema.tagTypes());
    Arrays.fill(times, Long.MIN_VALUE);
  }

  /** Whether a scan of last rows with such a filter asks for this. */
  static boolean suits(Unit.Shape shape, KeyFilter filter) {
    for (ColumnPredicate p : filter.predicates) {
      if (p.columnId() == shape.schema().timeId) {
        return false;
      }
    }
    return shape.afterSequence() == 0
        && shape.fields().isEmpty()
        && filter.above < 0
        && filter.lows.length == 1;
  }

  @Override
  public @Nullable Batch next() {
    if (source < sources.size()) {
      ask(sources.get(source));
      return NOTHING;
    }
    int[] w = wanted;
    if (w == null) {
      settle();
      w = chosen();
      wanted = w;
    }
    long limit = unit.shape.limit();
    if (at >= w.length || (limit >= 0 && given >= limit)) {
      return null;
    }
    int n = Math.min(SLICE, w.length - at);
    Assembly rows = rows(Arrays.copyOfRange(w, at, at + n));
    at += n;
    given += rows.rows();
    return rows.rows() == 0 ? NOTHING : unit.batch(rows);
  }

  /** Notes the last times of a source's series; goes on to the next source when it is done. */
  private void ask(Source s) {
    boolean done = true;
    if (s.maxTime >= filter.low() && s.minTime <= filter.high()) {
      switch (s.bare()) { // what range deletes take is found out when the rows are looked up
        case Source.Mem m -> ask(m);
        case Source.File f -> done = ask(f);
        case Source.Masked _ -> throw new IllegalStateException("a mask over a mask");
      }
    }
    source += done ? 1 : 0;
  }

  private void ask(Source.Mem m) {
    if (!m.stored().tagIds().equals(schema.tagIds)) {
      int[] rows = m.lastRows(filter.high());
      Chunk c = m.rows(rows);
      var tags = new ArrayList<Vector>();
      for (int t = 0; t < schema.tagIds.size(); t++) {
        tags.add(schema.tag(c, t));
      }
      note(tags, c.time(), c.rows);
      return;
    }
    for (int row : m.lastRows(filter.high())) {
      int s = m.seriesOf(row);
      long[] latest = latest(m.series(), s + 1);
      latest[s] = Math.max(latest[s], m.time(row));
    }
  }

  /**
   * Where all series are known to the active memtable its numbers and its order of them serve as
   * they are; else all are numbered anew.
   */
  private void settle() {
    SeriesTable a = active;
    long[] latest = a == null ? null : inMemory.get(a);
    if (a != null && latest != null && series.size() == 0 && inMemory.size() == 1) {
      series = a;
      times = latest;
    } else {
      inMemory.forEach(this::note);
    }
  }

  /** What numbers a table has for the series of a file; kept with the file. */
  private record Numbers(SeriesTable table, int[] of) {}

  private int[] numbers(SeriesTable table, SstFile file, SeriesIndex index) {
    Numbers kept = file.attachment() instanceof Numbers k && k.table == table ? k : null;
    if (kept == null || kept.of.length != index.size) {
      int[] all = table.findAll(index.tags, index.size);
      file.attach(new Numbers(table, all));
      return all;
    }
    int[] unknown = new int[index.size];
    int n = 0;
    for (int i = 0; i < index.size; i++) {
      unknown[n] = i;
      n += kept.of[i] < 0 ? 1 : 0;
    }
    if (n == 0) {
      return kept.of;
    }
    int[] now = table.findAll(taken(index.tags, unknown, n), n);
    int[] all = kept.of.clone();
    for (int i = 0; i < n; i++) {
      all[unknown[i]] = now[i];
    }
    file.attach(new Numbers(table, all));
    return all;
  }

  private static List<Vector> taken(List<Vector> tags, int[] at, int n) {
    var out = new ArrayList<Vector>();
    for (Vector v : tags) {
      out.add(v.take(at, n));
    }
    return out;
  }

  /** Notes a file's series under the active memtable's numbers; those it does not know apart. */
  private void note(SeriesTable table, SstFile file, SeriesIndex index, long[] last) {
    int[] numbers = numbers(table, file, index);
    int max = Arrays.stream(numbers).max().orElse(-1);
    long[] latest = latest(table, max + 1);
    int[] rest = new int[index.size];
    long[] restTimes = new long[index.size];
    int n = 0;
    for (int i = 0; i < index.size; i++) {
      if (numbers[i] >= 0) {
        latest[numbers[i]] = Math.max(latest[numbers[i]], last[i]);
      } else {
        rest[n] = i;
        restTimes[n++] = last[i];
      }
    }
    if (n > 0) {
      note(taken(index.tags, rest, n), restTimes, n);
    }
  }

  /** The last times noted for a table, with room for so many series. */
  private long[] latest(SeriesTable table, int size) {
    long[] have = inMemory.computeIfAbsent(table, t -> none(t.size()));
    if (have.length < size) {
      int old = have.length;
      have = Arrays.copyOf(have, Math.max(size, old * 2));
      Arrays.fill(have, old, have.length, Long.MIN_VALUE);
      inMemory.put(table, have);
    }
    return have;
  }

  private static long[] none(int n) {
    long[] out = new long[n];
    Arrays.fill(out, Long.MIN_VALUE);
    return out;
  }

  private boolean ask(Source.File f) {
    SstFile file = f.file();
    SeriesIndex index = SeriesIndex.cached(file, schema);
    if (index == null && builder == null) {
      index = SeriesIndex.stored(f, schema);
    }
    if (index == null) {
      SeriesIndex.Builder b = builder;
      if (b == null) {
        b = new SeriesIndex.Builder(file, schema, counters.scan);
        builder = b;
      }
      if (b.step()) {
        return false;
      }
      index = b.finish();
    }
    builder = null;
    long[] last = index.lastTimes;
    if (f.maxTime > filter.high()) {
      last =
          new FileLookup.FileRows(f, file, schema, counters.scan).lastTimes(index, filter.high());
    }
    SeriesTable a = active;
    if (a == null) {
      note(index.tags, last, index.size);
    } else {
      note(a, file, index, last);
    }
    return true;
  }

  private void note(SeriesTable table, long[] latest) {
    int[] some = new int[latest.length];
    long[] t = new long[latest.length];
    int n = 0;
    for (int s = 0; s < latest.length; s++) {
      some[n] = s;
      t[n] = latest[s];
      n += latest[s] > Long.MIN_VALUE ? 1 : 0;
    }
    var tags = new ArrayList<Vector>();
    for (int i = 0; i < schema.tagIds.size(); i++) {
      tags.add(table.tag(i, some, n));
    }
    note(tags, t, n);
  }

  private void note(List<Vector> tags, long[] last, int n) {
    int[] number = new int[n];
    series.resolve(tags.toArray(new Vector[0]), n, number);
    if (series.size() > times.length) {
      int old = times.length;
      times = Arrays.copyOf(times, Math.max(series.size(), old * 2));
      Arrays.fill(times, old, times.length, Long.MIN_VALUE);
    }
    for (int i = 0; i < n; i++) {
      times[number[i]] = Math.max(times[number[i]], last[i]);
    }
  }

  /** The series that have rows in the time asked for and the tags asked for, in key order. */
  private int[] chosen() {
    int all = Math.min(series.size(), times.length);
    int[] picked = new int[all];
    int n = 0;
    for (int s = 0; s < all; s++) {
      picked[n] = s;
      n += times[s] >= filter.low() && times[s] > Long.MIN_VALUE ? 1 : 0;
    }
    for (Filter f : filter.filters()) {
      int tag = schema.tagIndex(f.columnId());
      if (tag >= 0 && n > 0) {
        n = f.apply(series.tag(tag, 0, all), picked, n);
      }
    }
    int[] rank = series.ranks(all);
    IntSort.sort(picked, 0, n, (a, b) -> Integer.compare(rank[a], rank[b]));
    return Arrays.copyOf(picked, n);
  }

  private Assembly rows(int[] some) {
    int n = some.length;
    var tags = new ArrayList<Vector>();
    for (int t = 0; t < schema.tagIds.size(); t++) {
      tags.add(series.tag(t, some, n));
    }
    long[] t = new long[n];
    for (int i = 0; i < n; i++) {
      t[i] = times[some[i]];
    }
    KeyList keys = KeyList.ofSeries(tags, t);
    var found = new Assembly(schema);
    var hits = new KeyHits(keys, schema);
    hits.lastRows = true;
    int[] rowOf = Lookup.fold(schema, sources, hits, counters, found);
    long[] missing = new long[Bits.words(Math.max(1, n))];
    boolean any = false;
    for (int i = 0; i < n; i++) {
      if (rowOf[i] < 0) {
        Bits.set(missing, i);
        any = true;
      }
    }
    return any ? withMerged(found, rowOf, keys, missing) : found;
  }

  /** The rows found and, in their places, those of the series that had none at their last time. */
  private Assembly withMerged(Assembly found, int[] rowOf, KeyList keys, long[] missing) {
    var all = new Assembly(schema);
    all.addAll(found);
    int n = keys.rows;
    int[] merged = rowOf.clone();
    var table = new SeriesTable(schema.tagTypes());
    table.resolve(keys.tags.toArray(new Vector[0]), n, new int[n]);
    Unit.MergedRows reader = unit.merged(withFirstTag(keys, missing));
    for (Assembly a = reader.rows(); a != null; a = reader.rows()) {
      if (a.rows() > 0) {
        var tags = new ArrayList<Vector>();
        for (int id : schema.tagIds) {
          tags.add(a.column(id));
        }
        int[] numbers = table.findAll(tags, a.rows());
        for (int i = 0; i < a.rows(); i++) {
          if (numbers[i] >= 0 && Bits.get(missing, numbers[i])) {
            merged[numbers[i]] = all.rows() + i;
          }
        }
        all.addAll(a);
      }
    }
    int[] present = Arrays.stream(merged).filter(r -> r >= 0).toArray();
    return all.pick(present, present.length);
  }

  /** The filter, narrowed to the first tags of the missing series where they have one. */
  private KeyFilter withFirstTag(KeyList keys, long[] missing) {
    if (schema.tagIds.isEmpty()) {
      return filter.copy();
    }
    Vector lead = keys.tags.getFirst();
    int[] at = new int[keys.rows];
    int n = 0;
    for (int i = 0; i < keys.rows; i++) {
      if (!Bits.get(missing, i)) {
        continue;
      }
      if (lead.isNull(i)) {
        return filter.copy();
      }
      if (n == 0 || lead.compare(i, lead, at[n - 1]) != 0) {
        at[n++] = i;
      }
    }
    return filter.with(new ColumnPredicate.In(schema.tagIds.getFirst(), lead.take(at, n)));
  }
}
