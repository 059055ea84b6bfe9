package io.millrace.flow;

import static io.millrace.flow.Waiting.await;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.FlowId;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import io.millrace.flow.batching.FlowPlan;
import io.millrace.flow.batching.FlowRuntime;
import io.millrace.flow.batching.FlowTask;
import io.millrace.flow.batching.SinkPlan;
import io.millrace.flow.ledger.Checkpoint;
import io.millrace.flow.ledger.FlowTables;
import io.millrace.flow.ledger.TimeRange;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/*
 * The tasks that run, the source map that commits are routed by, why flows do not run that should, and the
 * holds of flows between two tasks: what a flow holds is kept from its birth or the start of the server
 * until it is dropped, also while it cannot run.
 *
 * Members change under `membership`, on threads that may wait; notices read the map without it.
 */
/** The flows that run. */
final class RunningFlows {
  private final Flows.Services services;
  private final Flows.Settings settings;
  private final FlowTables tables;
  private final FlowAnalyst analyst;
  private final ConcurrentMap<FlowId, FlowTask> tasks = new ConcurrentHashMap<>();
  private final ConcurrentMap<FlowId, String> problems = new ConcurrentHashMap<>();
  private final Map<FlowId, Map<RegionId, Hold>> kept = new HashMap<>();
  private final Object membership = new Object();
  private volatile SourceTables sources = SourceTables.EMPTY;
  private volatile @Nullable FlowRuntime runtime;

  RunningFlows(
      Flows.Services services, Flows.Settings settings, FlowTables tables, FlowAnalyst analyst) {
    this.services = services;
    this.settings = settings;
    this.tables = tables;
    this.analyst = analyst;
  }

  void begin(FlowRuntime r) {
    runtime = r;
  }

  FlowRuntime runtime() {
    FlowRuntime r = runtime;
    if (r == null) {
      throw new MillraceException(
          ErrorCode.CANNOT_CONNECT_NOW, "the flow engine has not been started");
    }
    return r;
  }

  /** The lock under which flows come and go. */
  Object membership() {
    return membership;
  }

  SourceTables sources() {
    return sources;
  }

  Optional<FlowTask> task(FlowId id) {
    return Optional.ofNullable(tasks.get(id));
  }

  List<FlowId> running() {
    return List.copyOf(tasks.keySet());
  }

  /** Why a flow does not run, if it should. */
  Optional<String> problem(FlowId id) {
    return Optional.ofNullable(problems.get(id));
  }

  /** Remembers why a flow does not run; whether that is news. */
  boolean problem(FlowId id, String message) {
    return !message.equals(problems.put(id, message));
  }

  /** Keeps holds for a flow's next task; those that it had before are released. */
  void keep(FlowId id, Map<RegionId, Hold> holds) {
    synchronized (membership) {
      release(kept.put(id, holds));
    }
  }

  private static void release(@Nullable Map<RegionId, Hold> holds) {
    if (holds != null) {
      holds.values().forEach(Hold::close);
    }
  }

  /** Stops a flow's task, if one runs, and keeps its holds for the next one. */
  void halt(FlowId id) {
    synchronized (membership) {
      FlowTask t = tasks.remove(id);
      sources = sources.without(id);
      if (t != null) {
        keep(id, await(t.stop()));
      }
    }
  }

  /** Stops a flow for good: nothing is held any more. */
  void forget(FlowId id) {
    synchronized (membership) {
      halt(id);
      problems.remove(id);
      release(kept.remove(id));
    }
  }

  /** Starts a flow from its checkpoint; one without is evaluated as a whole. */
  void start(FlowInfo f) {
    FlowPlan plan = analyst.plan(f);
    TableInfo sink =
        f.sinkId().flatMap(services.catalog().snapshot()::table).orElseThrow(() -> noSink(f));
    TableInfo ledger = ledger(f.id(), sink);
    SinkPlan.Mapping mapping = SinkPlan.map(plan, sink, ledger);
    synchronized (membership) {
      Optional<Checkpoint> stored = runtime().checkpoints().load(f.id());
      Map<RegionId, Hold> holds = kept.get(f.id());
      if (holds == null || stored.isEmpty()) {
        holds = hold(f.name(), plan);
        keep(f.id(), holds);
      }
      Checkpoint from = stored.isPresent() ? stored.get() : firstCheckpoint(f, plan, holds);
      kept.remove(f.id());
      var task =
          new FlowTask(
              runtime(), new FlowTask.Definition(f, plan, mapping, distance(f)), from, holds);
      tasks.put(f.id(), task);
      problems.remove(f.id());
      sources = sources.with(f.id(), new SourceTables.Route(FlowKind.of(f), plan.sources()));
      task.start();
    }
  }

  private long distance(FlowInfo f) {
    return FlowOptions.minRefresh(
        f.options(), FlowKind.of(f) == FlowKind.STREAMING, settings.minRefreshMicros());
  }

  private static MillraceException noSink(FlowInfo f) {
    return new MillraceException(
            ErrorCode.UNDEFINED_TABLE,
            "sink table \"" + f.sinkTable() + "\" of flow \"" + f.name() + "\" does not exist")
        .withHint("Drop the flow, or create it again with OR REPLACE.");
  }

  private Checkpoint firstCheckpoint(FlowInfo f, FlowPlan plan, Map<RegionId, Hold> holds) {
    Checkpoint first = checkpoint(f, plan, holds, 1);
    await(services.writer().commit(List.of(runtime().checkpoints().put(f.id(), first)), List.of()));
    return first;
  }

  TableInfo ledger(FlowId id, TableInfo sink) {
    List<SqlType> tags =
        sink.storage().tagIds().stream()
            .map(t -> sink.storage().columns().get(sink.storage().indexOf(t)).type())
            .toList();
    return await(tables.ledger(id, tags, sink.storage().timeIndex().type()));
  }

  /** Holds on all sources at what is published now. */
  Map<RegionId, Hold> hold(String flow, FlowPlan plan) {
    var out = new HashMap<RegionId, Hold>();
    for (TableId id : plan.sources()) {
      services
          .catalog()
          .snapshot()
          .table(id)
          .ifPresent(
              t ->
                  t.regions()
                      .forEach(
                          r ->
                              out.put(
                                  r, services.engine().hold(r, "flow " + flow, HoldKind.KEYS))));
    }
    return out;
  }

  /** A flow's first checkpoint: V = the holds, D = everything unexpired, or nothing. */
  Checkpoint checkpoint(FlowInfo f, FlowPlan plan, Map<RegionId, Hold> holds, long epoch) {
    var versions = new HashMap<RegionId, Long>();
    var incarnations = new HashMap<RegionId, Long>();
    holds.forEach(
        (r, h) -> {
          versions.put(r, h.sequence());
          incarnations.put(r, services.engine().info(r).incarnation());
        });
    long now = services.clock().wallMicros();
    OptionalLong interval = f.evalIntervalMicros();
    long t =
        interval.isPresent()
            ? Math.floorDiv(now, interval.getAsLong()) * interval.getAsLong()
            : now;
    boolean backfill = !"false".equals(f.options().get("backfill"));
    return new Checkpoint(
        epoch, incarnations, versions, backfill ? List.of(unexpired(f, plan, t)) : List.of(), t);
  }

  private static TimeRange unexpired(FlowInfo f, FlowPlan plan, long now) {
    OptionalLong after = f.expireAfterMicros();
    return after.isEmpty() || plan.window().isEmpty()
        ? TimeRange.ALL
        : new TimeRange(plan.window().get().start(now - after.getAsLong()), TimeRange.ALL.to());
  }

  /** Stops everything; nothing is held any more. */
  void close() {
    synchronized (membership) {
      // All at once, so that their queries end together.
      await(
          CompletableFuture.allOf(
              tasks.values().stream().map(FlowTask::stop).toArray(CompletableFuture[]::new)));
      running().forEach(this::forget);
      List.copyOf(kept.keySet()).forEach(this::forget);
    }
  }
}
