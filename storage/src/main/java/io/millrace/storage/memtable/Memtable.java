package io.millrace.storage.memtable;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionWrite;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows in memory, in order of sequence, as parts of at most 32,768 rows. One thread appends;
 * readers on other threads see the rows up to a sequence that was published to them after the
 * append.
 */
public final class Memtable {
  private static final int MAX_SHARED_SERIES = 1 << 18;

  private final TableSchema schema;
  private final RegionOptions options;
  private final SeriesTable series;
  private final @Nullable Vector[] defaults;
  private volatile List<MemPart> parts = List.of();
  private volatile boolean frozen;
  private long closedBytes;
  private long appended;
  private volatile long bytes;
  private volatile long rows;

  private final long seriesBytes;

  /** Knows nothing of older data: none of its rows pass for fresh. */
  public Memtable(TableSchema schema, RegionOptions options) {
    this(schema, options, Long.MAX_VALUE);
  }

  /**
   * The first memtable of an opened region.
   *
   * @param maxTime latest time of all data in files; Long.MIN_VALUE if there is none
   */
  public Memtable(TableSchema schema, RegionOptions options, long maxTime) {
    this(schema, options, new SeriesTable(schema, maxTime));
  }

  private Memtable(TableSchema schema, RegionOptions options, SeriesTable series) {
    this.schema = schema;
    this.options = options;
    this.series = series;
    this.seriesBytes = series.bytes();
    this.defaults = new Vector[schema.columns().size()];
    for (int i = 0; i < defaults.length; i++) {
      defaults[i] = InitialDefaults.of(schema.columns().get(i));
    }
  }

  public TableSchema schema() {
    return schema;
  }

  public RegionOptions options() {
    return options;
  }

  public SeriesTable series() {
    return series;
  }

  /** No row of the region that is known here has a later time. */
  public long highest() {
    return series.highest();
  }

  /**
   * An empty memtable that follows this one. It shares the series and what is known of their times,
   * unless the tags differ or the series are too many. By the appending thread.
   */
  public Memtable successor(TableSchema next, RegionOptions nextOptions) {
    boolean share = series.size() <= MAX_SHARED_SERIES && sameTags(next);
    return new Memtable(
        next, nextOptions, share ? series : new SeriesTable(next, series.highest()));
  }

  private boolean sameTags(TableSchema next) {
    if (!next.tagIds().equals(schema.tagIds())) {
      return false;
    }
    for (int id : next.tagIds()) {
      ColumnSchema a = schema.columns().get(schema.indexOf(id));
      ColumnSchema b = next.columns().get(next.indexOf(id));
      if (!a.type().equals(b.type())) {
        return false;
      }
    }
    return true;
  }

  /** Oldest first; the last one may be growing. */
  public List<MemPart> parts() {
    return parts;
  }

  /** Row i of the write gets sequence {@code firstSequence + i}; sequences only grow. */
  public void append(RegionWrite write, long firstSequence) {
    if (frozen) {
      throw new IllegalStateException("append to a frozen memtable");
    }
    int n = write.rows().rows();
    if (n == 0) {
      return;
    }
    @Nullable Vector[] columns = new Vector[schema.columns().size()];
    for (int i = 0; i < write.columnIds().size(); i++) {
      int at = schema.indexOf(write.columnIds().get(i));
      if (at >= 0) {
        columns[at] = write.rows().column(i);
      }
    }
    int[] numbers = new int[n];
    Vector[] tags = new Vector[schema.tagIds().size()];
    for (int t = 0; t < tags.length; t++) {
      tags[t] = required(columns, schema.tagIds().get(t));
    }
    series.resolve(tags, n, numbers);
    long[] times = times(required(columns, schema.timeIndexId()), n);
    byte[] cleared = write.op() == OpType.CLEAR ? clearedSet(write) : null;
    @Nullable Vector[] fill =
        write.schemaVersion() < schema.version() ? defaults : new Vector[columns.length];
    int done = 0;
    while (done < n) {
      MemPart part = writable(n - done);
      int count = Math.min(n - done, MemPart.MAX_ROWS - part.rows());
      part.append(
          columns, fill, numbers, times, done, count, firstSequence + done, write.op(), cleared);
      done += count;
    }
    appended += n;
    rows = appended;
    bytes = closedBytes + parts.getLast().bytes() + series.bytes() - seriesBytes;
  }

  private byte[] clearedSet(RegionWrite write) {
    var ids = new ArrayList<>(write.columnIds());
    ids.removeIf(id -> id == schema.timeIndexId() || schema.tagIds().contains(id));
    return ColumnSets.encode(ids);
  }

  private Vector required(@Nullable Vector[] columns, int id) {
    Vector v = columns[schema.indexOf(id)];
    if (v == null) {
      ColumnSchema c = schema.columns().get(schema.indexOf(id));
      throw new MillraceException(
          ErrorCode.INTERNAL_ERROR, "a write lacks the key column \"" + c.name() + "\"");
    }
    return v;
  }

  private static long[] times(Vector v, int n) {
    if (v instanceof LongVector l) {
      return l.values();
    }
    long[] out = new long[n];
    int[] in = ((IntVector) v).values();
    for (int i = 0; i < n; i++) {
      out[i] = in[i];
    }
    return out;
  }

  /** The part to append to; a write that fits into one part is not split over two. */
  private MemPart writable(int wanted) {
    List<MemPart> p = parts;
    if (!p.isEmpty()) {
      MemPart last = p.getLast();
      int free = MemPart.MAX_ROWS - last.rows();
      if (free >= wanted || free > MemPart.MAX_ROWS / 8) {
        return last;
      }
      closedBytes += last.bytes();
      last.close();
    }
    var next = new ArrayList<>(p);
    var added = new MemPart(schema, series);
    next.add(added);
    parts = List.copyOf(next);
    return added;
  }

  /** No append may follow. By the appending thread. */
  public void freeze() {
    frozen = true;
    if (!parts.isEmpty()) {
      parts.getLast().close();
    }
  }

  public boolean frozen() {
    return frozen;
  }

  /** Bytes held, about. */
  public long byteSize() {
    return bytes;
  }

  public long rows() {
    return rows;
  }

  /** Lowest time index value; Long.MAX_VALUE when empty. */
  public long minTime() {
    long t = Long.MAX_VALUE;
    for (MemPart p : parts) {
      t = Math.min(t, p.minTime());
    }
    return t;
  }

  /** Highest time index value; Long.MIN_VALUE when empty. */
  public long maxTime() {
    long t = Long.MIN_VALUE;
    for (MemPart p : parts) {
      t = Math.max(t, p.maxTime());
    }
    return t;
  }

  /** Lowest sequence appended; Long.MAX_VALUE when empty. */
  public long minSequence() {
    List<MemPart> p = parts;
    return p.isEmpty() ? Long.MAX_VALUE : p.getFirst().minSequence();
  }

  /** Largest sequence appended; 0 when empty. */
  public long maxSequence() {
    List<MemPart> p = parts;
    return p.isEmpty() ? 0 : p.getLast().maxSequence();
  }
}
