package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.HoldKind;
import io.millrace.storage.OpType;
import io.millrace.storage.cache.PageCache;
import io.millrace.storage.memtable.MemPart;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.sst.RangeMark;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstStore;
import io.millrace.storage.sst.index.SideCarPlan;
import io.millrace.storage.sst.index.SideCarWriter;
import io.millrace.storage.sst.index.SideCars;
import io.millrace.storage.sst.parquet.SstFile;
import io.millrace.storage.sst.parquet.SstWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Folds memtables, or files, into sorted SSTs. Any thread, several at once.
 *
 * <p>The versions of a key are cut into stretches by the ROWS holds: a version stays apart from its
 * successor if some hold lies at or above it and below the successor; within a stretch all fold
 * into the newest. Versions that need older ones (fields not given) fold only with those that no
 * source outside the job can lie between: merging what is not adjacent would put older values above
 * newer ones. A tombstone that is a key's newest version goes if no older source can have the key,
 * no hold is below it and nothing of the key is kept under it. What was dropped raises the bounds
 * from which change feeds are complete.
 */
public final class SstFold {
  private static final int PIECE_ROWS = 10_240;

  /** Decoded pages that a compaction keeps. */
  public static final long COMPACTION_CACHE = 32L << 20;

  private final SstStore store;

  public SstFold(SstStore store) {
    this.store = store;
  }

  /** What flush and compaction have in common. */
  private record Job(
      RegionId region,
      ReadSchema schema,
      boolean cleared,
      boolean fresh,
      long run,
      long maxFileBytes,
      int groupRows,
      Supplier<String> fileIds,
      BooleanSupplier stop,
      SideCarPlan indexes,
      Held held) {}

  /** Writes the files; if it throws, files with ids that it took may be left in the store. */
  public FlushOutput flush(FlushInput input) {
    var schema = new ReadSchema(input.schema(), input.options());
    var counters = new ScanCounters();
    var cursors = new ArrayList<ChunkCursor>();
    boolean cleared = false;
    boolean fresh = true;
    long rowsIn = 0;
    var masks = new Masks(schema, input.ranges(), input.holds(), input.keepAll());
    for (Memtable m : input.memtables()) {
      List<MemPart> parts = m.parts();
      for (int i = parts.size() - 1; i >= 0; i--) {
        MemPart p = parts.get(i);
        int n = p.visible(input.upperSequence());
        if (n == 0) {
          continue;
        }
        cleared |= p.hasCleared();
        fresh &= p.fresh();
        rowsIn += n;
        KeyFilter filter = between(input.minTime(), Long.MAX_VALUE, input.upperSequence());
        cursors.add(masks.over(new Source.Mem(schema, m, p, 0, n).open(filter, counters)));
      }
    }
    var held = new Held(schema, input.holds(), outside(input.olderFiles()), input.keepAll());
    var job =
        new Job(
            input.region(),
            schema,
            cleared,
            fresh,
            input.run(),
            input.maxFileBytes(),
            input.options().files().groupRows(),
            input.fileIds(),
            () -> false,
            SideCarPlan.of(input.schema(), input.options(), rowsHeld(input.holds())),
            held);
    var files = new ArrayList<SstMeta>();
    long rowsOut = write(job, cursors, files);
    held.droppedPredecessor = Math.max(held.droppedPredecessor, masks.taken());
    return output(held, files, rowsIn, rowsOut, input.feedStartKeys(), input.feedStartRows());
  }

  private static boolean rowsHeld(List<HoldPoint> holds) {
    return holds.stream().anyMatch(h -> h.kind() == HoldKind.ROWS);
  }

  private static FlushOutput output(
      Held held, List<SstMeta> files, long rowsIn, long rowsOut, long keys, long rows) {
    return new FlushOutput(
        files,
        rowsIn,
        rowsOut,
        Math.max(keys, held.droppedTombstone),
        Math.max(rows, held.droppedPredecessor));
  }

  /** A source that is not merged: its times and sequences. */
  private record Outside(long minTime, long maxTime, long minSequence, long maxSequence) {}

  private static List<Outside> outside(List<SstMeta> files) {
    var out = new ArrayList<Outside>(files.size());
    for (SstMeta f : files) {
      boolean late = f.visibleSince() > 0;
      long min = late ? 0 : f.minSequence();
      long max = late ? Long.MAX_VALUE : f.maxSequence();
      out.add(new Outside(f.minTime(), f.maxTime(), min, max));
    }
    return out;
  }

  /** What range deletes take of a job's sources. */
  private static final class Masks {
    private final ReadSchema schema;
    private final List<Rectangle> ranges;
    private final long[] rowsHolds;
    private final List<Mask> made = new ArrayList<>();
    private long swallowed;

    Masks(ReadSchema schema, List<Rectangle> ranges, List<HoldPoint> holds, boolean keepAll) {
      this.schema = schema;
      this.ranges = keepAll ? List.of() : ranges;
      this.rowsHolds = rowsHolds(holds);
    }

    ChunkCursor over(ChunkCursor rows) {
      return over(rows, ranges);
    }

    private ChunkCursor over(ChunkCursor rows, List<Rectangle> all) {
      if (all.isEmpty()) {
        return rows;
      }
      var mask = new Mask(schema, all, rowsHolds);
      made.add(mask);
      return mask.over(rows);
    }

    ChunkCursor over(ChunkCursor rows, SstMeta file, List<RangeMark> marks) {
      var mine = new ArrayList<Rectangle>();
      for (RangeMark m : marks) {
        if (m.concerns(file)) {
          Rectangle r = m.rectangle();
          if (r.swallows(file) && (rowsHolds.length == 0 || rowsHolds[0] >= r.sequence())) {
            swallowed = Math.max(swallowed, r.sequence());
            return () -> null;
          }
          mine.add(r);
        }
      }
      return over(rows, mine);
    }

    /** The largest sequence of a delete that has taken a row. */
    long taken() {
      long n = swallowed;
      for (Mask m : made) {
        n = Math.max(n, m.taken());
      }
      return n;
    }
  }

  private static long[] rowsHolds(List<HoldPoint> holds) {
    return holds.stream()
        .filter(h -> h.kind() == HoldKind.ROWS)
        .mapToLong(HoldPoint::sequence)
        .sorted()
        .toArray();
  }

  private static KeyFilter between(long min, long max, long upTo) {
    return new KeyFilter(new long[] {min}, new long[] {max}, List.of(), -1, upTo);
  }

  /**
   * Merges files into new ones, one run, or one per window of time; as {@link #flush} otherwise.
   *
   * @return null if it was stopped; files may be left in the store
   */
  public @Nullable FlushOutput compact(CompactionInput input) {
    var schema = new ReadSchema(input.schema(), input.options());
    List<Outside> outside = outside(input.others());
    for (Memtable m : input.memtables()) {
      if (m.rows() > 0) {
        outside.add(new Outside(m.minTime(), m.maxTime(), m.minSequence(), m.maxSequence()));
      }
    }
    var held = new Held(schema, input.holds(), outside, false);
    var files = new ArrayList<SstMeta>();
    long rowsIn = 0;
    long rowsOut = 0;
    for (SstMeta f : input.inputs()) {
      rowsIn += f.rows();
    }
    SideCarPlan indexes = SideCarPlan.of(input.schema(), input.options(), rowsHeld(input.holds()));
    var cache = new PageCache(COMPACTION_CACHE);
    try (var open = new OpenFiles(store, cache, new SideCars(store, 0));
        OpenFiles.Lease lease = open.lease(input.region())) {
      boolean cleared = false;
      for (SstMeta f : input.inputs()) {
        cleared |= lease.file(f).has(SstFile.CLEARED_ID);
      }
      for (long[] window : windows(input)) {
        var job =
            new Job(
                input.region(),
                schema,
                cleared,
                input.fresh(),
                input.runs().getAsLong(),
                input.maxFileBytes(),
                input.options().files().groupRows(),
                input.fileIds(),
                input.stop(),
                indexes,
                held);
        var masks = new Masks(schema, List.of(), input.holds(), false);
        rowsOut += write(job, cursors(input, schema, window, lease, masks), files);
        held.droppedPredecessor = Math.max(held.droppedPredecessor, masks.taken());
        if (input.stop().getAsBoolean()) {
          return null;
        }
      }
    } finally {
      cache.clear();
    }
    return output(held, files, rowsIn, rowsOut, input.feedStartKeys(), input.feedStartRows());
  }

  private static List<ChunkCursor> cursors(
      CompactionInput input, ReadSchema schema, long[] window, OpenFiles.Lease lease, Masks masks) {
    var counters = new ScanCounters();
    var cursors = new ArrayList<ChunkCursor>();
    for (SstMeta f : input.inputs()) {
      if (f.minTime() <= window[1] && f.maxTime() >= window[0]) {
        KeyFilter filter = between(window[0], window[1], Long.MAX_VALUE);
        ChunkCursor rows = new Source.File(schema, f, lease).open(filter, counters);
        cursors.add(masks.over(rows, f, input.ranges()));
      }
    }
    return cursors;
  }

  /** The bounds of the windows that the inputs touch; one without bounds if not asked for. */
  private static List<long[]> windows(CompactionInput input) {
    if (input.strictWindow() <= 0) {
      return List.of(new long[] {input.minTime(), Long.MAX_VALUE});
    }
    var starts = new TreeSet<Long>();
    for (SstMeta f : input.inputs()) {
      long first = Math.floorDiv(Math.max(f.minTime(), input.minTime()), input.strictWindow());
      long last = Math.floorDiv(f.maxTime(), input.strictWindow());
      for (long w = first; w <= last; w++) {
        starts.add(w * input.strictWindow());
      }
    }
    var out = new ArrayList<long[]>();
    for (long start : starts) {
      out.add(new long[] {Math.max(start, input.minTime()), start + input.strictWindow() - 1});
    }
    return out;
  }

  private long write(Job job, List<ChunkCursor> cursors, List<SstMeta> files) {
    Held held = job.held;
    var merger = new Merger(job.schema, cursors, job.schema.merges ? held : new Fold.All());
    TableSchema schema = job.schema.schema;
    long rowsOut = 0;
    var next = new Assembly(job.schema);
    boolean more = merger.fill(next, PIECE_ROWS);
    while (more && !job.stop.getAsBoolean()) {
      String id = job.fileIds.get();
      held.several = false;
      try (SideCarWriter indexes = indexes(job, id);
          var writer =
              new SstWriter(
                  store.create(job.region, id), schema, job.cleared, job.groupRows, indexes)) {
        do {
          writer.add(piece(job.schema, next));
          held.several |= held.severalInNext;
          held.severalInNext = false;
          next = new Assembly(job.schema);
          more = merger.fill(next, PIECE_ROWS);
        } while (more && writer.bytes() < job.maxFileBytes && !job.stop.getAsBoolean());
        if (writer.rows() > 0 && !job.stop.getAsBoolean()) {
          files.add(writer.finish(id, held.several, job.fresh).withRun(job.run));
          rowsOut += writer.rows();
        }
      }
    }
    return rowsOut;
  }

  private SideCarWriter indexes(Job job, String id) {
    return new SideCarWriter(
        job.indexes, id, 0, () -> store.create(job.region, SideCarMeta.name(id, 0)));
  }

  private static SstWriter.Piece piece(ReadSchema schema, Assembly a) {
    var columns = new ArrayList<Vector>();
    for (ColumnSchema c : schema.schema.columns()) {
      columns.add(a.column(c.id()));
    }
    byte[] ops = a.ops();
    if (schema.lastRow) {
      for (int i = 0; i < ops.length; i++) {
        ops[i] = ops[i] == OpType.REPLACE.code() ? OpType.PUT.code() : ops[i];
      }
    }
    return new SstWriter.Piece(columns, a.sequences(), ops, a.cleared(), a.rows());
  }

  /** Folds under holds. */
  private static final class Held implements Fold {
    private final ReadSchema schema;
    private final long[] rowsHolds;
    private final long lowestHold;
    private final List<Outside> outside;
    private final boolean keepAll;
    private long droppedTombstone;
    private long droppedPredecessor;

    /** Some key of the file being written has several versions. */
    private boolean several;

    private boolean severalInNext;

    Held(ReadSchema schema, List<HoldPoint> holds, List<Outside> outside, boolean keepAll) {
      this.schema = schema;
      this.outside = outside;
      this.keepAll = keepAll;
      this.rowsHolds = rowsHolds(holds);
      this.lowestHold = holds.stream().mapToLong(HoldPoint::sequence).min().orElse(Long.MAX_VALUE);
    }

    @Override
    public boolean raw() {
      return false;
    }

    private static long sequence(Chunk[] chunks, int[] rows, int i) {
      return chunks[i].sequence()[rows[i]];
    }

    /** Whether a ROWS hold lies in [low, high). */
    private boolean heldWithin(long low, long high) {
      int p = Arrays.binarySearch(rowsHolds, low);
      int at = p >= 0 ? p : -p - 1;
      return at < rowsHolds.length && rowsHolds[at] < high;
    }

    @Override
    public void group(Chunk[] chunks, int[] rows, int n, Assembly out) {
      if (keepAll) {
        for (int k = 0; k < n; k++) {
          out.run(chunks[k], rows[k], 1);
        }
        severalInNext |= n > 1;
        return;
      }
      int given = 0;
      int i = 0;
      while (i < n) {
        int end = end(chunks, rows, i, n);
        for (int k = i + 1; k < end; k++) {
          droppedPredecessor = Math.max(droppedPredecessor, sequence(chunks, rows, k - 1));
        }
        given += stretch(chunks, rows, i, end, i == 0 && end == n, out);
        i = end;
      }
      severalInNext |= given > 1;
    }

    /** Where the stretch that begins at version i ends. */
    private int end(Chunk[] chunks, int[] rows, int i, int n) {
      boolean whole = cuts(Fold.op(chunks[i], rows[i]));
      int end = i + 1;
      while (end < n) {
        long low = sequence(chunks, rows, end);
        long high = sequence(chunks, rows, end - 1);
        if (heldWithin(low, high) || !whole && parted(chunks[i].time()[rows[i]], low, high)) {
          return end;
        }
        whole |= cuts(Fold.op(chunks[end], rows[end]));
        end++;
      }
      return end;
    }

    /** Whether what is older than such a version does not matter. */
    private boolean cuts(byte op) {
      return op == OpType.DELETE.code()
          || op == OpType.REPLACE.code()
          || (op == OpType.PUT.code() && schema.lastRow);
    }

    /** Whether something outside may have a version between the two. */
    private boolean parted(long time, long low, long high) {
      for (Outside o : outside) {
        boolean between = o.minSequence < high && o.maxSequence > low;
        if (between && time >= o.minTime && time <= o.maxTime) {
          return true;
        }
      }
      return false;
    }

    private int stretch(Chunk[] chunks, int[] rows, int i, int end, boolean whole, Assembly out) {
      byte op = Fold.op(chunks[i], rows[i]);
      if (op == OpType.DELETE.code()) {
        if (whole && droppable(chunks[i], rows[i])) {
          droppedTombstone = Math.max(droppedTombstone, chunks[i].sequence()[rows[i]]);
          return 0;
        }
        out.run(chunks[i], rows[i], 1);
        return 1;
      }
      if (cuts(op) || end == i + 1) {
        out.run(chunks[i], rows[i], 1);
        return 1;
      }
      int used = Versions.stretch(chunks, rows, i, end, schema.lastRow);
      out.fold(Versions.fold(chunks, rows, i, used, schema.lastRow));
      return 1;
    }

    private boolean droppable(Chunk c, int row) {
      if (lowestHold < c.sequence()[row]) {
        return false;
      }
      long t = c.time()[row];
      long sequence = c.sequence()[row];
      for (Outside o : outside) {
        if (o.minSequence < sequence && t >= o.minTime && t <= o.maxTime) {
          return false;
        }
      }
      return true;
    }
  }
}
