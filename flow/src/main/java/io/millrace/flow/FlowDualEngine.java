package io.millrace.flow;

import static io.millrace.flow.Waiting.await;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import io.millrace.flow.batching.FlowPlan;
import io.millrace.flow.batching.FlowRuntime;
import io.millrace.flow.batching.FlowTask;
import io.millrace.flow.ledger.CheckpointStore;
import io.millrace.flow.ledger.FlowTables;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.write.TableWrite;
import io.millrace.sql.write.TableWriter;
import io.millrace.storage.CommitResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Two engines behind one door: batching flows and streaming flows, which in this first form run the same
 * task at another cadence. The parts: the running flows with the source map, the reconciler that keeps them
 * as metadata says, the creation of flows, and the recovery gate, which opens when all flows known to
 * metadata are there and their holds are made again.
 *
 * As a CommitListener of the writer it looks written tables up in an immutable map, which for a table without
 * flows is all it does; it never fails or delays a write.
 */
/** The dual flow engine. */
final class FlowDualEngine implements FlowService, TableWriter.CommitListener {
  private static final Logger LOG = LoggerFactory.getLogger(FlowDualEngine.class);
  private static final Set<String> KEPT_SETTINGS =
      Set.of(
          "timezone", "search_path", "datestyle", "intervalstyle", "default_timestamp_precision");

  private final Flows.Services services;
  private final ExecutorService executor;
  private final FlowTables tables;
  private final FlowAnalyst analyst;
  private final RunningFlows running;
  private final FlowCreation creation;
  private final Reconciler reconciler;
  private final FlowReports reports;
  private final RecoveryGate gate = new RecoveryGate();

  FlowDualEngine(Flows.Services services, Flows.Settings settings, ExecutorService executor) {
    this.services = services;
    this.executor = executor;
    this.tables = new FlowTables(services.catalog(), services.tables());
    this.analyst = new FlowAnalyst(services);
    this.running = new RunningFlows(services, settings, tables, analyst);
    this.creation = new FlowCreation(services, running, tables, analyst);
    this.reconciler =
        new Reconciler(
            services, settings.reconcileIntervalMicros(), executor, running, creation, tables);
    this.reports = new FlowReports(services, running, tables, gate);
  }

  @Override
  public CompletableFuture<Void> start() {
    return run(
        () -> {
          TableInfo checkpoints = await(tables.checkpoints());
          running.begin(
              new FlowRuntime(
                  services.engine(),
                  services.queries(),
                  services.catalog(),
                  services.writer(),
                  services.evaluator(),
                  new CheckpointStore(services.engine(), checkpoints),
                  services.clock(),
                  services.scheduler(),
                  executor));
          services.writer().addListener(this);
          try {
            reconciler.recover();
          } catch (MillraceException e) {
            if (e.code() != ErrorCode.DATA_CORRUPTED) {
              throw e;
            }
            // The server goes on with what is sound; compaction, which could take what flows will
            // ask for, does not.
            LOG.error("flows do not run until the loss is accepted: {}", e.message());
            return null;
          }
          services.engine().openGate();
          gate.open();
          reconciler.schedule();
          return null;
        });
  }

  private <T> CompletableFuture<T> run(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, executor);
  }

  // ---- statements

  @Override
  public CompletableFuture<Void> create(
      Statement.CreateFlow s, String text, Planner.PlanContext context, Consumer<String> notice) {
    Place name = Place.of(context, s.name());
    Optional<FlowInfo> old = context.catalog().flow(name.database(), name.schema(), name.name());
    if (s.orReplace() && s.ifNotExists()) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR, "OR REPLACE and IF NOT EXISTS cannot be given together");
    }
    if (old.isPresent() && s.ifNotExists()) {
      notice.accept("flow \"" + name.name() + "\" already exists, skipping");
      return CompletableFuture.completedFuture(null);
    }
    if (old.isPresent() && !s.orReplace()) {
      throw FlowCreation.duplicate(name.name());
    }
    FlowInfo draft = draft(name, s, text, context, old);
    Planner.PlannedQuery query;
    try {
      query = services.planner().planQuery(s.query(), context);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.UNDEFINED_TABLE || !deferred(draft)) {
        throw e;
      }
      notice.accept("flow \"" + name.name() + "\" is pending: " + e.message());
      return run(() -> defer(draft, old));
    }
    FlowPlan plan = analyst.analyse(query, context);
    FlowInfo typed = FlowInfos.withOptions(draft, FlowCreation.withKind(draft.options(), plan));
    creation.validate(typed, plan, context.catalog());
    return run(
        () -> {
          try {
            creation.build(typed, plan, old);
          } finally {
            reconciler.run();
          }
          return null;
        });
  }

  private Void defer(FlowInfo draft, Optional<FlowInfo> old) {
    creation.store(draft, old.map(FlowInfo::id));
    old.ifPresent(o -> creation.removeState(o.id()));
    reconciler.run();
    return null;
  }

  private static boolean deferred(FlowInfo f) {
    return "true".equals(f.options().get("defer_on_missing_source"));
  }

  /** The flow as the statement gives it, not yet bound to sink and sources. */
  private FlowInfo draft(
      Place name,
      Statement.CreateFlow s,
      String text,
      Planner.PlanContext context,
      Optional<FlowInfo> old) {
    Place sink = Place.of(context, s.sink());
    Map<String, String> options = FlowOptions.normalise(s.options());
    Statement.Duration expire = s.expireAfter();
    Statement.Duration every = s.evalInterval();
    long now = services.clock().wallMicros();
    return new FlowInfo(
        services.catalog().nextFlowId(),
        services.catalog().nextOid(),
        old.map(FlowInfo::version).orElse(0),
        name.database(),
        name.schema(),
        name.name(),
        sink.database(),
        sink.schema(),
        sink.name(),
        Optional.empty(),
        List.of(),
        List.of(),
        s.query().text(),
        text,
        expire == null
            ? OptionalLong.empty()
            : OptionalLong.of(FlowOptions.duration("EXPIRE AFTER", expire, true)),
        every == null
            ? OptionalLong.empty()
            : OptionalLong.of(FlowOptions.duration("EVAL INTERVAL", every, false)),
        Optional.ofNullable(s.comment()),
        options,
        kept(context),
        old.map(FlowInfo::createdMicros).orElse(now),
        now,
        List.of());
  }

  private static Map<String, String> kept(Planner.PlanContext context) {
    var out = new HashMap<String, String>();
    context
        .settings()
        .forEach(
            (k, v) -> {
              if (KEPT_SETTINGS.contains(k)) {
                out.put(k, v);
              }
            });
    out.put("search_path", String.join(", ", context.searchPath()));
    return out;
  }

  @Override
  public CompletableFuture<Void> drop(FlowInfo flow) {
    return run(
        () -> {
          await(
              services
                  .catalog()
                  .change(c -> CatalogChange.of(new CatalogChange.Action.RemoveFlow(flow.id()))));
          creation.removeState(flow.id());
          return null;
        });
  }

  @Override
  public CompletableFuture<Void> alter(
      FlowInfo flow, Statement.AlterFlow s, Planner.PlanContext context) {
    var options = new HashMap<>(flow.options());
    options.putAll(FlowOptions.normalise(s.options()));
    QualifiedName newName = s.newName();
    FlowInfo next =
        FlowInfos.altered(
            flow,
            flow.version() + 1,
            newName == null ? FlowInfos.place(flow) : Place.of(context, newName),
            s.comment() == null ? flow.comment() : Optional.ofNullable(s.comment()),
            options,
            services.clock().wallMicros());
    running.task(flow.id()).ifPresent(t -> FlowCreation.checkKind(next, t.definition().plan()));
    return run(
        () -> {
          creation.store(next, Optional.of(flow.id()));
          reconciler.run();
          return null;
        });
  }

  // ---- flush

  @Override
  public CompletableFuture<Long> flush(FlowInfo flow) {
    return run(() -> {
          reconciler.run();
          return feeding(flow);
        })
        .thenCompose(
            feeders -> {
              CompletableFuture<Long> before = CompletableFuture.completedFuture(0L);
              for (FlowInfo f : feeders) {
                before = before.thenCompose(n -> flush(f));
              }
              return before;
            })
        .thenCompose(n -> flushTask(flow));
  }

  private CompletableFuture<Long> flushTask(FlowInfo flow) {
    Optional<FlowTask> task = running.task(flow.id());
    if (task.isEmpty()) {
      return CompletableFuture.failedFuture(
          new MillraceException(
              ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
              "flow \""
                  + flow.name()
                  + "\" cannot be flushed: "
                  + running.problem(flow.id()).orElse("it is not running")));
    }
    return task.get()
        .flush()
        .exceptionallyCompose(
            e -> replaced(flow, task.get()) ? flush(flow) : CompletableFuture.failedFuture(e));
  }

  /** Whether another task of a flow that is still there took the place of the one given. */
  private boolean replaced(FlowInfo flow, FlowTask task) {
    return task.stopped()
        && !reconciler.closed()
        && services.catalog().snapshot().flow(flow.id()).isPresent();
  }

  /** Flows whose sinks this one reads. */
  private List<FlowInfo> feeding(FlowInfo flow) {
    return services.catalog().snapshot().flows().stream()
        .filter(f -> !f.id().equals(flow.id()))
        .filter(f -> f.sinkId().filter(flow.sources()::contains).isPresent())
        .toList();
  }

  // ---- tables that flows use

  @Override
  public List<String> dependents(TableId table) {
    return using(table).stream().map(FlowInfo::name).toList();
  }

  private List<FlowInfo> using(TableId table) {
    return services.catalog().snapshot().flows().stream()
        .filter(
            f ->
                (f.sources().contains(table) && !deferred(f))
                    || f.sinkId().filter(table::equals).isPresent())
        .toList();
  }

  @Override
  public CompletableFuture<List<String>> dropDependents(TableId table) {
    List<FlowInfo> flows = using(table);
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (FlowInfo f : flows) {
      all = all.thenCompose(v -> drop(f));
    }
    return all.thenApply(v -> flows.stream().map(FlowInfo::name).toList());
  }

  // ---- reports

  @Override
  public List<String> explain(FlowInfo flow) {
    return reports.explain(flow);
  }

  @Override
  public List<FlowStatistics> statistics() {
    return reports.statistics();
  }

  // ---- notices

  @Override
  public void committed(List<TableWrite> writes, CommitResult result) {
    SourceTables now = running.sources();
    if (now.isEmpty()) {
      return;
    }
    TableId last = null;
    for (TableWrite w : writes) {
      if (!w.table().id().equals(last)) {
        last = w.table().id();
        tell(now, last);
      }
    }
  }

  @Override
  public void truncated(TableInfo table) {
    tell(running.sources(), table.id());
  }

  /** Streaming flows first: they are the ones that are to be fresh. */
  private void tell(SourceTables now, TableId table) {
    tell(now.streaming(table));
    tell(now.batching(table));
  }

  private void tell(Set<FlowId> flows) {
    for (FlowId f : flows) {
      running.task(f).ifPresent(FlowTask::notice);
    }
  }

  @Override
  public void close() {
    reconciler.close();
    running.close();
    executor.shutdown();
  }
}
