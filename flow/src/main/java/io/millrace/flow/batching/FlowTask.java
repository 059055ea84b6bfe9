package io.millrace.flow.batching;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Scheduler;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.flow.ledger.Checkpoint;
import io.millrace.flow.ledger.DirtyRanges;
import io.millrace.flow.ledger.SinkDiff;
import io.millrace.flow.ledger.TimeRange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.sql.write.TableWrite;
import io.millrace.storage.ChangeBatch;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * One flow's evaluations, one at a time:
 *
 *   1 holds at what is published now, then X := snapshot of all tables read
 *   2 D := D ∪ windows of the keys and events that the change feed gives between V and X
 *     (StaleCursor, a lost tail or a skip_wal source that started anew: everything)
 *   3 windows that end before T − EXPIRE AFTER leave D
 *   4 at most 20 ranges R of D, the query evaluated over each at X, the ledger's rows of R beside it
 *   5 one commit: sink, ledger, checkpoint (V := X, D := D \ R, T), on condition that the stored checkpoint
 *     is the one this started from
 *   6 old holds go; FLUSH_FLOW's callers whose snapshot is reached with nothing dirty hear
 *
 * A crash before 5 leaves holds and checkpoint at V; after it everything is done. A failure keeps D and V,
 * is shown, and is tried again with a growing pause. Every evaluation has a thread of its own, which may
 * wait; `lock` guards the little state that notices, flushes and status touch.
 */
/** The task of one flow. */
public final class FlowTask {
  private static final Logger LOG = LoggerFactory.getLogger(FlowTask.class);
  private static final int MAX_RANGES = 20;
  private static final long TIMEOUT_SECONDS = 600;
  private static final long SLOW_MICROS = 60_000_000L;
  private static final long MAX_BACKOFF_MICROS = 60_000_000L;

  /** What the dual engine knows about the flow. */
  public record Definition(
      FlowInfo flow, FlowPlan plan, SinkPlan.Mapping mapping, long minRefreshMicros) {}

  private final FlowRuntime runtime;
  private final Definition definition;
  private final SessionFormat format;
  private final OutputRows output;
  private final long startMicros;
  private final Object lock = new Object();

  private Checkpoint checkpoint;
  private Map<RegionId, Hold> holds;
  private boolean running;
  private boolean wanted;
  private boolean stopped;
  private boolean urgent;
  private Scheduler.@Nullable Cancellable timer;
  private final List<Waiter> waiters = new ArrayList<>();
  private long lastStartNanos;
  private long lastMicros;
  private long lastDurationMicros;
  private long evaluations;
  private long rowsIn;
  private long rowsOut;
  private long expired;
  private int dirtyNow;
  private long errors;
  private int failuresInARow;
  private @Nullable String lastError;

  private static final class Waiter {
    final Map<RegionId, Long> target;
    final CompletableFuture<Long> done = new CompletableFuture<>();
    long rows;

    Waiter(Map<RegionId, Long> target) {
      this.target = target;
    }
  }

  /**
   * @param holds held at or below the checkpoint's versions
   */
  public FlowTask(
      FlowRuntime runtime,
      Definition definition,
      Checkpoint checkpoint,
      Map<RegionId, Hold> holds) {
    this.runtime = runtime;
    this.definition = definition;
    this.checkpoint = checkpoint;
    this.holds = holds;
    this.format = SettingDefinitions.format(definition.flow().sessionSettings());
    this.output = new OutputRows(definition.plan(), definition.mapping(), format);
    this.startMicros = runtime.clock().wallMicros();
    this.dirtyNow = checkpoint.dirty().size();
  }

  public Definition definition() {
    return definition;
  }

  /** Source regions of a plan, in the catalog's newest state. */
  static Set<RegionId> regions(CatalogSnapshot catalog, FlowPlan plan) {
    var out = new HashSet<RegionId>();
    for (TableId id : plan.sources()) {
      catalog.table(id).ifPresent(t -> out.addAll(t.regions()));
    }
    return out;
  }

  // ---- cadence

  /** A source was written, or something else may have to be done. */
  public void notice() {
    synchronized (lock) {
      wanted = true;
      schedule();
    }
  }

  /** Starts the regular ticks of EVAL INTERVAL, and whatever the checkpoint left open. */
  public void start() {
    synchronized (lock) {
      wanted = true;
      schedule();
    }
  }

  private Optional<Long> interval() {
    var i = definition.flow().evalIntervalMicros();
    return i.isPresent() ? Optional.of(i.getAsLong()) : Optional.empty();
  }

  /** Under the lock: starts or arms the next run. */
  private void schedule() {
    if (stopped || running || (!wanted && waiters.isEmpty())) {
      return;
    }
    Scheduler.Cancellable t = timer;
    if (t != null) {
      if (!urgent) {
        return;
      }
      t.cancel();
      timer = null;
    }
    long delay = delayMicros();
    if (delay <= 0) {
      run();
    } else {
      timer =
          runtime
              .scheduler()
              .after(
                  delay,
                  () -> {
                    synchronized (lock) {
                      timer = null;
                      if (!stopped && !running) {
                        run();
                      }
                    }
                  });
    }
  }

  private long delayMicros() {
    if (urgent) {
      return 0;
    }
    long backoff =
        failuresInARow == 0
            ? 0
            : Math.min(MAX_BACKOFF_MICROS, 500_000L << Math.min(failuresInARow - 1, 10));
    Optional<Long> every = interval();
    if (every.isPresent()) {
      long now = runtime.clock().wallMicros();
      long next = Math.floorDiv(now, every.get()) * every.get() + every.get();
      return Math.max(backoff, next - now);
    }
    if (lastStartNanos == 0) {
      return backoff;
    }
    long since = (runtime.clock().monotonicNanos() - lastStartNanos) / 1000;
    long distance = Math.max(definition.minRefreshMicros(), lastDurationMicros * 2);
    return Math.max(backoff, distance - since);
  }

  /** Under the lock. */
  private void run() {
    running = true;
    wanted = false;
    urgent = false;
    runtime.executor().execute(this::evaluateAndGoOn);
  }

  private void evaluateAndGoOn() {
    boolean more = false;
    boolean failed = false;
    try {
      more = evaluate();
    } catch (RuntimeException | Error e) {
      failed = true;
      MillraceException error = toError(e);
      if (error.code() == ErrorCode.PRECONDITION_FAILED) {
        LOG.warn(
            "flow {} was replaced or started twice; this task stops", definition.flow().name());
        fail(error);
        stop();
        return;
      }
      LOG.warn("flow {} could not be evaluated", definition.flow().name(), e);
      fail(error);
    }
    synchronized (lock) {
      running = false;
      if (!failed) {
        failuresInARow = 0;
        lastError = null;
        if (more) {
          urgent = true;
          wanted = true;
        }
      } else {
        wanted = true;
      }
      if (!waiters.isEmpty()) {
        urgent = true;
        wanted = true;
      }
      if (interval().isPresent()) {
        wanted = true;
      }
      schedule();
    }
  }

  private void fail(MillraceException error) {
    List<Waiter> hear;
    synchronized (lock) {
      errors++;
      failuresInARow++;
      lastError = error.sqlState() + ": " + error.message();
      hear = List.copyOf(waiters);
      waiters.clear();
    }
    hear.forEach(w -> w.done.completeExceptionally(error));
  }

  private static MillraceException toError(Throwable e) {
    Throwable f = e;
    while ((f instanceof CompletionException || f instanceof ExecutionException)
        && f.getCause() != null) {
      f = f.getCause();
    }
    return f instanceof MillraceException m
        ? m
        : new MillraceException(ErrorCode.INTERNAL_ERROR, "internal error: " + f, f);
  }

  /** The barrier: completes when everything published now is in the sink. */
  public CompletableFuture<Long> flush() {
    Set<RegionId> regions = regions(runtime.catalog().snapshot(), definition.plan());
    var target = new HashMap<RegionId, Long>();
    try (Snapshot x = runtime.engine().snapshot(regions)) {
      for (RegionId r : regions) {
        target.put(r, x.sequence(r));
      }
    }
    var waiter = new Waiter(target);
    synchronized (lock) {
      if (stopped) {
        return CompletableFuture.failedFuture(
            new MillraceException(
                ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                "flow \"" + definition.flow().name() + "\" is not running"));
      }
      waiters.add(waiter);
      urgent = true;
      wanted = true;
      schedule();
    }
    return waiter.done;
  }

  /** Stops; a run under way ends by itself at its commit. */
  public void stop() {
    List<Waiter> hear;
    Map<RegionId, Hold> release;
    synchronized (lock) {
      stopped = true;
      Scheduler.Cancellable t = timer;
      timer = null;
      if (t != null) {
        t.cancel();
      }
      hear = List.copyOf(waiters);
      waiters.clear();
      release = holds;
      holds = Map.of();
    }
    release.values().forEach(Hold::close);
    hear.forEach(
        w ->
            w.done.completeExceptionally(
                new MillraceException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "flow \"" + definition.flow().name() + "\" was dropped")));
  }

  // ---- one evaluation

  /** True if more is dirty already. */
  private boolean evaluate() {
    long began = runtime.clock().monotonicNanos();
    Checkpoint from;
    synchronized (lock) {
      from = checkpoint;
      lastStartNanos = began;
    }
    CatalogSnapshot catalog = runtime.catalog().snapshot();
    Set<RegionId> regions = regions(catalog, definition.plan());
    var next = new HashMap<RegionId, Hold>();
    for (RegionId r : regions) {
      next.put(r, runtime.engine().hold(r, "flow " + definition.flow().name(), HoldKind.KEYS));
    }
    boolean kept = false;
    try (Snapshot x = runtime.engine().snapshot(regions)) {
      long now = evaluationTime(from);
      var dirty = new DirtyRanges(from.dirty());
      markChanges(catalog, from, x, dirty);
      expire(dirty, now);
      boolean somethingNew = advanced(from, x);
      boolean byClock = readsClock() && interval().isPresent();
      if (byClock) {
        dirty.add(TimeRange.ALL);
      }
      if (dirty.isEmpty() && !somethingNew) {
        done(from, 0, began, now);
        return false;
      }
      if (definition.plan().windowLocal() && !dirty.isEmpty()) {
        TimeWindow w = definition.plan().window().orElseThrow();
        long at = dirty.all().getFirst().from();
        dirty.joinWithin(at == Long.MIN_VALUE ? 0 : w.joinGap(at));
        if (dirty.size() > MAX_RANGES * 50) {
          dirty.joinWithin(Long.MAX_VALUE / 4);
        }
      }
      List<TimeRange> ranges = dirty.take(MAX_RANGES);
      SinkDiff.Changes changes =
          ranges.isEmpty()
              ? new SinkDiff.Changes(List.of(), 0)
              : difference(catalog, x, ranges, now);
      var after =
          new Checkpoint(
              from.epoch(), incarnations(regions), versions(regions, x), dirty.all(), now);
      var writes = new ArrayList<TableWrite>(changes.writes());
      writes.add(runtime.checkpoints().put(definition.flow().id(), after));
      await(
          runtime
              .writer()
              .commit(
                  writes, List.of(runtime.checkpoints().unchanged(definition.flow().id(), from))));
      kept = swapHolds(next);
      done(after, changes.sinkRows(), began, now);
      return !dirty.isEmpty();
    } finally {
      if (!kept) {
        next.values().forEach(Hold::close);
      }
    }
  }

  /** The new holds take the old ones' place; false if the task was stopped meanwhile. */
  private boolean swapHolds(Map<RegionId, Hold> next) {
    Map<RegionId, Hold> old;
    synchronized (lock) {
      if (stopped) {
        return false;
      }
      old = holds;
      holds = next;
    }
    old.values().forEach(Hold::close);
    return true;
  }

  /** T: the wall clock, or the latest multiple of EVAL INTERVAL; never backwards. */
  private long evaluationTime(Checkpoint from) {
    long now = runtime.clock().wallMicros();
    long t = interval().map(i -> Math.floorDiv(now, i) * i).orElse(now);
    return Math.max(t, from.evaluationMicros());
  }

  private boolean readsClock() {
    return definition.plan().template().inits().stream().anyMatch(ClockUse::readsClock)
        || ClockUse.readsClock(definition.plan().template().plan());
  }

  private static boolean advanced(Checkpoint from, Snapshot x) {
    return x.regions().stream()
        .anyMatch(r -> from.versions().getOrDefault(r, -1L) != x.sequence(r));
  }

  private Map<RegionId, Long> incarnations(Set<RegionId> regions) {
    var out = new HashMap<RegionId, Long>();
    for (RegionId r : regions) {
      out.put(r, runtime.engine().info(r).incarnation());
    }
    return out;
  }

  private static Map<RegionId, Long> versions(Set<RegionId> regions, Snapshot x) {
    var out = new HashMap<RegionId, Long>();
    for (RegionId r : regions) {
      out.put(r, x.sequence(r));
    }
    return out;
  }

  private void markChanges(
      CatalogSnapshot catalog, Checkpoint from, Snapshot x, DirtyRanges dirty) {
    for (TableId id : definition.plan().sources()) {
      Optional<TableInfo> table = catalog.table(id);
      if (table.isEmpty()) {
        throw new MillraceException(
            ErrorCode.UNDEFINED_TABLE,
            "a source of flow \"" + definition.flow().name() + "\" does not exist any more");
      }
      for (RegionId r : table.get().regions()) {
        markRegion(table.get(), r, from, x, dirty);
      }
    }
  }

  private void markRegion(
      TableInfo table, RegionId r, Checkpoint from, Snapshot x, DirtyRanges dirty) {
    long v = from.versions().getOrDefault(r, -1L);
    boolean lostRows =
        v < 0
            || v > x.sequence(r)
            || (table.regionOptions().skipWal()
                && runtime.engine().info(r).incarnation()
                    != from.incarnations().getOrDefault(r, -1L));
    if (lostRows) {
      dirty.add(TimeRange.ALL);
      return;
    }
    if (v == x.sequence(r)) {
      return;
    }
    try (ChangeFeed feed = runtime.engine().changes(x, r, v, List.of(), false)) {
      for (RegionEvent e : feed.events()) {
        switch (e) {
          case RegionEvent.ResetAll a -> dirty.add(TimeRange.ALL);
          case RegionEvent.ResetRange(long s, long min, long max) ->
              dirty.add(definition.plan().windowLocal() ? windows(table, min, max) : TimeRange.ALL);
          case RegionEvent.Expired p -> {}
        }
      }
      for (ChangeBatch b = feed.next(); b != null; b = feed.next()) {
        mark(b, dirty);
      }
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.STALE_CURSOR) {
        throw e;
      }
      LOG.info(
          "flow {} cannot read what changed in region {}; everything is evaluated again",
          definition.flow().name(),
          r);
      dirty.add(TimeRange.ALL);
    }
  }

  private TimeRange windows(TableInfo table, long min, long max) {
    TimeWindow w = definition.plan().window().orElseThrow();
    boolean nanos =
        table.storage().timeIndex().type().kind() == io.millrace.common.type.TypeKind.TIMESTAMP_NS;
    long lo = nanos ? Math.floorDiv(min, 1000L) : min;
    long hi = nanos ? Math.floorDiv(max, 1000L) : max;
    return new TimeRange(w.start(lo), w.end(hi));
  }

  private void mark(ChangeBatch b, DirtyRanges dirty) {
    int n = b.keys().rows();
    synchronized (lock) {
      rowsIn += n;
    }
    if (n == 0) {
      return;
    }
    if (!definition.plan().windowLocal()) {
      dirty.add(TimeRange.ALL);
      return;
    }
    TimeWindow w = definition.plan().window().orElseThrow();
    var time = b.keys().column(b.keys().width() - 1);
    long start = 0;
    long end = Long.MIN_VALUE;
    for (int i = 0; i < n; i++) {
      long t = OutputRows.micros(time, i);
      if (t < start || t >= end) {
        start = w.start(t);
        end = w.end(t);
        dirty.add(new TimeRange(start, end));
      }
    }
  }

  private void expire(DirtyRanges dirty, long now) {
    var after = definition.flow().expireAfterMicros();
    if (after.isEmpty() || !definition.plan().windowLocal()) {
      return;
    }
    TimeWindow w = definition.plan().window().orElseThrow();
    long bound = w.start(now - after.getAsLong());
    int n = dirty.dropBefore(bound);
    synchronized (lock) {
      expired += n;
    }
  }

  private SinkDiff.Changes difference(
      CatalogSnapshot catalog, Snapshot x, List<TimeRange> ranges, long now) {
    FlowPlan plan = definition.plan();
    boolean windowIsTime =
        plan.windowPlace() >= 0
            && definition
                .mapping()
                .keys()
                .getLast()
                .equals(new SinkPlan.Source.Output(plan.windowPlace()));
    var diff = new SinkDiff(definition.mapping().shape(), runtime.engine(), windowIsTime);
    for (TimeRange r : ranges) {
      int timeId =
          plan.driving()
              .flatMap(s -> catalog.table(s.table()))
              .map(t -> t.storage().timeIndexId())
              .orElse(-1);
      PlanTemplate restricted = RangePlans.restrict(plan, timeId, r);
      var sink = new CollectRows(b -> diff.add(output.convert(b)));
      QueryEngine.Query query = runtime.queries().open(restricted, context(catalog, x, now), sink);
      try {
        query.demand(Long.MAX_VALUE);
        await(sink.done());
      } finally {
        query.close();
      }
    }
    return diff.changes(ranges, now);
  }

  private QueryEngine.QueryContext context(CatalogSnapshot catalog, Snapshot x, long now) {
    Map<String, String> settings = definition.flow().sessionSettings();
    return new QueryEngine.QueryContext(
        catalog,
        definition.plan().literals(),
        format,
        now,
        now,
        x,
        Map.of(),
        new QueryEngine.SessionInfo(
            definition.flow().database(),
            "millrace",
            SettingDefinitions.parseSearchPath(
                settings.getOrDefault("search_path", "public"), "millrace"),
            0,
            settings),
        true);
  }

  private <T> T await(CompletableFuture<T> f) {
    try {
      return f.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw toError(e);
    } catch (TimeoutException e) {
      throw new MillraceException(
          ErrorCode.QUERY_CANCELED,
          "the evaluation of flow \""
              + definition.flow().name()
              + "\" took longer than ten minutes",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.ADMIN_SHUTDOWN, "the flow was interrupted", e);
    }
  }

  private void done(Checkpoint after, long rows, long began, long now) {
    var hear = new ArrayList<Waiter>();
    synchronized (lock) {
      checkpoint = after;
      evaluations++;
      lastMicros = now;
      lastDurationMicros = (runtime.clock().monotonicNanos() - began) / 1000;
      rowsOut += rows;
      dirtyNow = after.dirty().size();
      for (Waiter w : waiters) {
        w.rows += rows;
        if (after.dirty().isEmpty() && reached(after, w.target)) {
          hear.add(w);
        }
      }
      waiters.removeAll(hear);
      if (lastDurationMicros > SLOW_MICROS) {
        LOG.warn(
            "flow {} took {} s to evaluate",
            definition.flow().name(),
            lastDurationMicros / 1_000_000);
      }
    }
    hear.forEach(w -> w.done.complete(w.rows));
  }

  private static boolean reached(Checkpoint c, Map<RegionId, Long> target) {
    return target.entrySet().stream()
        .allMatch(e -> c.versions().getOrDefault(e.getKey(), -1L) >= e.getValue());
  }

  public TaskStatus status() {
    synchronized (lock) {
      return new TaskStatus(
          lastError != null ? "failed" : "running",
          startMicros,
          lastMicros,
          lastDurationMicros,
          evaluations,
          rowsIn,
          rowsOut,
          expired,
          dirtyNow,
          lastMicros == 0 ? 0 : Math.max(0, runtime.clock().wallMicros() - lastMicros),
          "V=" + checkpoint.versions() + " T=" + checkpoint.evaluationMicros(),
          holds.values().stream().map(Hold::sequence).min(Long::compare),
          errors,
          Optional.ofNullable(lastError));
    }
  }

  /** The checkpoint as it is now. */
  public Checkpoint checkpoint() {
    synchronized (lock) {
      return checkpoint;
    }
  }
}
