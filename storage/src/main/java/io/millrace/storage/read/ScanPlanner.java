package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.RangedBatch;
import io.millrace.common.batch.Vector;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.memtable.SeriesTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Plans a scan. In no particular order, the times that only one source has are read from it
 * directly, with page pruning by field statistics and late materialisation; only contested times
 * are merged. In key order everything is merged, in time order the rows of an unordered plan are
 * sorted.
 */
final class ScanPlanner {
  private static final int ROWS_WORTH_A_PARTITION = 15_000;

  /** The part of all rows that one value of a tag is taken to have. */
  private static final double TAG_GUESS = 0.1;

  private final ReadSchema schema;
  private final ScanRequest request;
  private final ScanCounters counters;
  private final List<ColumnPredicate> keys = new ArrayList<>();
  private final List<ColumnPredicate> fields = new ArrayList<>();
  private long minTime;
  private long maxTime;

  ScanPlanner(ReadSchema schema, ScanRequest request, ScanCounters counters) {
    this.schema = schema;
    this.request = request;
    this.counters = counters;
    this.minTime = request.minTime();
    this.maxTime = request.maxTime();
    for (ColumnPredicate p : request.predicates()) {
      if (p.columnId() == schema.timeId && p instanceof ColumnPredicate.Compare c) {
        time(c);
      } else if (schema.isKey(p.columnId())) {
        keys.add(p);
      } else {
        fields.add(p);
      }
    }
    keys.sort(Comparator.comparingInt(p -> p.columnId() == schema.timeId ? 1 : 0));
  }

  private void time(ColumnPredicate.Compare c) {
    Vector v = c.constant();
    long x = v instanceof LongVector l ? l.get(0) : ((IntVector) v).get(0);
    switch (c.op()) {
      case EQ -> {
        minTime = Math.max(minTime, x);
        maxTime = Math.min(maxTime, x);
      }
      case NE -> keys.add(c);
      case LT -> maxTime = x == Long.MIN_VALUE ? none() : Math.min(maxTime, x - 1);
      case LE -> maxTime = Math.min(maxTime, x);
      case GT -> minTime = x == Long.MAX_VALUE ? none() : Math.max(minTime, x + 1);
      case GE -> minTime = Math.max(minTime, x);
    }
  }

  private long none() {
    minTime = Long.MAX_VALUE;
    maxTime = Long.MIN_VALUE;
    return minTime == Long.MAX_VALUE ? maxTime : minTime;
  }

  long minTime() {
    return minTime;
  }

  long maxTime() {
    return maxTime;
  }

  /** Sources at or below this sequence cannot give a row; -1 if all can. */
  long above() {
    boolean newestOnly = request.keepDeletes() || !schema.merges || schema.lastRow;
    return request.afterSequence() > 0 && newestOnly ? request.afterSequence() : -1;
  }

  /**
   * Readers, one per partition.
   *
   * @param active the series of the active memtable, if it has the tags of the schema
   */
  List<Supplier<RowStream>> plan(List<Source> sources, @Nullable SeriesTable active) {
    if (minTime > maxTime || sources.isEmpty()) {
      return List.of(() -> () -> null);
    }
    boolean raw = !schema.merges || request.keepDeletes();
    for (Source s : sources) {
      s.newestWins = !raw && schema.lastRow;
    }
    long above = raw && request.afterSequence() > 0 ? request.afterSequence() : -1;
    var filter =
        new KeyFilter(new long[] {minTime}, new long[] {maxTime}, keys, above, Long.MAX_VALUE);
    boolean last = request.selector() == ScanRequest.RowSelector.LAST_ROW;
    boolean byTime =
        request.order() == ScanRequest.Order.TIME_ASC
            || request.order() == ScanRequest.Order.TIME_DESC;
    long after = raw ? 0 : request.afterSequence();
    var columns = new ArrayList<>(request.columnIds());
    int timeColumn = columns.indexOf(schema.timeId);
    if (byTime && timeColumn < 0) {
      timeColumn = columns.size();
      columns.add(schema.timeId);
    }
    var shape =
        new Unit.Shape(
            schema, columns, fields, after, byTime ? -1 : request.limit(), active, counters);
    Supplier<Fold> fold = raw ? Fold.All::new : () -> new Fold.Visible(schema.lastRow);
    if (last || request.order() == ScanRequest.Order.KEY) {
      Unit unit = keyed(shape, filter, sources, fold, raw, last);
      if (byTime) {
        return List.of(sorted(List.of(unit), timeColumn));
      }
      return inKeyOrder(unit, last);
    }
    List<Unit> units = unordered(shape, filter, sources, fold, raw);
    if (byTime) {
      return List.of(sorted(units, timeColumn));
    }
    return partitions(units);
  }

  /** Readers of stretches of keys, ascending. */
  private List<Supplier<RowStream>> inKeyOrder(Unit unit, boolean last) {
    int n = last ? 1 : wanted(List.of(unit));
    List<Unit> pieces = List.of(unit);
    if (n > 1 && unit instanceof Unit.Merge m && !oneLeadingTag()) {
      pieces = m.split(n, false);
    } else if (n > 1 && unit instanceof Unit.Direct d) {
      pieces = byGroups(d, Math.min(n, d.toGroup - d.fromGroup));
    }
    var out = new ArrayList<Supplier<RowStream>>();
    for (Unit u : pieces) {
      out.add(() -> u.open(u.filter.copy()));
    }
    return out;
  }

  private static List<Unit> byGroups(Unit.Direct d, int parts) {
    int groups = d.toGroup - d.fromGroup;
    var out = new ArrayList<Unit>();
    for (int i = 0; i < parts; i++) {
      int from = d.fromGroup + groups * i / parts;
      int to = d.fromGroup + groups * (i + 1) / parts;
      out.add(new Unit.Direct(d.shape, d.filter, d.source, from, to));
    }
    return out;
  }

  /** Whether only one value of the first tag is asked for. */
  private boolean oneLeadingTag() {
    for (ColumnPredicate p : keys) {
      if (schema.tagIndex(p.columnId()) == 0
          && p instanceof ColumnPredicate.Compare c
          && c.op() == ColumnPredicate.Op.EQ) {
        return true;
      }
    }
    return false;
  }

  private Supplier<RowStream> sorted(List<Unit> units, int timeColumn) {
    return () ->
        new Unit.ByTime(
            units,
            timeColumn,
            request.columnIds().size(),
            request.order() == ScanRequest.Order.TIME_DESC,
            request.limit());
  }

  private Unit keyed(
      Unit.Shape shape,
      KeyFilter filter,
      List<Source> sources,
      Supplier<Fold> fold,
      boolean raw,
      boolean last) {
    if (sources.size() == 1 && !last && (raw || !sources.getFirst().flagged())) {
      Source s = sources.getFirst();
      if (shape.afterSequence() == 0) {
        return new Unit.Direct(shape, filter.withSequences(filter.above, s.upTo), s, 0, s.groups());
      }
    }
    return new Unit.Merge(shape, filter, sources, fold, last);
  }

  private List<Unit> unordered(
      Unit.Shape shape, KeyFilter filter, List<Source> sources, Supplier<Fold> fold, boolean raw) {
    var units = new ArrayList<Unit>();
    Intervals contested = raw ? Intervals.of(1, 0) : Intervals.contested(sources, minTime, maxTime);
    Intervals free = contested.complement(minTime, maxTime);
    long above = raw ? filter.above : shape.afterSequence();
    var free2 = filter.withTimes(free.lows(), free.highs());
    for (Source s : sources) {
      if (free.touches(s.minTime, s.maxTime)) {
        units.add(new Unit.Direct(shape, free2.withSequences(above, s.upTo), s, 0, s.groups()));
      }
    }
    if (!contested.isEmpty()) {
      var merged = new ArrayList<Source>();
      for (Source s : sources) {
        if (contested.touches(s.minTime, s.maxTime)) {
          merged.add(s);
        }
      }
      units.add(
          new Unit.Merge(
              shape, filter.withTimes(contested.lows(), contested.highs()), merged, fold, false));
    }
    return units;
  }

  /**
   * How many partitions the rows are worth. What is about to read few rows stays in one: a look at
   * a row would pay for the hand-over between threads many times over.
   */
  private int wanted(List<Unit> units) {
    double rows = 0;
    for (Unit u : units) {
      rows += u.rows() * share(u);
    }
    int worth = (int) Math.min(Integer.MAX_VALUE, rows * tagShare() / ROWS_WORTH_A_PARTITION);
    return Math.clamp(worth, 1, Math.max(1, request.maxPartitions()));
  }

  /**
   * Spreads the units over at most the partitions wanted, files by row groups, what is merged by
   * stretches of keys.
   */
  private List<Supplier<RowStream>> partitions(List<Unit> units) {
    int wanted = wanted(units);
    var pieces = new ArrayList<Unit>();
    for (Unit u : units) {
      if (wanted > 1 && u instanceof Unit.Direct d && d.toGroup - d.fromGroup > 1) {
        pieces.addAll(byGroups(d, Math.min(wanted * 2, d.toGroup - d.fromGroup)));
      } else if (wanted > 1 && u instanceof Unit.Merge m && !oneLeadingTag()) {
        pieces.addAll(m.split(wanted, true));
      } else {
        pieces.add(u);
      }
    }
    int count = Math.max(1, Math.min(wanted, pieces.size()));
    var lists = new ArrayList<List<Unit>>();
    long[] load = new long[count];
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>());
    }
    if (count > 1) {
      pieces.sort(Comparator.comparingLong((Unit u) -> -u.rows()));
    }
    for (Unit u : pieces) {
      int best = 0;
      for (int i = 1; i < count; i++) {
        best = load[i] < load[best] ? i : best;
      }
      load[best] += u.rows() + 1;
      lists.get(best).add(u);
    }
    var out = new ArrayList<Supplier<RowStream>>();
    for (List<Unit> l : lists) {
      out.add(() -> new Sequence(l, request.limit()));
    }
    return out;
  }

  /** What part of a unit's time is asked for. */
  private double share(Unit u) {
    double all = (double) u.sourceMaxTime() - u.sourceMinTime();
    double asked = (double) Math.min(u.maxTime(), maxTime) - Math.max(u.minTime(), minTime);
    return all <= 0 ? 1 : Math.clamp(asked / all, 0, 1);
  }

  /** A guess at how many of the rows have the tags asked for. */
  private double tagShare() {
    double part = 1;
    for (ColumnPredicate p : keys) {
      if (p instanceof ColumnPredicate.Compare c && c.op() == ColumnPredicate.Op.EQ) {
        part *= TAG_GUESS;
      } else if (p instanceof ColumnPredicate.In in) {
        part *= Math.min(1, in.values().length() * TAG_GUESS);
      }
    }
    return part;
  }

  /** Units one after the other. */
  private static final class Sequence implements RowStream {
    private final List<Unit> units;
    private final long limit;
    private int at;
    private long given;
    private @Nullable RowStream current;

    Sequence(List<Unit> units, long limit) {
      this.units = units;
      this.limit = limit;
    }

    /** The stream to go on with; null at the end. */
    private @Nullable RowStream current() {
      if (limit >= 0 && given >= limit) {
        return null;
      }
      RowStream c = current;
      if (c == null && at < units.size()) {
        Unit u = units.get(at++);
        c = u.open(u.filter.copy());
        current = c;
      }
      return c;
    }

    @Override
    public @Nullable Batch next() {
      RowStream c = current();
      if (c == null) {
        return null;
      }
      Batch b = c.next();
      if (b == null) {
        current = null;
        return NOTHING;
      }
      given += b.rows();
      return b;
    }

    @Override
    public @Nullable RangedBatch nextRanges() {
      RowStream c = current();
      if (c == null) {
        return null;
      }
      RangedBatch b = c.nextRanges();
      if (b == null) {
        current = null;
        return RangedBatch.none();
      }
      given += b.rows();
      return b;
    }
  }
}
