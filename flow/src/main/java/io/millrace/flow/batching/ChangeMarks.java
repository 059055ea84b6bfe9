package io.millrace.flow.batching;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.TypeKind;
import io.millrace.flow.ledger.Checkpoint;
import io.millrace.flow.ledger.DirtyRanges;
import io.millrace.flow.ledger.TimeRange;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.ChangeBatch;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.Snapshot;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The windows that the change feed gives between a checkpoint and a snapshot. Everything is dirty where the
 * feed cannot answer: a region that the checkpoint does not know, sequences that went back, versions that
 * are gone, a source without a log that was opened anew. Windows that end before the bound are expired:
 * they are not marked, and their rows are counted.
 */
/** Marks windows as dirty. One evaluation's; one thread. */
final class ChangeMarks {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeMarks.class);

  private final RegionEngine engine;
  private final FlowPlan plan;
  private final String flow;
  private final long bound;
  private final DirtyRanges dirty = new DirtyRanges();
  private long rows;
  private long expired;

  /**
   * @param bound windows that end at or before it are expired; Long.MIN_VALUE if there is none
   */
  ChangeMarks(RegionEngine engine, FlowPlan plan, String flow, long bound) {
    this.engine = engine;
    this.plan = plan;
    this.flow = flow;
    this.bound = bound;
  }

  /** What is dirty and not expired. */
  DirtyRanges dirty() {
    dirty.dropBefore(bound);
    return dirty;
  }

  /** Changed keys. */
  long rows() {
    return rows;
  }

  /** Changed keys in expired windows. */
  long expired() {
    return expired;
  }

  void mark(TableInfo table, RegionId r, Checkpoint from, Snapshot x) {
    long v = from.versions().getOrDefault(r, -1L);
    if (v < 0 || v > x.sequence(r) || forgot(table, r, from)) {
      dirty.add(TimeRange.ALL);
      return;
    }
    if (v == x.sequence(r)) {
      return;
    }
    try (ChangeFeed feed = engine.changes(x, r, v, java.util.List.of(), false)) {
      for (RegionEvent e : feed.events()) {
        event(table, e);
      }
      for (ChangeBatch b = feed.next(); b != null; b = feed.next()) {
        keys(b);
      }
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.STALE_CURSOR) {
        throw e;
      }
      LOG.info(
          "flow {} cannot read what changed in region {}; everything is evaluated again", flow, r);
      dirty.add(TimeRange.ALL);
    }
  }

  /** A source without a log loses rows when it is opened anew, and gives their sequences again. */
  private boolean forgot(TableInfo table, RegionId r, Checkpoint from) {
    return table.regionOptions().skipWal()
        && engine.info(r).incarnation() != from.incarnations().getOrDefault(r, -1L);
  }

  private void event(TableInfo table, RegionEvent event) {
    switch (event) {
      case RegionEvent.ResetAll a -> dirty.add(TimeRange.ALL);
      case RegionEvent.ResetRange(long s, long min, long max) -> {
        Optional<TimeWindow> w = plan.window();
        dirty.add(
            w.isEmpty()
                ? TimeRange.ALL
                : new TimeRange(
                    w.get().range(micros(table, min)).from(),
                    w.get().range(micros(table, max)).to()));
      }
      case RegionEvent.Expired p -> {}
      case RegionEvent.FilesAdded p -> {} // the rows follow
    }
  }

  private static long micros(TableInfo table, long time) {
    return table.storage().timeIndex().type().kind() == TypeKind.TIMESTAMP_NS
        ? Math.floorDiv(time, 1000L)
        : time;
  }

  private void keys(ChangeBatch b) {
    int n = b.keys().rows();
    rows += n;
    if (n == 0) {
      return;
    }
    Optional<TimeWindow> window = plan.window();
    if (window.isEmpty()) {
      dirty.add(TimeRange.ALL);
      return;
    }
    var time = b.keys().column(b.keys().width() - 1);
    var last = new TimeRange(0, 0);
    for (int i = 0; i < n; i++) {
      long t = OutputRows.micros(time, i);
      if (t < last.from() || t >= last.to()) {
        last = window.get().range(t);
        if (last.to() > bound) {
          dirty.add(last);
        }
      }
      if (last.to() <= bound) {
        expired++;
      }
    }
  }
}
