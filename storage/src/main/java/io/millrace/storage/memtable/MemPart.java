package io.millrace.storage.memtable;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.OpType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * At most {@link #MAX_ROWS} rows in order of sequence. The rows a reader may see are a prefix; it
 * filters the prefix first and sorts what survives: a counting sort by the series' place in key
 * order, then by time only for series whose rows did not come in time order. The order of a full
 * part is kept.
 */
public final class MemPart {
  static final int MAX_ROWS = 32_768;

  /** Up to so many series of a sorted part are looked up one by one. */
  private static final int FEW_SERIES = 64;

  private final TableSchema schema;
  private final SeriesTable series;
  private final MemColumn.Ints seriesOf = new MemColumn.Ints(SqlType.INT4);
  private final MemColumn.Longs time = new MemColumn.Longs(SqlType.INT8);
  private final MemColumn.Longs sequence = new MemColumn.Longs(SqlType.INT8);
  private final @Nullable MemColumn[] fields;
  private volatile byte @Nullable [] ops;
  private volatile MemColumn.@Nullable Segments cleared;
  private volatile boolean tombstones;
  private volatile boolean ordered = true;

  /** Rows whose keys may have been in the region before; null while there are none. */
  private volatile long @Nullable [] doubtful;

  private volatile int rows;
  private volatile long minTime = Long.MAX_VALUE;
  private volatile long maxTime = Long.MIN_VALUE;
  private volatile boolean closed;
  private volatile @Nullable PartView full;
  private volatile int @Nullable [] last;

  MemPart(TableSchema schema, SeriesTable series) {
    this.schema = schema;
    this.series = series;
    this.fields = new MemColumn[schema.columns().size()];
    for (int i = 0; i < fields.length; i++) {
      ColumnSchema c = schema.columns().get(i);
      if (c.id() != schema.timeIndexId() && !schema.tagIds().contains(c.id())) {
        fields[i] = MemColumn.of(c.type());
      }
    }
  }

  /** Rows appended so far. */
  public int rows() {
    return rows;
  }

  public long minTime() {
    return minTime;
  }

  public long maxTime() {
    return maxTime;
  }

  /** Whether there are DELETE or CLEAR rows. */
  public boolean tombstones() {
    return tombstones;
  }

  /** Whether within every series of the memtable each row so far came with a later time. */
  public boolean ordered() {
    return ordered;
  }

  /** Whether no key of the part so far was in the region before. */
  public boolean fresh() {
    return doubtful == null;
  }

  /** Whether the row's key is known not to have been in the region before. */
  public boolean knownNew(int row) {
    long[] d = doubtful;
    return d == null || !Bits.get(d, row);
  }

  private void doubt(int row) {
    long[] d = doubtful;
    if (d == null) {
      d = new long[Bits.words(MAX_ROWS)];
      Bits.set(d, row);
      doubtful = d;
    } else {
      Bits.set(d, row);
    }
  }

  /** Whether rows have sets of cleared columns. */
  public boolean hasCleared() {
    return cleared != null;
  }

  public SeriesTable series() {
    return series;
  }

  /** Largest sequence; 0 when empty. */
  public long maxSequence() {
    int n = rows;
    return n == 0 ? 0 : sequence.get(n - 1);
  }

  /** Lowest sequence; Long.MAX_VALUE when empty. */
  public long minSequence() {
    return rows == 0 ? Long.MAX_VALUE : sequence.get(0);
  }

  long bytes() {
    long n = seriesOf.bytes + time.bytes + sequence.bytes;
    for (MemColumn c : fields) {
      n += c == null ? 0 : c.bytes;
    }
    byte[] o = ops;
    MemColumn.Segments cl = cleared;
    return n + (o == null ? 0 : o.length) + (cl == null ? 0 : cl.bytes);
  }

  /**
   * Appends rows [from, from + count) of a write.
   *
   * @param columns per schema column the write's vector or null; time is given apart
   * @param fill per schema column a one-row vector for rows the writer did not know of, or null
   * @param clearedSet for CLEAR the encoded ids of the cleared columns
   */
  void append(
      @Nullable Vector[] columns,
      @Nullable Vector[] fill,
      int[] seriesNumbers,
      long[] times,
      int from,
      int count,
      long firstSequence,
      OpType op,
      byte @Nullable [] clearedSet) {
    int at = rows;
    seriesOf.append(seriesNumbers, from, count);
    long lo = minTime;
    long hi = maxTime;
    boolean inOrder = true;
    long lowest = Long.MAX_VALUE;
    for (int i = from; i < from + count; i++) {
      lowest = Math.min(lowest, times[i]);
      hi = Math.max(hi, times[i]);
      boolean later = series.later(seriesNumbers[i], times[i]);
      inOrder &= later;
      if (!later || series.mayBeOlder(times[i])) {
        doubt(at + i - from);
      }
    }
    if (!inOrder) {
      ordered = false;
    }
    time.append(times, from, count);
    sequence.appendCounting(firstSequence, count);
    for (int c = 0; c < fields.length; c++) {
      MemColumn f = fields[c];
      if (f == null) {
        continue;
      }
      Vector v = columns[c];
      Vector d = fill[c];
      if (v != null && op != OpType.DELETE && op != OpType.CLEAR) {
        f.append(v, from, count);
      } else if (d != null && (op == OpType.PUT || op == OpType.REPLACE)) {
        for (int i = 0; i < count; i++) {
          f.append(d, 0, 1);
        }
      } else {
        f.appendNulls(count);
      }
    }
    appendOps(op, at, count);
    appendCleared(clearedSet, at, count);
    if (op == OpType.DELETE || op == OpType.CLEAR) {
      tombstones = true;
    }
    minTime = Math.min(lo, lowest);
    maxTime = hi;
    rows = at + count;
  }

  private void appendOps(OpType op, int at, int count) {
    byte[] o = ops;
    if (o == null) {
      if (op == OpType.PUT) {
        return;
      }
      o = new byte[Math.max(64, at + count)];
      Arrays.fill(o, 0, at, OpType.PUT.code());
    } else if (o.length < at + count) {
      o = Arrays.copyOf(o, Math.min(MAX_ROWS, Math.max(at + count, o.length * 2)));
    }
    Arrays.fill(o, at, at + count, op.code());
    ops = o;
  }

  private void appendCleared(byte @Nullable [] set, int at, int count) {
    MemColumn.Segments c = cleared;
    if (set == null) {
      if (c != null) {
        c.appendNulls(count);
      }
      return;
    }
    if (c == null) {
      c = new MemColumn.Segments(SqlType.BYTEA);
      if (at > 0) {
        c.appendNulls(at);
      }
    }
    var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.BYTEA, count);
    for (int i = 0; i < count; i++) {
      b.append(set);
    }
    c.append(b.build(), 0, count);
    cleared = c;
  }

  /** No append may follow: the order may be kept. */
  void close() {
    closed = true;
  }

  /** How many rows have a sequence up to the given one. */
  public int visible(long readSequence) {
    int n = rows;
    if (n == 0 || sequence.get(n - 1) <= readSequence) {
      return n;
    }
    int lo = 0;
    int hi = n;
    while (lo < hi) {
      int mid = lo + hi >>> 1;
      if (sequence.get(mid) <= readSequence) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return lo;
  }

  /** Rows [from, to) in key order, all of them. */
  public PartView view(int from, int to) {
    PartView f = full;
    if (f != null && from == 0 && to == f.count()) {
      return f;
    }
    int[] picked = new int[to - from];
    for (int i = 0; i < picked.length; i++) {
      picked[i] = from + i;
    }
    PartView v = sort(picked, picked.length);
    if (from == 0 && closed && to == rows) {
      full = v;
    }
    return v;
  }

  /**
   * Of rows [from, to) those with a time in the range and a chosen series, in key order. A part
   * that is closed is sorted once, so that a few series are found by halving; one that still grows
   * is gone through.
   */
  public PartView view(
      int from, int to, long fromTime, long toTime, long @Nullable [] seriesChosen) {
    if (seriesChosen == null && fromTime <= minTime && toTime >= maxTime) {
      return view(from, to);
    }
    int count =
        seriesChosen == null
            ? Integer.MAX_VALUE
            : Bits.count(seriesChosen, seriesChosen.length * Long.SIZE);
    PartView f = full;
    if (count <= FEW_SERIES && from == 0 && closed && to == rows) {
      f = view(from, to);
    }
    boolean sorted = f != null && from == 0 && to == f.count();
    if (sorted && f != null && seriesChosen != null && count <= FEW_SERIES) {
      return ofSeries(f, seriesChosen, count, fromTime, toTime);
    }
    int[] picked = new int[to - from];
    int n = 0;
    if (sorted && f != null) {
      for (int row : f.order()) {
        long t = time.get(row);
        picked[n] = row;
        n += t >= fromTime && t <= toTime ? 1 : 0;
      }
    } else {
      n = time.within(from, to, fromTime, toTime, picked);
    }
    n = seriesChosen == null ? n : chosen(picked, n, seriesChosen);
    return sorted && f != null ? new PartView(picked, n, f.repeats()) : sort(picked, n);
  }

  /**
   * Of rows [from, to) with times up to a bound the newest one with its series' latest time, per
   * series. Goes back from the end where rows came in order, so that it is soon done if all series
   * are written to at the same pace; what it finds in a part that is closed is kept.
   */
  public int[] lastRows(int from, int to, long bound) {
    boolean all = from == 0 && closed && to == rows && bound >= maxTime;
    int[] kept = last;
    if (all && kept != null) {
      return kept;
    }
    int[] out =
        ordered && !all && bound >= maxTime ? lastInOrder(from, to) : latest(from, to, bound);
    if (all) {
      last = out;
    }
    return out;
  }

  private int[] lastInOrder(int from, int to) {
    int wanted = series.size();
    long[] seen = new long[Bits.words(Math.max(1, wanted))];
    int[] picked = new int[16];
    int n = 0;
    for (int row = to - 1; row >= from && n < wanted; row--) {
      int s = seriesOf.get(row);
      long bit = 1L << s;
      if ((seen[s >> 6] & bit) != 0) {
        continue;
      }
      seen[s >> 6] |= bit;
      if (n == picked.length) {
        picked = Arrays.copyOf(picked, n * 2);
      }
      picked[n++] = row;
    }
    return Arrays.copyOf(picked, n);
  }

  private int[] latest(int from, int to, long bound) {
    int[] best = new int[series.size()];
    Arrays.fill(best, -1);
    int n = 0;
    for (int row = from; row < to; row++) {
      int s = seriesOf.get(row);
      long t = time.get(row);
      int b = best[s];
      if (t <= bound && (b < 0 || t >= time.get(b))) {
        n += b < 0 ? 1 : 0;
        best[s] = row;
      }
    }
    int[] out = new int[n];
    int k = 0;
    for (int row : best) {
      if (row >= 0) {
        out[k++] = row;
      }
    }
    return out;
  }

  public int seriesOf(int row) {
    return seriesOf.get(row);
  }

  public long time(int row) {
    return time.get(row);
  }

  private int chosen(int[] picked, int n, long[] wanted) {
    int k = 0;
    for (int i = 0; i < n; i++) {
      int s = seriesOf.get(picked[i]);
      picked[k] = picked[i];
      k += (int) (wanted[s >> 6] >>> s & 1);
    }
    return k;
  }

  private PartView ofSeries(PartView f, long[] wanted, int count, long fromTime, long toTime) {
    int[] rank = series.ranks(series.size());
    int[] ranks = new int[count];
    int k = 0;
    for (int word = 0; word < wanted.length; word++) {
      for (long bits = wanted[word]; bits != 0; bits &= bits - 1) {
        ranks[k++] = rank[(word << 6) + Long.numberOfTrailingZeros(bits)];
      }
    }
    Arrays.sort(ranks);
    int[] picked = new int[16];
    int n = 0;
    for (int r : ranks) {
      for (int at = firstFrom(f, rank, 0, f.count(), r, fromTime); at < f.count(); at++) {
        int row = f.order()[at];
        if (rank[seriesOf.get(row)] != r || time.get(row) > toTime) {
          break;
        }
        if (n == picked.length) {
          picked = Arrays.copyOf(picked, n * 2);
        }
        picked[n++] = row;
      }
    }
    return new PartView(picked, n, f.repeats());
  }

  /** The first place of [from, to) of a view at or behind a series' rank and a time. */
  private int firstFrom(PartView v, int[] rank, int from, int to, int wantedRank, long wantedTime) {
    int lo = from;
    int hi = to;
    while (lo < hi) {
      int mid = lo + hi >>> 1;
      if (before(v, rank, mid, wantedRank, wantedTime)) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return lo;
  }

  private PartView sort(int[] picked, int n) {
    if (n == 0) {
      return new PartView(picked, 0, false);
    }
    int seriesCount = series.size();
    int[] rank = series.ranks(seriesCount);
    int[] order = new int[n];
    if (seriesCount <= 4 * n + 1024) {
      int[] starts = new int[rank.length + 1];
      for (int i = 0; i < n; i++) {
        starts[rank[seriesOf.get(picked[i])] + 1]++;
      }
      for (int i = 1; i < starts.length; i++) {
        starts[i] += starts[i - 1];
      }
      for (int i = 0; i < n; i++) {
        order[starts[rank[seriesOf.get(picked[i])]]++] = picked[i];
      }
    } else {
      System.arraycopy(picked, 0, order, 0, n);
      IntSort.sort(
          order, 0, n, (a, b) -> Integer.compare(rank[seriesOf.get(a)], rank[seriesOf.get(b)]));
    }
    boolean repeats = false;
    int i = 0;
    while (i < n) {
      int s = seriesOf.get(order[i]);
      int j = i + 1;
      long last = time.get(order[i]);
      boolean strict = true;
      boolean rising = true;
      while (j < n && seriesOf.get(order[j]) == s) {
        long t = time.get(order[j]);
        strict &= t > last;
        rising &= t >= last;
        last = t;
        j++;
      }
      if (!strict && rising) {
        repeats = true;
        newestFirst(order, i, j);
      } else if (!strict) {
        IntSort.sort(
            order,
            i,
            j,
            (a, b) -> {
              int c = Long.compare(time.get(a), time.get(b));
              return c != 0 ? c : Integer.compare(b, a);
            });
        for (int k = i + 1; k < j && !repeats; k++) {
          repeats = time.get(order[k]) == time.get(order[k - 1]);
        }
      }
      i = j;
    }
    return new PartView(order, n, repeats);
  }

  /**
   * Rows of a view with given keys, which ascend; each search goes on from the last one's place.
   *
   * @param out takes the key's place in the list and the row, the newest first
   */
  public void find(PartView v, int[] wantedSeries, long[] wantedTimes, int keys, RowSink out) {
    int[] rank = series.ranks(series.size());
    int at = 0;
    for (int k = 0; k < keys && at < v.count(); k++) {
      int s = wantedSeries[k];
      if (s < 0) {
        continue;
      }
      at = gallop(v, rank, at, rank[s], wantedTimes[k]);
      for (int p = at; p < v.count() && is(v.order()[p], s, wantedTimes[k]); p++) {
        out.row(k, v.order()[p]);
      }
    }
  }

  /** Takes rows found. */
  public interface RowSink {
    void row(int key, int row);
  }

  private int gallop(PartView v, int[] rank, int from, int wantedRank, long wantedTime) {
    int step = 1;
    int lo = from;
    int hi = from;
    while (hi < v.count() && before(v, rank, hi, wantedRank, wantedTime)) {
      lo = hi + 1;
      hi += step;
      step *= 2;
    }
    return firstFrom(v, rank, lo, Math.min(hi, v.count()), wantedRank, wantedTime);
  }

  private boolean before(PartView v, int[] rank, int at, int wantedRank, long wantedTime) {
    int row = v.order()[at];
    int r = rank[seriesOf.get(row)];
    return r < wantedRank || (r == wantedRank && time.get(row) < wantedTime);
  }

  /**
   * The rows of [from, to) with given keys, by looking at every row, the newest first; for a part
   * whose order is not kept.
   *
   * @param wanted per series its place among those wanted, -1 for the others
   * @param starts where the keys of each wanted series begin, and at last their number
   * @param times of the keys, ascending within a series
   */
  public void scan(int from, int to, int[] wanted, int[] starts, long[] times, RowSink out) {
    for (int row = to - 1; row >= from; row--) {
      int s = seriesOf.get(row);
      int w = s < wanted.length ? wanted[s] : -1;
      if (w >= 0) {
        int k = Arrays.binarySearch(times, starts[w], starts[w + 1], time.get(row));
        if (k >= 0) {
          out.row(k, row);
        }
      }
    }
  }

  /** Whether the order of all rows is at hand or will be kept. */
  public boolean orderKept() {
    return closed;
  }

  /** Whether a row has the key. */
  private boolean is(int row, int wantedSeries, long wantedTime) {
    return seriesOf.get(row) == wantedSeries && time.get(row) == wantedTime;
  }

  /** Turns runs of equal times round. */
  private void newestFirst(int[] order, int from, int to) {
    int i = from;
    while (i < to) {
      int j = i + 1;
      while (j < to && time.get(order[j]) == time.get(order[i])) {
        j++;
      }
      for (int a = i, b = j - 1; a < b; a++, b--) {
        int x = order[a];
        order[a] = order[b];
        order[b] = x;
      }
      i = j;
    }
  }

  /**
   * The view without versions that no reader sees when the newest row wins as a whole: those after
   * a key's first version that is not a CLEAR.
   */
  public PartView newest(PartView v) {
    if (!v.repeats()) {
      return v;
    }
    byte[] o = ops;
    int[] in = v.order();
    int[] out = new int[v.count()];
    int n = 0;
    boolean repeats = false;
    for (int i = 0; i < v.count(); ) {
      int first = in[i];
      int s = seriesOf.get(first);
      long t = time.get(first);
      boolean open = true;
      int j = i;
      while (j < v.count() && is(in[j], s, t)) {
        if (open) {
          repeats |= j > i;
          out[n++] = in[j];
          open = o != null && in[j] < o.length && o[in[j]] == OpType.CLEAR.code();
        }
        j++;
      }
      i = j;
    }
    return new PartView(out, n, repeats);
  }

  /** A tag of rows in the given order. */
  public Vector tag(int tag, int[] order, int from, int count) {
    int[] s = new int[count];
    for (int i = 0; i < count; i++) {
      s[i] = seriesOf.get(order[from + i]);
    }
    return series.tag(tag, s, count);
  }

  public long[] times(int[] order, int from, int count) {
    long[] out = new long[count];
    time.gather(order, from, count, out);
    return out;
  }

  public long[] sequences(int[] order, int from, int count) {
    long[] out = new long[count];
    sequence.gather(order, from, count, out);
    return out;
  }

  /** Operation codes; null if all rows are PUTs. */
  public byte @Nullable [] ops(int[] order, int from, int count) {
    byte[] o = ops;
    if (o == null) {
      return null;
    }
    byte[] out = new byte[count];
    for (int i = 0; i < count; i++) {
      int row = order[from + i];
      out[i] = row < o.length ? o[row] : OpType.PUT.code();
    }
    return out;
  }

  /** Encoded sets of cleared columns, NULL where none; null if there are none at all. */
  public @Nullable Vector cleared(int[] order, int from, int count) {
    MemColumn.Segments c = cleared;
    return c == null ? null : c.take(order, from, count);
  }

  /** A field by its position in the memtable's schema. */
  public Vector field(int index, int[] order, int from, int count) {
    MemColumn f = fields[index];
    if (f == null) {
      throw new IllegalArgumentException(
          "column " + schema.columns().get(index).name() + " is no field");
    }
    return f.take(order, from, count);
  }
}
