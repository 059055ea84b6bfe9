package io.millrace.storage.commit;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.time.Scheduler;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.OpType;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionOptions.KeyMode;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.StagedRows;
import io.millrace.storage.WriteGroup;
import io.millrace.storage.WriteGroup.Precondition;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.StagedFile;
import io.millrace.storage.wal.LogPart;
import io.millrace.storage.wal.PayloadCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/*
 * The caller's side of a commit: splits it by region, encodes the rows for the log (on the caller's
 * thread, so that sessions do it in parallel), asks the workers, and brings the answers together.
 * A commit that must wait holds no ticket and no bytes meanwhile, and waits at most 30 seconds.
 */
public final class Committer {
  private static final long WAIT_NANOS = 30_000_000_000L;

  /** Bytes of a log record at most; commits that have more are written ahead. */
  public static final long MAX_RECORD = 8L << 20;

  private final Function<RegionId, Region> regions;
  private final Workers workers;
  private final WriteBuffer buffer;
  private final EngineEnvironment environment;
  private final EngineMeters meters;
  private @Nullable LogWriter log;
  private Function<WriteGroup, CompletableFuture<CommitResult>> large =
      _ -> CompletableFuture.failedFuture(tooLarge());

  /**
   * A committer.
   *
   * @param regions finds a region, or throws
   */
  public Committer(
      Function<RegionId, Region> regions,
      Workers workers,
      WriteBuffer buffer,
      EngineEnvironment environment,
      EngineMeters meters) {
    this.regions = regions;
    this.meters = meters;
    this.workers = workers;
    this.buffer = buffer;
    this.environment = environment;
  }

  /** Connects the log writer, which needs {@link #refuse}. */
  public void connect(LogWriter writer) {
    log = writer;
  }

  /** Connects who commits what is too large for a record. */
  public void connectLarge(Function<WriteGroup, CompletableFuture<CommitResult>> commit) {
    large = commit;
  }

  private static MillraceException tooLarge() {
    return new MillraceException(
        ErrorCode.PROGRAM_LIMIT_EXCEEDED,
        "a commit exceeds the limit of " + MAX_RECORD + " bytes for a record of the log");
  }

  private LogWriter log() {
    LogWriter l = log;
    if (l == null) {
      throw new MillraceException(ErrorCode.REGION_NOT_READY, "the region engine is starting");
    }
    return l;
  }

  public CompletableFuture<CommitResult> commit(WriteGroup group) {
    return commit(group, null);
  }

  /**
   * Commits.
   *
   * @param gateOwner who has shut the gates of the regions with staged rows
   */
  public CompletableFuture<CommitResult> commit(WriteGroup group, @Nullable Object gateOwner) {
    try {
      MillraceException p = log().poison();
      if (p != null) {
        throw p;
      }
      var task = new CommitTask(split(group), gateOwner);
      if (task.parts().isEmpty()) {
        return CompletableFuture.completedFuture(new CommitResult(0, Map.of()));
      }
      if (task.logBytes() > MAX_RECORD) {
        if (gateOwner == null) {
          return large.apply(group);
        }
        throw tooLarge();
      }
      task.deadline(environment.clock().monotonicNanos() + WAIT_NANOS);
      ask(task);
      return task.result();
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private List<CommitPart> split(WriteGroup group) {
    var writes = new LinkedHashMap<RegionId, List<RegionWrite>>();
    var conditions = new LinkedHashMap<RegionId, List<Precondition>>();
    for (RegionWrite w : group.writes()) {
      if (w.rows().rows() > 0) {
        writes.computeIfAbsent(w.region(), _ -> new ArrayList<>()).add(w);
      }
    }
    for (Precondition c : group.preconditions()) {
      conditions.computeIfAbsent(c.region(), _ -> new ArrayList<>()).add(c);
      writes.computeIfAbsent(c.region(), _ -> new ArrayList<>());
    }
    var parts = new ArrayList<CommitPart>(writes.size());
    var staged = new LinkedHashMap<RegionId, List<StagedFile>>();
    for (StagedRows s : group.staged()) {
      staged.computeIfAbsent(s.region(), _ -> new ArrayList<>()).add((StagedFile) s);
    }
    var taken = new HashMap<RegionId, Long>();
    staged.forEach((id, files) -> addStaged(regions.apply(id), files, taken, parts));
    for (Map.Entry<RegionId, List<RegionWrite>> e : writes.entrySet()) {
      RegionId id = e.getKey();
      long before = taken.getOrDefault(id, 0L);
      List<Precondition> mine = conditions.getOrDefault(id, List.of());
      addWrites(regions.apply(id), e.getValue(), mine, before, parts);
    }
    return parts;
  }

  /** Files in their order, each with the range deletes before it. */
  private static void addStaged(
      Region region, List<StagedFile> files, Map<RegionId, Long> taken, List<CommitPart> parts) {
    long before = 0;
    for (StagedFile f : files) {
      if (!f.ranges().isEmpty()) {
        parts.add(CommitPart.ranges(region, f.ranges(), before));
        before += f.ranges().size();
      }
      if (f.meta() != null) {
        parts.add(CommitPart.staged(region, List.of(f)));
        before++;
      }
    }
    taken.put(region.id(), before);
  }

  /** Rows in their order, cut where range deletes come between. */
  private static void addWrites(
      Region region,
      List<RegionWrite> all,
      List<Precondition> conditions,
      long first,
      List<CommitPart> parts) {
    long before = first;
    var mine = new ArrayList<RegionWrite>(all.size());
    var payloads = new ArrayList<ByteWriter>(all.size());
    boolean checked = conditions.isEmpty();
    for (RegionWrite w : all) {
      if (w.op() == OpType.DELETE_RANGE) {
        if (!mine.isEmpty()) {
          parts.add(write(region, mine, payloads, checked ? List.of() : conditions));
          checked = true;
          mine.clear();
          payloads.clear();
        }
        parts.add(CommitPart.ranges(region, RangeDelete.of(w), before));
      } else {
        RegionWrite keyed = keyed(region, w);
        mine.add(keyed);
        payloads.add(region.options().skipWal() ? new ByteWriter(0) : PayloadCodec.encode(keyed));
      }
      before += w.rows().rows();
    }
    if (!mine.isEmpty() || !checked) {
      parts.add(write(region, mine, payloads, checked ? List.of() : conditions));
    }
  }

  private static CommitPart write(
      Region region,
      List<RegionWrite> writes,
      List<ByteWriter> payloads,
      List<Precondition> conditions) {
    return new CommitPart(region, LogPart.Kind.WRITE, writes, payloads, conditions);
  }

  /** Rows of a unique-key table may come without their constant time index. */
  public static RegionWrite keyed(Region region, RegionWrite w) {
    TableSchema schema = region.schema();
    if (region.options().keyMode() != KeyMode.UNIQUE_KEY
        || w.columnIds().contains(schema.timeIndexId())) {
      return w;
    }
    int n = w.rows().rows();
    var columns = new ArrayList<Vector>(w.rows().columns());
    columns.add(new LongVector(schema.timeIndex().type(), new long[n], n, null));
    var ids = new ArrayList<>(w.columnIds());
    ids.add(schema.timeIndexId());
    return new RegionWrite(w.region(), w.schemaVersion(), w.op(), ids, new Batch(columns, n));
  }

  private void ask(CommitTask task) {
    task.begin();
    for (CommitPart p : task.parts()) {
      workers.admit(task, p);
    }
  }

  /** A worker's answer: an error, something to wait for, or (both null) a ticket. */
  public void answered(
      CommitTask task,
      CommitPart part,
      @Nullable Throwable refused,
      @Nullable CompletableFuture<Void> wait) {
    if (!task.answer(part, refused, wait)) {
      return;
    }
    if (task.admitted().size() == task.parts().size()) {
      environment.reached(EngineEnvironment.Point.AFTER_ADMIT);
      log().enqueue(task);
      return;
    }
    for (CommitPart p : task.admitted()) {
      giveBack(p);
    }
    Throwable error = task.refusal();
    CompletableFuture<Void> obstacle = task.obstacle();
    if (error != null || obstacle == null) {
      task.result()
          .completeExceptionally(
              error != null ? error : new IllegalStateException("no answer to a commit"));
    } else {
      waitFor(task, obstacle);
    }
  }

  private void waitFor(CommitTask task, CompletableFuture<Void> obstacle) {
    long left = (task.deadlineNanos() - environment.clock().monotonicNanos()) / 1000;
    if (left <= 0) {
      task.result().completeExceptionally(busy());
      return;
    }
    long since = environment.clock().monotonicNanos();
    meters.stalls.increment();
    var first = new CompletableFuture<Boolean>();
    Scheduler.Cancellable timer = environment.scheduler().after(left, () -> first.complete(false));
    var _ = obstacle.whenComplete((_, _) -> first.complete(true));
    var _ =
        first.whenComplete(
            (again, _) -> {
              timer.cancel();
              meters.stallNanos.add(environment.clock().monotonicNanos() - since);
              if (again) {
                ask(task);
              } else {
                task.result().completeExceptionally(busy());
              }
            });
  }

  private static MillraceException busy() {
    return new MillraceException(
            ErrorCode.REGION_BUSY, "writes come faster than they can be flushed and compacted")
        .withHint("Try again.");
  }

  /** Lets commits that wait for room come again, to hear that the log has ended. */
  public void stop() {
    buffer.flushEnded(null);
  }

  private void giveBack(CommitPart p) {
    p.region().tickets().leave(p);
    if (p.bytes() > 0) {
      buffer.give(p.bytes());
    }
  }

  /** The log writer has not taken an admitted commit. */
  public void refuse(CommitTask task, Throwable why) {
    for (CommitPart p : task.parts()) {
      giveBack(p);
    }
    task.result().completeExceptionally(why);
  }

  /**
   * Commits an event over regions whose gates the owner has shut.
   *
   * @param payload for ALTER: schema and options
   */
  public CompletableFuture<CommitResult> event(
      List<Region> all, LogPart.Kind kind, ByteWriter payload, Object owner) {
    var parts = new ArrayList<CommitPart>(all.size());
    for (Region r : all) {
      parts.add(new CommitPart(r, kind, List.of(), List.of(payload), List.of()));
    }
    return event(parts, owner);
  }

  /**
   * Commits an edit of a region whose gate the owner has shut.
   *
   * @param sequences how many it takes
   * @param floor the first one is this at least
   */
  public CompletableFuture<CommitResult> edit(
      Region region, ByteWriter payload, int sequences, long floor, Object owner) {
    return event(List.of(CommitPart.edit(region, payload, sequences, floor)), owner);
  }

  private CompletableFuture<CommitResult> event(List<CommitPart> parts, Object owner) {
    var task = new CommitTask(parts, owner);
    for (CommitPart p : parts) {
      if (p.region().tickets().enter(p, owner) != null) {
        throw new IllegalStateException("the gate of " + p.region() + " is another's");
      }
    }
    log().enqueue(task);
    return task.result();
  }
}
