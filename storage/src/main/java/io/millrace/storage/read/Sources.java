package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.storage.OpType;
import io.millrace.storage.Overlay;
import io.millrace.storage.Pruner;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.memtable.MemPart;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.sst.RangeMark;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.StagedFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the sources of a version that a read concerns. */
final class Sources {
  /** Where the sequences of a transaction's own rows begin: above all real ones. */
  private static final long OVERLAY_BASE = Long.MAX_VALUE / 2;

  /** Those of rows that it has staged lie below the rest. */
  private static final long STAGED_BASE = OVERLAY_BASE - (1L << 40);

  private Sources() {}

  /**
   * Sources with rows up to the sequence and with times in the range, newest first.
   *
   * @param above sources whose rows are all at or below this are left out; -1 none
   */
  static List<Source> of(
      Version version,
      ReadSchema schema,
      long readSequence,
      long above,
      long minTime,
      long maxTime,
      @Nullable Overlay overlay,
      OpenFiles.Lease files,
      ScanCounters counters) {
    Memtable own = overlay == null ? null : memtable(version, overlay);
    return of(
        version, schema, readSequence, above, minTime, maxTime, overlay, own, files, counters);
  }

  /**
   * @param own the overlay's rows as {@link #memtable} gives them
   */
  static List<Source> of(
      Version version,
      ReadSchema schema,
      long readSequence,
      long above,
      long minTime,
      long maxTime,
      @Nullable Overlay overlay,
      @Nullable Memtable own,
      OpenFiles.Lease files,
      ScanCounters counters) {
    var out = new ArrayList<Source>();
    List<RangeMark> ranges = ranges(version, readSequence, overlay);
    if (own != null) {
      memtable(own, schema, Long.MAX_VALUE, above, minTime, maxTime, out, counters);
    }
    if (overlay != null) {
      staged(overlay, schema, minTime, maxTime, out, files, counters);
    }
    for (Memtable m : version.memtables()) {
      memtable(m, schema, readSequence, above, minTime, maxTime, out, counters);
    }
    for (SstMeta f : version.files()) {
      boolean outside =
          f.maxTime() < minTime
              || f.minTime() > maxTime
              || f.minSequence() > readSequence
              || f.visibleSince() > readSequence
              || Math.max(f.maxSequence(), f.visibleSince()) <= above;
      if (outside) {
        counters.filesPruned.incrementAndGet();
        counters.prunedFile(Pruner.TIME, f.rows());
        continue;
      }
      counters.files.incrementAndGet();
      var source = new Source.File(schema, f, files);
      source.upTo = readSequence;
      out.add(source);
    }
    return masked(out, ranges);
  }

  /** The range deletes that a reader sees: the published ones and a transaction's own. */
  private static List<RangeMark> ranges(
      Version version, long readSequence, @Nullable Overlay overlay) {
    var out = new ArrayList<RangeMark>();
    for (RangeMark m : version.ranges()) {
      if (m.sequence() <= readSequence) {
        out.add(m);
      }
    }
    if (overlay != null) {
      for (int i = 0; i < overlay.staged().size(); i++) {
        for (RangeDelete d : ((StagedFile) overlay.staged().get(i)).ranges()) {
          out.add(new RangeMark(new Rectangle(d, stagedSequence(i) - 1, STAGED_BASE), Set.of()));
        }
      }
      long sequence = OVERLAY_BASE;
      for (RegionWrite w : overlay.writes()) {
        if (w.op() == OpType.DELETE_RANGE) {
          for (RangeDelete d : RangeDelete.of(w)) {
            out.add(new RangeMark(new Rectangle(d, sequence, STAGED_BASE), Set.of()));
          }
        }
        sequence += w.rows().rows();
      }
    }
    return out;
  }

  /** The sequence of a transaction's staged file; that below it belongs to its range deletes. */
  private static long stagedSequence(int i) {
    return STAGED_BASE + 2L * i + 1;
  }

  /** The one place where range deletes come in: sources that they concern lose rows. */
  private static List<Source> masked(List<Source> sources, List<RangeMark> ranges) {
    if (ranges.isEmpty()) {
      return sources;
    }
    var out = new ArrayList<Source>(sources.size());
    for (Source s : sources) {
      SstMeta file = s.fileMeta();
      var mine = new ArrayList<Rectangle>();
      boolean gone = false;
      for (RangeMark m : ranges) {
        Rectangle r = m.rectangle();
        if (file == null
            ? r.touches(s.minTime, s.maxTime, s.minSequence, s.maxSequence)
            : m.concerns(file)) {
          mine.add(r);
          gone |= file != null && r.swallows(file);
        }
      }
      if (!gone) {
        out.add(mine.isEmpty() ? s : new Source.Masked(s, mine));
      }
    }
    return out;
  }

  /** Rows written ahead: newer than all committed ones, older than the other own ones. */
  private static void staged(
      Overlay overlay,
      ReadSchema schema,
      long minTime,
      long maxTime,
      List<Source> out,
      OpenFiles.Lease files,
      ScanCounters counters) {
    for (int i = overlay.staged().size() - 1; i >= 0; i--) {
      SstMeta written = ((StagedFile) overlay.staged().get(i)).meta();
      if (written == null) {
        continue;
      }
      SstMeta f = written.withUniform(stagedSequence(i));
      if (f.maxTime() >= minTime && f.minTime() <= maxTime) {
        counters.files.incrementAndGet();
        out.add(new Source.File(schema, f, files));
      }
    }
  }

  private static void memtable(
      Memtable m,
      ReadSchema schema,
      long readSequence,
      long above,
      long minTime,
      long maxTime,
      List<Source> out,
      ScanCounters counters) {
    List<MemPart> parts = m.parts();
    for (int i = parts.size() - 1; i >= 0; i--) {
      MemPart p = parts.get(i);
      int to = p.visible(readSequence);
      int from = above <= 0 ? 0 : p.visible(above);
      if (to <= from || p.maxTime() < minTime || p.minTime() > maxTime) {
        continue;
      }
      counters.memtables.incrementAndGet();
      var source = new Source.Mem(schema, m, p, from, to);
      out.add(source);
    }
  }

  /** The rows that a transaction wrote; null if none. */
  static @Nullable Memtable memtable(Version version, Overlay overlay) {
    if (overlay.writes().isEmpty()) {
      return null;
    }
    var m = new Memtable(version.schema(), version.options());
    long sequence = OVERLAY_BASE;
    for (RegionWrite w : overlay.writes()) {
      if (w.op() != OpType.DELETE_RANGE) {
        m.append(withTime(version, w, sequence), sequence);
      }
      sequence += w.rows().rows();
    }
    m.freeze();
    return m;
  }

  /** Gives rows of a table with assigned row ids provisional ones, above all real ones. */
  private static RegionWrite withTime(Version version, RegionWrite w, long first) {
    int id = version.schema().timeIndexId();
    if (w.columnIds().contains(id)) {
      return w;
    }
    int n = w.rows().rows();
    long[] ids = new long[n];
    for (int i = 0; i < n; i++) {
      ids[i] = first + i;
    }
    var columns = new ArrayList<Vector>(w.rows().columns());
    columns.add(new LongVector(SqlType.INT8, ids, n, null));
    var columnIds = new ArrayList<>(w.columnIds());
    columnIds.add(id);
    return new RegionWrite(w.region(), w.schemaVersion(), w.op(), columnIds, new Batch(columns, n));
  }
}
