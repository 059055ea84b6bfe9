package io.millrace.storage.worker;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.KeyRows;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.WriteGroup.Precondition;
import io.millrace.storage.commit.CommitPart;
import io.millrace.storage.commit.CommitTask;
import io.millrace.storage.commit.Committer;
import io.millrace.storage.commit.WriteBuffer;
import io.millrace.storage.read.RegionReads;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.VersionControl.Handle;
import io.millrace.storage.sst.StagedFile;
import io.millrace.storage.wal.LogPart;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * What can refuse a commit, refuses here, on the region's worker: state and schema, room in the
 * write buffer, the gate, preconditions. A part that passes holds a ticket and its bytes.
 *
 * A precondition is true of everything admitted before: of what is published by a lookup, of what
 * is in flight by waiting for parts that write its key. And a part that writes the key of somebody
 * else's precondition in flight waits for that one, so that the order in the log cannot differ.
 */
final class Admission {
  /** So many overlapping runs slow writes down ... */
  private static final int SLOW_RUNS = 20;

  /** ... and so many hold them up. */
  private static final int STALL_RUNS = 40;

  private static final long MICROS_A_RUN = 1000;

  private final WriteBuffer buffer;
  private final RegionReads reads;
  private final Clock clock;
  private final Committer committer;
  private final Consumer<Region> stalled;
  private final Scheduler scheduler;

  Admission(
      WriteBuffer buffer,
      RegionReads reads,
      Clock clock,
      Committer committer,
      Consumer<Region> stalled,
      Scheduler scheduler) {
    this.buffer = buffer;
    this.reads = reads;
    this.clock = clock;
    this.committer = committer;
    this.stalled = stalled;
    this.scheduler = scheduler;
  }

  void admit(CommitTask task, CommitPart part) {
    CompletableFuture<Void> wait = null;
    Throwable refused = null;
    try {
      wait = tryAdmit(task, part);
    } catch (RuntimeException | Error e) {
      refused = e;
    }
    committer.answered(task, part, refused, wait);
  }

  private @Nullable CompletableFuture<Void> tryAdmit(CommitTask task, CommitPart part) {
    Region region = part.region();
    region.requireOpen();
    for (RegionWrite w : part.writes()) {
      check(region, w);
    }
    if (part.kind() == LogPart.Kind.RANGE && region.options().appendMode()) {
      throw unchangeable();
    }
    for (StagedFile f : part.staged()) {
      if (!region.options().mergesLike(f.options())) {
        throw new MillraceException(
                ErrorCode.SERIALIZATION_FAILURE, region + " was altered while rows were written")
            .withHint("Try again.");
      }
    }
    CompletableFuture<Void> slow = part.bytes() == 0 ? null : slowed(task, region);
    if (slow != null) {
      return slow;
    }
    CompletableFuture<Void> full = takeBytes(region, part.bytes());
    if (full != null) {
      return full;
    }
    boolean admitted = false;
    try {
      CompletableFuture<Void> wait = enter(task, part);
      admitted = wait == null;
      return wait;
    } finally {
      if (!admitted && part.bytes() > 0) {
        region.tickets().leave(part);
        buffer.give(part.bytes());
      }
    }
  }

  private @Nullable CompletableFuture<Void> enter(CommitTask task, CommitPart part) {
    Region region = part.region();
    CompletableFuture<Void> conflict =
        region
            .tickets()
            .find(o -> !task.parts().contains((CommitPart) o) && conflicts(part, (CommitPart) o));
    if (conflict != null) {
      return conflict;
    }
    CompletableFuture<Void> shut = region.tickets().enter(part, task.gateOwner());
    if (shut != null) {
      return shut;
    }
    boolean passed = false;
    try {
      region.requireOpen(); // it may have been closed while its gate was shut
      checkConditions(region, part.conditions());
      passed = true;
    } finally {
      if (!passed) {
        region.tickets().leave(part);
      }
    }
    for (int i = 0; i < part.writes().size(); i++) {
      RegionWrite w = part.writes().get(i);
      part.setRowId(
          i,
          RegionWorker.needsRowIds(region, w)
              ? region.takeRowIds(w.rows().rows(), clock.wallMicros() * 1000)
              : LogPart.NO_ROW_ID);
    }
    return null;
  }

  private static void check(Region region, RegionWrite w) {
    TableSchema schema = region.schema();
    if (w.schemaVersion() > schema.version()) {
      throw new MillraceException(
          ErrorCode.REGION_NOT_READY,
          region + " is at schema version " + schema.version() + ", not yet " + w.schemaVersion());
    }
    for (int tag : schema.tagIds()) {
      if (!w.columnIds().contains(tag)) {
        throw new MillraceException(
            ErrorCode.INTERNAL_ERROR, "rows for " + region + " come without key column " + tag);
      }
    }
    if (region.options().appendMode() && w.op() != OpType.PUT) {
      throw unchangeable();
    }
  }

  private static MillraceException unchangeable() {
    return new MillraceException(
        ErrorCode.FEATURE_NOT_SUPPORTED,
        "rows of a table with append_mode cannot be changed or deleted");
  }

  /** Something to wait for while compaction is far behind: a moment, or its next success. */
  private @Nullable CompletableFuture<Void> slowed(CommitTask task, Region region) {
    int debt = region.debt();
    if (debt < SLOW_RUNS) {
      return null;
    }
    if (debt >= STALL_RUNS) {
      CompletableFuture<Void> paid = region.debtPaid();
      return region.debt() >= STALL_RUNS ? paid : null;
    }
    if (!task.slowDown()) {
      return null;
    }
    var moment = new CompletableFuture<Void>();
    var _ = scheduler.after((debt - SLOW_RUNS + 1) * MICROS_A_RUN, () -> moment.complete(null));
    return moment;
  }

  private @Nullable CompletableFuture<Void> takeBytes(Region region, long bytes) {
    if (bytes == 0 || buffer.tryTake(region, bytes)) {
      return null;
    }
    CompletableFuture<Void> changed = buffer.changed();
    if (buffer.tryTake(region, bytes)) {
      return null;
    }
    stalled.accept(region);
    Throwable failure = buffer.failure();
    if (failure != null) {
      throw failure instanceof MillraceException m
          ? new MillraceException(m.code(), m.message(), m)
          : new MillraceException(
              ErrorCode.REGION_BUSY, "the write buffer is full and cannot be flushed", failure);
    }
    return changed;
  }

  private void checkConditions(Region region, List<Precondition> conditions) {
    if (conditions.isEmpty()) {
      return;
    }
    Handle handle = region.versions().acquire();
    try {
      for (Precondition c : conditions) {
        List<Integer> columns =
            c.expected() == null ? List.of(region.schema().timeIndexId()) : c.columnIds();
        KeyRows found = reads.lookup(handle.version(), region.committed(), c.key(), columns, null);
        if (!holds(c.expected(), found)) {
          throw new MillraceException(
              ErrorCode.PRECONDITION_FAILED, "a row of " + region + " is not as expected");
        }
      }
    } finally {
      region.versions().release(handle);
    }
  }

  private static boolean holds(@Nullable Batch expected, KeyRows found) {
    boolean present = Bits.get(found.found(), 0);
    if (expected == null || !present) {
      return expected == null && !present;
    }
    for (int i = 0; i < expected.width(); i++) {
      if (!expected.column(i).same(0, found.rows().column(i), 0)) {
        return false;
      }
    }
    return true;
  }

  private static boolean conflicts(CommitPart mine, CommitPart other) {
    return touches(mine.conditions(), other) || touches(other.conditions(), mine);
  }

  private static boolean touches(List<Precondition> conditions, CommitPart part) {
    if (!conditions.isEmpty() && part.kind() == LogPart.Kind.RANGE) {
      return true;
    }
    for (Precondition c : conditions) {
      for (RegionWrite w : part.writes()) {
        if (touches(part.region().schema(), c.key(), w)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean touches(TableSchema schema, Batch key, RegionWrite w) {
    int width = key.width();
    var columns = new Vector[width];
    for (int i = 0; i < width; i++) {
      int id = i < schema.tagIds().size() ? schema.tagIds().get(i) : schema.timeIndexId();
      int at = w.columnIds().indexOf(id);
      if (at < 0) {
        return false;
      }
      columns[i] = w.rows().column(at);
    }
    for (int row = 0; row < w.rows().rows(); row++) {
      boolean equal = true;
      for (int i = 0; i < width && equal; i++) {
        equal = key.column(i).same(0, columns[i], row);
      }
      if (equal) {
        return true;
      }
    }
    return false;
  }
}
