package io.millrace.storage.read;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.memtable.SeriesTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What rows of a source may take part, decided before any merge: disjoint intervals of time, exact
 * predicates on key columns, bounds of sequence. One thread; {@link #copy} for another.
 */
final class KeyFilter {
  /** Inclusive bounds, ascending and disjoint. */
  final long[] lows;

  final long[] highs;
  final List<ColumnPredicate> predicates;

  /** Rows above this sequence ... */
  final long above;

  /** ... and up to this one. */
  final long upTo;

  /** Only keys of this stretch; null = all. */
  final @Nullable KeyRange range;

  /** Moving bounds of a sort by time with a limit: rows outside are not wanted any more. */
  long lowest = Long.MIN_VALUE;

  long highest = Long.MAX_VALUE;

  private final List<Filter> filters = new ArrayList<>();

  /** Series found to satisfy the predicates; shared by all filters of a scan. */
  private final Map<SeriesTable, long[]> chosen;

  KeyFilter(long[] lows, long[] highs, List<ColumnPredicate> predicates, long above, long upTo) {
    this(lows, highs, predicates, above, upTo, null, new ConcurrentHashMap<>());
  }

  private KeyFilter(
      long[] lows,
      long[] highs,
      List<ColumnPredicate> predicates,
      long above,
      long upTo,
      @Nullable KeyRange range,
      Map<SeriesTable, long[]> chosen) {
    this.lows = lows;
    this.highs = highs;
    this.predicates = predicates;
    this.above = above;
    this.upTo = upTo;
    this.range = range;
    this.chosen = chosen;
    for (ColumnPredicate p : predicates) {
      filters.add(new Filter(p));
    }
  }

  KeyFilter copy() {
    return new KeyFilter(lows, highs, predicates, above, upTo, range, chosen);
  }

  /** This and a further predicate. */
  KeyFilter with(ColumnPredicate more) {
    var all = new ArrayList<>(predicates);
    all.add(more);
    return new KeyFilter(lows, highs, all, above, upTo, range, new ConcurrentHashMap<>());
  }

  /** This, for keys of a stretch only. */
  KeyFilter within(KeyRange stretch) {
    return new KeyFilter(lows, highs, predicates, above, upTo, stretch, new ConcurrentHashMap<>());
  }

  /** This, for times of [from, to] only. */
  KeyFilter between(long from, long to) {
    long[] newLows = new long[lows.length];
    long[] newHighs = new long[lows.length];
    int n = 0;
    for (int i = 0; i < lows.length; i++) {
      if (lows[i] <= to && highs[i] >= from) {
        newLows[n] = Math.max(lows[i], from);
        newHighs[n++] = Math.min(highs[i], to);
      }
    }
    return withTimes(Arrays.copyOf(newLows, n), Arrays.copyOf(newHighs, n));
  }

  KeyFilter withTimes(long[] newLows, long[] newHighs) {
    return new KeyFilter(newLows, newHighs, predicates, above, upTo, range, chosen);
  }

  KeyFilter withSequences(long newAbove, long newUpTo) {
    return new KeyFilter(lows, highs, predicates, newAbove, newUpTo, range, chosen);
  }

  List<Filter> filters() {
    return filters;
  }

  long low() {
    return lows.length == 0 ? Long.MAX_VALUE : lows[0];
  }

  long high() {
    return highs.length == 0 ? Long.MIN_VALUE : highs[highs.length - 1];
  }

  /** Whether rows with times in the range can take part. */
  boolean touches(long minTime, long maxTime) {
    if (minTime > highest || maxTime < lowest) {
      return false;
    }
    for (int i = 0; i < lows.length; i++) {
      if (minTime <= highs[i] && maxTime >= lows[i]) {
        return true;
      }
    }
    return false;
  }

  /** Whether one interval of time is all that there is to check of a block. */
  private boolean timesAlone(Chunk c) {
    return c instanceof Chunk.Block
        && lows.length == 1
        && !covers(c.minTime, c.maxTime)
        && c.minTime >= lowest
        && c.maxTime <= highest
        && c.maxSequence <= upTo
        && c.minSequence > above;
  }

  private boolean covers(long minTime, long maxTime) {
    for (int i = 0; i < lows.length; i++) {
      if (lows[i] <= minTime && highs[i] >= maxTime) {
        return true;
      }
    }
    return false;
  }

  /** The rows of the chunk that take part; null if none. */
  @Nullable Chunk apply(Chunk c, ReadSchema schema) {
    KeyRange r = range;
    // Of a memtable only series of the stretch have been picked.
    if (r == null || c instanceof Chunk.Mem) {
      return applied(c, schema);
    }
    Runs rows = r.rows(schema.tag(c, 0), c.rows);
    if (rows.size() == 0) {
      return null;
    }
    return applied(rows.rows() == c.rows ? c : new Chunk.Taken(c, rows), schema);
  }

  private @Nullable Chunk applied(Chunk c, ReadSchema schema) {
    int[] at = null;
    int n = c.rows;
    Filter leading = c instanceof Chunk.Block ? leading(schema) : null;
    Vector first = leading == null ? null : c.tag(0);
    if (leading == null
        || first == null
        || first.mayHaveNulls()
        || !first.type().equals(schema.type(leading.columnId()))) {
      leading = null;
    } else {
      int from = leading.firstOf(first, n, false);
      n = leading.firstOf(first, n, true) - from;
      at = n == c.rows ? null : Chunk.range(from, n);
    }
    for (Filter f : filters) {
      if (f == leading) {
        continue;
      }
      at = at == null ? Chunk.identity(c.rows) : at;
      n = f.apply(schema.column(c, f.columnId()), at, n);
    }
    if (n == 0) {
      return null;
    }
    if (at == null && timesAlone(c)) {
      Runs runs = Runs.within(c.time(), n, lows[0], highs[0]);
      if (runs != null) {
        return runs.size() == 0 ? null : runs.rows() == n ? c : new Chunk.Taken(c, runs);
      }
    }
    if (!covers(c.minTime, c.maxTime)) {
      at = at == null ? Chunk.identity(c.rows) : at;
      n = times(c.time(), at, n);
      if (n == 0) {
        return null;
      }
    }
    if (c.minTime < lowest || c.maxTime > highest) {
      at = at == null ? Chunk.identity(c.rows) : at;
      n = within(c.time(), lowest, highest, at, n);
      if (n == 0) {
        return null;
      }
    }
    if (c.maxSequence > upTo || c.minSequence <= above) {
      at = at == null ? Chunk.identity(c.rows) : at;
      long[] s = c.sequence();
      int k = 0;
      for (int i = 0; i < n; i++) {
        if (s[at[i]] > above && s[at[i]] <= upTo) {
          at[k++] = at[i];
        }
      }
      n = k;
    }
    return n == 0 ? null : at == null || n == c.rows ? c : c.narrow(at, n);
  }

  /** The predicate that gives the first tag one value: rows in key order have it side by side. */
  private @Nullable Filter leading(ReadSchema schema) {
    for (Filter f : filters) {
      if (schema.tagIndex(f.columnId()) == 0
          && f.predicate instanceof ColumnPredicate.Compare c
          && c.op() == ColumnPredicate.Op.EQ) {
        return f;
      }
    }
    return null;
  }

  private static int within(long[] t, long lo, long hi, int[] at, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) {
      int p = at[i];
      at[k] = p;
      k += t[p] >= lo && t[p] <= hi ? 1 : 0;
    }
    return k;
  }

  private int times(long[] t, int[] at, int n) {
    int k = 0;
    if (lows.length == 1) {
      return within(t, lows[0], highs[0], at, n);
    }
    for (int i = 0; i < n; i++) {
      int p = at[i];
      int lo = 0;
      int hi = lows.length - 1;
      while (lo < hi) {
        int mid = lo + hi + 1 >>> 1;
        if (lows[mid] <= t[p]) {
          lo = mid;
        } else {
          hi = mid - 1;
        }
      }
      if (lows.length > 0 && t[p] >= lows[lo] && t[p] <= highs[lo]) {
        at[k++] = p;
      }
    }
    return k;
  }

  /**
   * The series of a memtable that satisfy the predicates on tags; null if all may. Rows that the
   * scan may see were there, with their series, before it began, so one evaluation serves all of
   * it.
   */
  long @Nullable [] series(SeriesTable table, TableSchema stored, ReadSchema schema) {
    boolean any = range != null;
    for (Filter f : filters) {
      any |= stored.tagIds().contains(f.columnId()) && schema.tagIndex(f.columnId()) >= 0;
    }
    if (!any) {
      return null;
    }
    return chosen.computeIfAbsent(table, t -> evaluate(t, stored));
  }

  private long[] evaluate(SeriesTable table, TableSchema stored) {
    int size = table.size();
    long[] bits = new long[Bits.words(size + 64)];
    List<Vector> key = wholeKey(stored);
    if (key != null) {
      int s = table.find(key, 0);
      if (s >= 0 && s < size) {
        Bits.set(bits, s);
      }
      return bits;
    }
    int[] at = Chunk.identity(size);
    int n = size;
    for (Filter f : filters) {
      int tag = stored.tagIds().indexOf(f.columnId());
      if (tag >= 0) {
        n = f.apply(table.tag(tag, 0, size), at, n);
      }
    }
    n = inRange(table, at, n);
    for (int i = 0; i < n; i++) {
      Bits.set(bits, at[i]);
    }
    return bits;
  }

  private int inRange(SeriesTable table, int[] at, int n) {
    KeyRange r = range;
    if (r == null) {
      return n;
    }
    Vector v = table.tag(0, 0, table.size());
    int k = 0;
    for (int i = 0; i < n; i++) {
      at[k] = at[i];
      k += r.contains(v, at[i]) ? 1 : 0;
    }
    return k;
  }

  /** The one value that each tag must have, if each must have one. */
  private @Nullable List<Vector> wholeKey(TableSchema stored) {
    var out = new ArrayList<Vector>();
    for (int id : stored.tagIds()) {
      Vector value = null;
      for (ColumnPredicate p : predicates) {
        boolean fixes =
            p instanceof ColumnPredicate.Compare c
                && c.columnId() == id
                && c.op() == ColumnPredicate.Op.EQ;
        if (fixes && p instanceof ColumnPredicate.Compare c) {
          value = c.constant();
        }
      }
      if (value == null) {
        return null;
      }
      out.add(value);
    }
    return out;
  }
}
