package io.millrace.flow.batching;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.time.Scheduler;
import io.millrace.flow.ledger.Checkpoint;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.storage.Hold;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * When a flow is evaluated, and who waits for it. Evaluations run one at a time, each on a thread of its
 * own; `lock` guards the little state that notices, flushes and status touch.
 *
 * A notice makes the next evaluation due at its distance from the last; FLUSH_FLOW makes it due at once;
 * what is left over is evaluated without a pause; with EVAL INTERVAL only the ticks count; with EXPIRE
 * AFTER a quiet flow is looked at once a minute, so that its time goes on. A failure keeps D and V, is
 * shown, and is tried again after a growing pause, one range at a time and passing over the ones that
 * failed, so that one bad window does not keep the others from being evaluated.
 *
 * The checkpoint's holds are the task's, from its birth to stop(), which hands them back.
 */
/** The task of one flow. */
public final class FlowTask {
  private static final Logger LOG = LoggerFactory.getLogger(FlowTask.class);
  private static final long SLOW_MICROS = 60_000_000L;
  private static final long MAX_BACKOFF_MICROS = 60_000_000L;
  private static final long IDLE_MICROS = 60_000_000L;

  /** What the dual engine knows about the flow. */
  public record Definition(
      FlowInfo flow, FlowPlan plan, SinkPlan.Mapping mapping, long minRefreshMicros) {}

  private static final class Waiter {
    final Map<RegionId, Long> target;
    final CompletableFuture<Long> done = new CompletableFuture<>();
    long rows;

    Waiter(Map<RegionId, Long> target) {
      this.target = target;
    }
  }

  private final FlowRuntime runtime;
  private final Definition definition;
  private final Evaluation evaluation;
  private final long startMicros;
  private final Object lock = new Object();
  private final CompletableFuture<Map<RegionId, Hold>> ended = new CompletableFuture<>();
  private final List<Waiter> waiters = new ArrayList<>();

  private Checkpoint checkpoint;
  private Map<RegionId, Hold> holds;
  private boolean running;
  private boolean wanted;
  private boolean stopped;
  private boolean urgent;
  private Scheduler.@Nullable Cancellable timer;
  private long timerAtMicros;
  private Evaluation.Share share = Evaluation.Share.ALL;
  private long lastStartNanos;
  private long lastMicros;
  private long lastDurationMicros;
  private long evaluations;
  private long rowsIn;
  private long rowsOut;
  private long expired;
  private long errors;
  private int failuresInARow;
  private @Nullable String lastError;

  /**
   * @param holds held at or below the checkpoint's versions; the task's from now on
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
    this.evaluation = new Evaluation(runtime, definition);
    this.startMicros = runtime.clock().wallMicros();
  }

  public Definition definition() {
    return definition;
  }

  // ---- cadence

  /** A source was written, or something else may have to be done. */
  public void notice() {
    synchronized (lock) {
      wanted = true;
      schedule();
    }
  }

  /** Starts the ticks, and whatever the checkpoint left open. */
  public void start() {
    notice();
  }

  /** Under the lock: starts or arms the next run. */
  private void schedule() {
    if (stopped || running) {
      return;
    }
    OptionalLong due = delayMicros();
    if (due.isEmpty()) {
      return;
    }
    long delay = due.getAsLong();
    long at = runtime.clock().monotonicNanos() / 1000 + delay;
    Scheduler.Cancellable t = timer;
    if (t != null) {
      if (timerAtMicros <= at) {
        return;
      }
      t.cancel();
      timer = null;
    }
    if (delay <= 0) {
      run();
    } else {
      timerAtMicros = at;
      timer = runtime.scheduler().after(delay, this::fired);
    }
  }

  private void fired() {
    synchronized (lock) {
      timer = null;
      if (!stopped && !running) {
        run();
      }
    }
  }

  /** When the next evaluation is due; empty: when somebody says so. */
  private OptionalLong delayMicros() {
    if (urgent) {
      return OptionalLong.of(0);
    }
    long backoff =
        failuresInARow == 0
            ? 0
            : Math.min(MAX_BACKOFF_MICROS, 500_000L << Math.min(failuresInARow - 1, 10));
    OptionalLong every = definition.flow().evalIntervalMicros();
    if (every.isPresent()) {
      long now = runtime.clock().wallMicros();
      long next = (Math.floorDiv(now, every.getAsLong()) + 1) * every.getAsLong();
      return OptionalLong.of(Math.max(backoff, next - now));
    }
    if (!wanted && definition.flow().expireAfterMicros().isEmpty()) {
      return OptionalLong.empty();
    }
    if (lastStartNanos == 0) {
      return OptionalLong.of(backoff);
    }
    long since = (runtime.clock().monotonicNanos() - lastStartNanos) / 1000;
    long distance =
        wanted ? Math.max(definition.minRefreshMicros(), lastDurationMicros * 2) : IDLE_MICROS;
    return OptionalLong.of(Math.max(backoff, distance - since));
  }

  /** Under the lock. */
  private void run() {
    running = true;
    wanted = false;
    urgent = false;
    lastStartNanos = runtime.clock().monotonicNanos();
    runtime.executor().execute(this::evaluateAndGoOn);
  }

  private void evaluateAndGoOn() {
    Checkpoint from;
    Evaluation.Share mine;
    synchronized (lock) {
      from = checkpoint;
      mine = share;
    }
    try {
      succeeded(evaluation.run(from, mine));
    } catch (RuntimeException | Error e) {
      failed(Evaluation.toError(e), e);
    }
    boolean over;
    synchronized (lock) {
      running = false;
      over = stopped;
      schedule();
    }
    if (over) {
      end();
    }
  }

  private void succeeded(Evaluation.Outcome out) {
    var hear = new ArrayList<Waiter>();
    Map<RegionId, Hold> old = Map.of();
    synchronized (lock) {
      if (out.holds().isPresent()) {
        old = holds;
        holds = out.holds().get();
      }
      checkpoint = out.checkpoint();
      evaluations++;
      rowsIn += out.rowsIn();
      rowsOut += out.sinkRows();
      expired += out.rowsExpired();
      lastMicros = runtime.clock().wallMicros();
      lastDurationMicros = (runtime.clock().monotonicNanos() - lastStartNanos) / 1000;
      failuresInARow = 0;
      if (out.more()) {
        share =
            new Evaluation.Share(
                Math.min(Evaluation.MAX_RANGES, share.ranges() * 2),
                share.passed(),
                share.leftOverFirst());
      } else {
        share = Evaluation.Share.ALL;
        lastError = null;
      }
      for (Waiter w : waiters) {
        w.rows += out.sinkRows();
        if (!out.more() && reached(checkpoint, w.target)) {
          hear.add(w);
        }
      }
      waiters.removeAll(hear);
      urgent |= out.more() || !waiters.isEmpty();
      wanted |= urgent;
    }
    old.values().forEach(Hold::close);
    if (lastDurationMicros > SLOW_MICROS) {
      LOG.warn(
          "flow {} took {} s to evaluate",
          definition.flow().name(),
          lastDurationMicros / 1_000_000);
    }
    hear.forEach(w -> w.done.complete(w.rows));
  }

  private static boolean reached(Checkpoint c, Map<RegionId, Long> target) {
    return target.entrySet().stream()
        .allMatch(e -> c.versions().getOrDefault(e.getKey(), -1L) >= e.getValue());
  }

  private void failed(MillraceException error, Throwable cause) {
    List<Waiter> hear;
    synchronized (lock) {
      if (!stopped) {
        LOG.warn("flow {} could not be evaluated", definition.flow().name(), cause);
      }
      errors++;
      failuresInARow++;
      lastError = error.sqlState() + ": " + error.message();
      share =
          new Evaluation.Share(1, share.ranges() == 1 ? share.passed() + 1 : share.passed(), false);
      wanted = true;
      // What is stored is not what this task started from: another one runs, and this one is over.
      stopped |= error.code() == ErrorCode.PRECONDITION_FAILED;
      hear = List.copyOf(waiters);
      waiters.clear();
    }
    hear.forEach(w -> w.done.completeExceptionally(error));
  }

  // ---- flush and stop

  /** The barrier: completes when everything published now is in the sink. */
  public CompletableFuture<Long> flush() {
    Waiter waiter;
    try {
      waiter = new Waiter(published());
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
    synchronized (lock) {
      if (stopped) {
        return CompletableFuture.failedFuture(notRunning());
      }
      waiters.add(waiter);
      urgent = true;
      wanted = true;
      schedule();
    }
    return waiter.done;
  }

  private Map<RegionId, Long> published() {
    Set<RegionId> regions = evaluation.regions(runtime.catalog().snapshot());
    var target = new HashMap<RegionId, Long>();
    try (Snapshot x = runtime.engine().snapshot(regions)) {
      regions.forEach(r -> target.put(r, x.sequence(r)));
    }
    return target;
  }

  private MillraceException notRunning() {
    return new MillraceException(
        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "flow \"" + definition.flow().name() + "\" is not running");
  }

  /** Whether the task is over, by stop or because another one took its place. */
  public boolean stopped() {
    synchronized (lock) {
      return stopped;
    }
  }

  /**
   * Stops. Completes when no evaluation runs any more, with the holds at the stored checkpoint,
   * which are the caller's.
   */
  public CompletableFuture<Map<RegionId, Hold>> stop() {
    List<Waiter> hear;
    boolean idle;
    synchronized (lock) {
      stopped = true;
      idle = !running;
      Scheduler.Cancellable t = timer;
      timer = null;
      if (t != null) {
        t.cancel();
      }
      hear = List.copyOf(waiters);
      waiters.clear();
    }
    evaluation.cancel();
    hear.forEach(w -> w.done.completeExceptionally(notRunning()));
    if (idle) {
      end();
    }
    return ended;
  }

  private void end() {
    Map<RegionId, Hold> last;
    synchronized (lock) {
      last = holds;
    }
    ended.complete(last);
  }

  // ---- status

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
          checkpoint.dirty().size(),
          lastMicros == 0 ? 0 : Math.max(0, runtime.clock().wallMicros() - lastMicros),
          "V=" + checkpoint.versions() + " T=" + checkpoint.evaluationMicros(),
          holds.values().stream().map(Hold::sequence).min(Long::compare),
          errors,
          Optional.ofNullable(lastError));
    }
  }
}
