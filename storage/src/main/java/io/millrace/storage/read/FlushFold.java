package io.millrace.storage.read;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.ColumnSchema;
import io.millrace.storage.HoldKind;
import io.millrace.storage.OpType;
import io.millrace.storage.memtable.MemPart;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstStore;
import io.millrace.storage.sst.parquet.SstWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Folds memtables into sorted SSTs. Any thread, several at once.
 *
 * <p>The versions of a key are cut into stretches by the ROWS holds: a version stays apart from its
 * successor if some hold lies at or above it and below the successor; within a stretch all fold
 * into the newest. A tombstone that is a key's newest version goes if no older file can have the
 * key, no hold is below it and nothing of the key is kept under it. What was dropped raises the
 * bounds from which change feeds are complete.
 */
public final class FlushFold {
  private final SstStore store;

  public FlushFold(SstStore store) {
    this.store = store;
  }

  /**
   * Writes the files. If it throws, files that were finished before may be left in the store; no
   * manifest names them.
   */
  public FlushOutput flush(FlushInput input) {
    var schema = new ReadSchema(input.schema(), input.options());
    var counters = new ScanCounters();
    var cursors = new ArrayList<ChunkCursor>();
    boolean cleared = false;
    boolean fresh = true;
    long rowsIn = 0;
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
        var filter =
            new KeyFilter(
                new long[] {Long.MIN_VALUE},
                new long[] {Long.MAX_VALUE},
                List.of(),
                -1,
                input.upperSequence());
        cursors.add(new Source.Mem(schema, m, p, 0, n).open(filter, counters));
      }
    }
    boolean raw = !schema.merges;
    var held = new Held(input, schema);
    var merger = new Merger(schema, cursors, raw ? new Fold.All() : held);
    var files = new ArrayList<SstMeta>();
    long rowsOut = write(input, schema, merger, held, cleared, fresh, files);
    return new FlushOutput(
        files,
        rowsIn,
        rowsOut,
        Math.max(input.feedStartKeys(), held.droppedTombstone),
        Math.max(input.feedStartRows(), held.droppedPredecessor));
  }

  private long write(
      FlushInput input,
      ReadSchema schema,
      Merger merger,
      Held held,
      boolean cleared,
      boolean fresh,
      List<SstMeta> files) {
    long rowsOut = 0;
    var next = new Assembly(schema);
    boolean more = merger.fill(next, 10_240);
    while (more) {
      String id = input.fileIds().get();
      held.several = false;
      try (var writer = new SstWriter(store.create(input.region(), id), input.schema(), cleared)) {
        do {
          writer.add(piece(input, schema, next));
          held.several |= held.severalInNext;
          held.severalInNext = false;
          next = new Assembly(schema);
          more = merger.fill(next, 10_240);
        } while (more && writer.bytes() < input.maxFileBytes());
        if (writer.rows() > 0) {
          files.add(writer.finish(id, held.several, fresh));
          rowsOut += writer.rows();
        }
      }
    }
    return rowsOut;
  }

  private static SstWriter.Piece piece(FlushInput input, ReadSchema schema, Assembly a) {
    var columns = new ArrayList<Vector>();
    for (ColumnSchema c : input.schema().columns()) {
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
    private final List<SstMeta> older;
    private final boolean keepAll;
    private long droppedTombstone;
    private long droppedPredecessor;

    /** Some key of the file being written has several versions. */
    private boolean several;

    private boolean severalInNext;

    Held(FlushInput input, ReadSchema schema) {
      this.schema = schema;
      this.older = input.olderFiles();
      this.keepAll = input.keepAll();
      this.rowsHolds =
          input.holds().stream()
              .filter(h -> h.kind() == HoldKind.ROWS)
              .mapToLong(HoldPoint::sequence)
              .sorted()
              .toArray();
      this.lowestHold =
          input.holds().stream().mapToLong(HoldPoint::sequence).min().orElse(Long.MAX_VALUE);
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
        int end = i + 1;
        while (end < n
            && !heldWithin(sequence(chunks, rows, end), sequence(chunks, rows, end - 1))) {
          end++;
        }
        for (int k = i + 1; k < end; k++) {
          droppedPredecessor = Math.max(droppedPredecessor, sequence(chunks, rows, k - 1));
        }
        given += stretch(chunks, rows, i, end, i == 0 && end == n, out);
        i = end;
      }
      severalInNext |= given > 1;
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
      boolean cuts = op == OpType.REPLACE.code() || (op == OpType.PUT.code() && schema.lastRow);
      if (cuts || end == i + 1) {
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
      for (SstMeta f : older) {
        if (t >= f.minTime() && t <= f.maxTime()) {
          return false;
        }
      }
      return true;
    }
  }
}
