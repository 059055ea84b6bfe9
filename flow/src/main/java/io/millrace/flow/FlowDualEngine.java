package io.millrace.flow;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.FlowId;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Scheduler;
import io.millrace.common.type.SqlType;
import io.millrace.flow.batching.ClockUse;
import io.millrace.flow.batching.FlowPlan;
import io.millrace.flow.batching.FlowPlanner;
import io.millrace.flow.batching.FlowRuntime;
import io.millrace.flow.batching.FlowTask;
import io.millrace.flow.batching.SinkPlan;
import io.millrace.flow.batching.TaskStatus;
import io.millrace.flow.ledger.Checkpoint;
import io.millrace.flow.ledger.CheckpointStore;
import io.millrace.flow.ledger.FlowTables;
import io.millrace.flow.ledger.TimeRange;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine.SessionInfo;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.sql.write.TableWrite;
import io.millrace.sql.write.TableWriter;
import io.millrace.storage.CommitResult;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Two engines behind one door: batching flows and streaming flows, which in this first form run the same
 * task at another cadence. Metadata decides what runs: the reconciler compares the catalog's flows with the
 * running tasks at start, every interval and before FLUSH_FLOW, starts what is missing and stops what is not
 * there any more. As a CommitListener of the writer it looks written tables up in an immutable map, which
 * for a table without flows is all it does.
 *
 * Birth of a flow: sink and ledger ─► holds on the sources ─► checkpoint (V = the holds, D = everything or,
 * without backfill, nothing) ─► catalog entry ─► task. What a crash leaves before the entry is a hidden
 * ledger and a checkpoint without flow, which the reconciler removes.
 */
/** The dual flow engine. */
final class FlowDualEngine implements FlowService, TableWriter.CommitListener {
  private static final Logger LOG = LoggerFactory.getLogger(FlowDualEngine.class);
  private static final long WAIT_SECONDS = 120;
  private static final Set<String> KEPT_SETTINGS =
      Set.of(
          "timezone", "search_path", "datestyle", "intervalstyle", "default_timestamp_precision");

  private final Flows.Services services;
  private final Flows.Settings settings;
  private final ExecutorService executor;
  private final FlowTables tables;
  private final FlowPlanner flowPlanner;
  private final RecoveryGate gate = new RecoveryGate();
  private final ConcurrentMap<FlowId, FlowTask> tasks = new ConcurrentHashMap<>();
  private final ConcurrentMap<FlowId, String> problems = new ConcurrentHashMap<>();
  private volatile SourceTables sources = SourceTables.EMPTY;
  private volatile @Nullable FlowRuntime runtime;
  private volatile boolean closed;
  private final Object membership = new Object();
  private Scheduler.@Nullable Cancellable reconcileTimer;

  FlowDualEngine(Flows.Services services, Flows.Settings settings, ExecutorService executor) {
    this.services = services;
    this.settings = settings;
    this.executor = executor;
    this.tables = new FlowTables(services.catalog(), services.tables());
    this.flowPlanner = new FlowPlanner(services.evaluator());
  }

  // ---- start and reconciliation

  @Override
  public CompletableFuture<Void> start() {
    return run(
        () -> {
          TableInfo checkpoints = await(tables.checkpoints());
          runtime =
              new FlowRuntime(
                  services.engine(),
                  services.queries(),
                  services.catalog(),
                  services.writer(),
                  services.evaluator(),
                  new CheckpointStore(services.engine(), checkpoints),
                  services.clock(),
                  services.scheduler(),
                  executor);
          services.writer().addListener(this);
          restoreHolds();
          reconcile();
          services.engine().openGate();
          gate.open();
          scheduleReconcile();
          return null;
        });
  }

  private FlowRuntime runtime() {
    FlowRuntime r = runtime;
    if (r == null) {
      throw new MillraceException(
          ErrorCode.CANNOT_CONNECT_NOW, "the flow engine has not been started");
    }
    return r;
  }

  private final Map<FlowId, Map<RegionId, Hold>> restored = new HashMap<>();

  /** Before anything may be folded away: holds where the checkpoints are. */
  private void restoreHolds() {
    for (FlowInfo f : services.catalog().snapshot().flows()) {
      Optional<Checkpoint> c = runtime().checkpoints().load(f.id());
      if (c.isEmpty()) {
        continue;
      }
      var holds = new HashMap<RegionId, Hold>();
      c.get()
          .versions()
          .forEach(
              (r, v) -> {
                if (services.engine().regions().contains(r)) {
                  holds.put(
                      r, services.engine().restoreHold(r, "flow " + f.name(), HoldKind.KEYS, v));
                }
              });
      restored.put(f.id(), holds);
    }
  }

  private void scheduleReconcile() {
    if (closed) {
      return;
    }
    reconcileTimer =
        services
            .scheduler()
            .after(
                settings.reconcileIntervalMicros(),
                () ->
                    executor.execute(
                        () -> {
                          try {
                            reconcile();
                          } catch (RuntimeException e) {
                            LOG.warn("flows could not be reconciled", e);
                          }
                          scheduleReconcile();
                        }));
  }

  /** Metadata against what runs. */
  private void reconcile() {
    CatalogSnapshot catalog = services.catalog().snapshot();
    synchronized (membership) {
      for (FlowId id : Set.copyOf(tasks.keySet())) {
        if (catalog.flow(id).isEmpty()) {
          remove(id);
        }
      }
      for (FlowInfo f : catalog.flows()) {
        FlowTask t = tasks.get(f.id());
        if (t != null && t.definition().flow().version() != f.version()) {
          remove(f.id());
          t = null;
        }
        if (t == null && !closed) {
          tryStart(f);
        }
      }
    }
  }

  private void remove(FlowId id) {
    FlowTask t = tasks.remove(id);
    problems.remove(id);
    sources = sources.without(id);
    if (t != null) {
      t.stop();
    }
  }

  private void tryStart(FlowInfo f) {
    try {
      startTask(f);
      problems.remove(f.id());
    } catch (MillraceException e) {
      String message = e.sqlState() + ": " + e.message();
      if (!message.equals(problems.put(f.id(), message))) {
        LOG.warn("flow {} cannot run: {}", f.name(), message);
      }
    }
  }

  private Planner.PlanContext context(FlowInfo f) {
    CatalogSnapshot catalog = services.catalog().snapshot();
    return new Planner.PlanContext(
        catalog,
        f.database(),
        "millrace",
        SettingDefinitions.parseSearchPath(
            f.sessionSettings().getOrDefault("search_path", "public"), "millrace"),
        f.sessionSettings(),
        List.of());
  }

  private void startTask(FlowInfo f) {
    Planner.PlanContext context = context(f);
    FlowPlan plan = analyse(services.planner().planQuery(f.query(), context), context);
    TableInfo sink =
        context
            .catalog()
            .table(f.sinkDatabase(), f.sinkSchema(), f.sinkTable())
            .orElseThrow(
                () ->
                    new MillraceException(
                            ErrorCode.UNDEFINED_TABLE,
                            "sink table \""
                                + f.sinkTable()
                                + "\" of flow \""
                                + f.name()
                                + "\" does not exist")
                        .withHint("Create it again, or drop the flow."));
    TableInfo ledger = await(ledgerFor(f.id(), sink));
    Map<RegionId, Hold> holds = restored.remove(f.id());
    Optional<Checkpoint> stored = runtime().checkpoints().load(f.id());
    Checkpoint checkpoint;
    if (stored.isEmpty() || holds == null) {
      Map<RegionId, Hold> old = holds == null ? Map.of() : holds;
      holds = hold(f.name(), plan);
      old.values().forEach(Hold::close);
    }
    if (stored.isPresent()) {
      checkpoint = stored.get();
    } else {
      checkpoint = firstCheckpoint(holds, true, 1);
      await(
          services
              .writer()
              .commit(List.of(runtime().checkpoints().put(f.id(), checkpoint)), List.of()));
    }
    var task =
        new FlowTask(
            runtime(),
            new FlowTask.Definition(
                f,
                plan,
                SinkPlan.map(plan, sink, ledger),
                FlowOptions.minRefresh(f.options(), streaming(f), settings.minRefreshMicros())),
            checkpoint,
            holds);
    tasks.put(f.id(), task);
    sources = sources.with(f.id(), plan.sources());
    task.start();
  }

  private static boolean streaming(FlowInfo f) {
    return "streaming".equals(f.options().get("flow_type"));
  }

  private CompletableFuture<TableInfo> ledgerFor(FlowId id, TableInfo sink) {
    List<SqlType> tags =
        sink.storage().tagIds().stream()
            .map(t -> sink.storage().columns().get(sink.storage().indexOf(t)).type())
            .toList();
    return tables.ledger(id, tags, sink.storage().timeIndex().type());
  }

  private Map<RegionId, Hold> hold(String flow, FlowPlan plan) {
    var out = new HashMap<RegionId, Hold>();
    CatalogSnapshot catalog = services.catalog().snapshot();
    for (TableId id : plan.sources()) {
      catalog
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

  private Checkpoint firstCheckpoint(Map<RegionId, Hold> holds, boolean backfill, long epoch) {
    var versions = new HashMap<RegionId, Long>();
    var incarnations = new HashMap<RegionId, Long>();
    holds.forEach(
        (r, h) -> {
          versions.put(r, h.sequence());
          incarnations.put(r, services.engine().info(r).incarnation());
        });
    return new Checkpoint(
        epoch, incarnations, versions, backfill ? List.of(TimeRange.ALL) : List.of(), 0);
  }

  private FlowPlan analyse(Planner.PlannedQuery query, Planner.PlanContext context) {
    var format = SettingDefinitions.format(context.settings());
    long now = services.clock().wallMicros();
    var evalContext =
        new EvalContext(
            context.catalog(),
            format,
            new SessionInfo(
                context.database(), context.user(), context.searchPath(), 0, context.settings()),
            now,
            now,
            services.clock(),
            new SplittableRandom(0),
            () -> {});
    return flowPlanner.plan(query, context.catalog(), format, evalContext);
  }

  // ---- statements

  private record Place(String database, String schema, String name) {}

  private static Place place(Planner.PlanContext c, QualifiedName name) {
    List<String> p = name.parts();
    CatalogSnapshot s = c.catalog();
    return switch (p.size()) {
      case 1 ->
          new Place(
              c.database(),
              c.searchPath().stream()
                  .filter(x -> hasSchema(s, c.database(), x))
                  .findFirst()
                  .orElse(Catalog.DEFAULT_SCHEMA),
              p.getFirst());
      case 2 ->
          hasSchema(s, c.database(), p.getFirst())
              ? new Place(c.database(), p.getFirst(), p.get(1))
              : s.database(p.getFirst())
                  .map(d -> new Place(d.name(), Catalog.DEFAULT_SCHEMA, p.get(1)))
                  .orElseThrow(
                      () ->
                          new MillraceException(
                                  ErrorCode.INVALID_SCHEMA_NAME,
                                  "schema \"" + p.getFirst() + "\" does not exist")
                              .at(name.position()));
      default -> new Place(p.getFirst(), p.get(1), p.get(2));
    };
  }

  private static boolean hasSchema(CatalogSnapshot c, String database, String schema) {
    return c.schemas(database).stream().map(SchemaInfo::name).anyMatch(schema::equals);
  }

  @Override
  public CompletableFuture<Void> create(
      Statement.CreateFlow s, String text, Planner.PlanContext context, Consumer<String> notice) {
    Place name = place(context, s.name());
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
      throw new MillraceException(
          ErrorCode.DUPLICATE_OBJECT, "flow \"" + name.name() + "\" already exists");
    }
    Map<String, String> options = FlowOptions.normalise(s.options());
    Statement.Duration expire = s.expireAfter();
    Statement.Duration every = s.evalInterval();
    OptionalLong expireAfter =
        expire == null
            ? OptionalLong.empty()
            : OptionalLong.of(FlowOptions.duration("EXPIRE AFTER", expire, true));
    OptionalLong interval =
        every == null
            ? OptionalLong.empty()
            : OptionalLong.of(FlowOptions.duration("EVAL INTERVAL", every, false));
    Place sink = place(context, s.sink());
    var kept = new HashMap<String, String>();
    context
        .settings()
        .forEach(
            (k, v) -> {
              if (KEPT_SETTINGS.contains(k)) {
                kept.put(k, v);
              }
            });
    kept.put("search_path", String.join(", ", context.searchPath()));
    Planner.PlannedQuery query;
    try {
      query = services.planner().planQuery(s.query(), context);
    } catch (MillraceException e) {
      boolean defer = "true".equals(options.get("defer_on_missing_source"));
      if (defer && e.code() == ErrorCode.UNDEFINED_TABLE) {
        notice.accept("flow \"" + name.name() + "\" is pending: " + e.message());
        return run(
            () -> {
              store(pending(name, sink, s, text, options, kept, expireAfter, interval, old));
              return null;
            });
      }
      throw e;
    }
    FlowPlan plan = analyse(query, context);
    validate(name, sink, plan, interval, context);
    String type =
        options.computeIfAbsent(
            "flow_type", k -> plan.aggregates() || !simple(plan) ? "batching" : "streaming");
    if (type.equals("streaming") && plan.aggregates()) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "the streaming engine of this version takes projections and filters, but the flow"
                  + " aggregates")
          .withHint("Use the other engine: WITH (flow_type = 'batching').");
    }
    return run(
        () -> {
          build(name, sink, s, text, options, kept, expireAfter, interval, old, plan);
          return null;
        });
  }

  private static boolean simple(FlowPlan plan) {
    return plan.driving().isPresent();
  }

  private void validate(
      Place name, Place sink, FlowPlan plan, OptionalLong interval, Planner.PlanContext context) {
    String wild = ClockUse.volatileFunction(plan.template().plan());
    if (wild != null) {
      throw new MillraceException(
              ErrorCode.INVALID_OBJECT_DEFINITION,
              "function " + wild + "() gives another value each time and cannot be used in a flow")
          .withHint("now() is allowed with EVAL INTERVAL and reads the scheduled time.");
    }
    if (plan.sources().isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_OBJECT_DEFINITION,
          "flow \"" + name.name() + "\" reads no table, so nothing would ever change it");
    }
    boolean needsInterval =
        interval.isEmpty()
            && ((!plan.windowLocal() && plan.aggregates())
                || plan.template().inits().stream().anyMatch(ClockUse::readsClock)
                || ClockUse.readsClock(plan.template().plan()));
    if (needsInterval || (!simple(plan) && interval.isEmpty() && !plan.windowLocal())) {
      throw new MillraceException(
              ErrorCode.INVALID_OBJECT_DEFINITION,
              "flow \""
                  + name.name()
                  + "\" has to be evaluated as a whole and needs EVAL INTERVAL: "
                  + (plan.why().isEmpty() ? "it reads the clock" : plan.why()))
          .withHint(
              "Add EVAL INTERVAL '1 minute' (or so), or group by a time window of the source's time"
                  + " index such as date_bin(INTERVAL '1 minute', ts).");
    }
    Optional<TableInfo> sinkTable =
        context.catalog().table(sink.database(), sink.schema(), sink.name());
    sinkTable.ifPresent(
        t -> {
          if (plan.sources().contains(t.id())) {
            throw new MillraceException(
                ErrorCode.INVALID_OBJECT_DEFINITION,
                "table \"" + t.name() + "\" cannot be source and sink of one flow");
          }
          checkCycle(context.catalog(), t.id(), plan.sources(), name.name());
          if (t.appendMode()) {
            throw new MillraceException(
                ErrorCode.INVALID_OBJECT_DEFINITION,
                "sink table \"" + t.name() + "\" is in append mode and cannot take rows back");
          }
        });
  }

  /** No source may be fed, through other flows, by the sink. */
  private static void checkCycle(
      CatalogSnapshot catalog, TableId sink, List<TableId> sources, String flow) {
    var seen = new HashSet<TableId>();
    var open = new ArrayList<TableId>(List.of(sink));
    while (!open.isEmpty()) {
      TableId t = open.removeLast();
      if (!seen.add(t)) {
        continue;
      }
      if (sources.contains(t)) {
        throw new MillraceException(
            ErrorCode.INVALID_OBJECT_DEFINITION,
            "flow \"" + flow + "\" would feed its own source through other flows");
      }
      for (FlowInfo f : catalog.flows()) {
        if (f.sources().contains(t)) {
          f.sinkId().ifPresent(open::add);
        }
      }
    }
  }

  private void build(
      Place name,
      Place sinkPlace,
      Statement.CreateFlow s,
      String text,
      Map<String, String> options,
      Map<String, String> kept,
      OptionalLong expireAfter,
      OptionalLong interval,
      Optional<FlowInfo> old,
      FlowPlan plan) {
    CatalogSnapshot catalog = services.catalog().snapshot();
    Optional<TableInfo> existing =
        catalog.table(sinkPlace.database(), sinkPlace.schema(), sinkPlace.name());
    TableInfo sink =
        existing.isPresent()
            ? existing.get()
            : await(
                services
                    .tables()
                    .create(
                        SinkPlan.definition(
                            plan,
                            sinkPlace.database(),
                            sinkPlace.schema(),
                            sinkPlace.name(),
                            name.name())));
    boolean sameSink = old.flatMap(FlowInfo::sinkId).filter(sink.id()::equals).isPresent();
    FlowId id = sameSink ? old.orElseThrow().id() : services.catalog().nextFlowId();
    TableInfo ledger = await(ledgerFor(id, sink));
    try {
      SinkPlan.Mapping checked = SinkPlan.map(plan, sink, ledger);
      LOG.debug("flow {} writes {} columns", name.name(), checked.types().size());
    } catch (MillraceException e) {
      if (!sameSink) {
        await(tables.dropLedger(id));
      }
      throw e;
    }
    Map<RegionId, Hold> holds = hold(name.name(), plan);
    long epoch =
        sameSink ? runtime().checkpoints().load(id).map(Checkpoint::epoch).orElse(0L) + 1 : 1;
    boolean backfill = !"false".equals(options.get("backfill"));
    Checkpoint first = firstCheckpoint(holds, backfill, epoch);
    List<String> sourceNames =
        plan.sources().stream()
            .map(t -> catalog.table(t).map(TableInfo::name).orElse("?"))
            .toList();
    long now = services.clock().wallMicros();
    var info =
        new FlowInfo(
            id,
            old.filter(o -> sameSink).map(FlowInfo::oid).orElseGet(services.catalog()::nextOid),
            old.map(FlowInfo::version).orElse(0) + 1,
            name.database(),
            name.schema(),
            name.name(),
            sinkPlace.database(),
            sinkPlace.schema(),
            sinkPlace.name(),
            Optional.of(sink.id()),
            plan.sources(),
            sourceNames,
            s.query().text(),
            text,
            expireAfter,
            interval,
            Optional.ofNullable(s.comment()),
            options,
            kept,
            old.map(FlowInfo::createdMicros).orElse(now),
            now);
    synchronized (membership) {
      if (old.isPresent()) {
        remove(old.get().id());
      }
      await(services.writer().commit(List.of(runtime().checkpoints().put(id, first)), List.of()));
      store(info);
      restored.put(id, holds);
      if (old.isPresent() && !sameSink) {
        forget(old.get());
      }
      tryStartOrThrow(info);
    }
  }

  private void tryStartOrThrow(FlowInfo info) {
    startTask(info);
    problems.remove(info.id());
  }

  private FlowInfo pending(
      Place name,
      Place sink,
      Statement.CreateFlow s,
      String text,
      Map<String, String> options,
      Map<String, String> kept,
      OptionalLong expireAfter,
      OptionalLong interval,
      Optional<FlowInfo> old) {
    long now = services.clock().wallMicros();
    return new FlowInfo(
        old.map(FlowInfo::id).orElseGet(services.catalog()::nextFlowId),
        services.catalog().nextOid(),
        old.map(FlowInfo::version).orElse(0) + 1,
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
        expireAfter,
        interval,
        Optional.ofNullable(s.comment()),
        options,
        kept,
        now,
        now);
  }

  private void store(FlowInfo info) {
    await(
        services
            .catalog()
            .change(
                c -> {
                  Optional<FlowInfo> other = c.flow(info.database(), info.schema(), info.name());
                  var actions = new ArrayList<CatalogChange.Action>();
                  if (other.isPresent() && !other.get().id().equals(info.id())) {
                    if (other.get().version() >= info.version()) {
                      throw new MillraceException(
                          ErrorCode.DUPLICATE_OBJECT,
                          "flow \"" + info.name() + "\" already exists");
                    }
                    actions.add(new CatalogChange.Action.RemoveFlow(other.get().id()));
                  }
                  actions.add(new CatalogChange.Action.PutFlow(info));
                  return new CatalogChange(actions);
                }));
  }

  /** Removes a dropped flow's checkpoint and ledger. */
  private void forget(FlowInfo f) {
    await(services.writer().commit(List.of(runtime().checkpoints().delete(f.id())), List.of()));
    await(tables.dropLedger(f.id()));
  }

  @Override
  public CompletableFuture<Void> drop(FlowInfo flow) {
    return run(
        () -> {
          await(
              services
                  .catalog()
                  .change(c -> CatalogChange.of(new CatalogChange.Action.RemoveFlow(flow.id()))));
          synchronized (membership) {
            remove(flow.id());
          }
          forget(flow);
          return null;
        });
  }

  @Override
  public CompletableFuture<Void> alter(
      FlowInfo flow, Statement.AlterFlow s, Planner.PlanContext context) {
    var options = new HashMap<>(flow.options());
    options.putAll(FlowOptions.normalise(s.options()));
    QualifiedName newName = s.newName();
    Place name =
        newName == null
            ? new Place(flow.database(), flow.schema(), flow.name())
            : place(context, newName);
    Optional<String> comment =
        s.comment() == null ? flow.comment() : Optional.ofNullable(s.comment());
    var next =
        new FlowInfo(
            flow.id(),
            flow.oid(),
            flow.version() + 1,
            name.database(),
            name.schema(),
            name.name(),
            flow.sinkDatabase(),
            flow.sinkSchema(),
            flow.sinkTable(),
            flow.sinkId(),
            flow.sources(),
            flow.sourceNames(),
            flow.query(),
            flow.rawSql(),
            flow.expireAfterMicros(),
            flow.evalIntervalMicros(),
            comment,
            options,
            flow.sessionSettings(),
            flow.createdMicros(),
            services.clock().wallMicros());
    return run(
        () -> {
          store(next);
          reconcile();
          return null;
        });
  }

  @Override
  public CompletableFuture<Long> flush(FlowInfo flow) {
    return run(() -> {
          reconcile();
          return List.copyOf(feeding(flow));
        })
        .thenCompose(
            feeders -> {
              CompletableFuture<Long> before = CompletableFuture.completedFuture(0L);
              for (FlowInfo f : feeders) {
                before = before.thenCompose(n -> flush(f));
              }
              return before;
            })
        .thenCompose(
            n -> {
              FlowTask t = tasks.get(flow.id());
              if (t == null) {
                String why = problems.getOrDefault(flow.id(), "it is not running");
                return CompletableFuture.failedFuture(
                    new MillraceException(
                        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "flow \"" + flow.name() + "\" cannot be flushed: " + why));
              }
              return t.flush();
            });
  }

  /** Flows whose sinks this one reads. */
  private List<FlowInfo> feeding(FlowInfo flow) {
    return services.catalog().snapshot().flows().stream()
        .filter(f -> !f.id().equals(flow.id()))
        .filter(f -> f.sinkId().filter(flow.sources()::contains).isPresent())
        .toList();
  }

  @Override
  public List<String> dependents(TableId table) {
    return using(table).stream().map(FlowInfo::name).toList();
  }

  private List<FlowInfo> using(TableId table) {
    return services.catalog().snapshot().flows().stream()
        .filter(
            f ->
                (f.sources().contains(table)
                        && !"true".equals(f.options().get("defer_on_missing_source")))
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

  @Override
  public List<String> explain(FlowInfo flow) {
    var out = new ArrayList<String>();
    out.add(
        "Flow "
            + flow.name()
            + " ("
            + flow.options().getOrDefault("flow_type", "batching")
            + " engine) into "
            + flow.sinkSchema()
            + "."
            + flow.sinkTable());
    FlowTask t = tasks.get(flow.id());
    if (t == null) {
      out.add("  State: pending, " + problems.getOrDefault(flow.id(), "not started"));
      return out;
    }
    FlowPlan p = t.definition().plan();
    TaskStatus s = t.status();
    out.add("  Window: " + p.describeWindow().orElse("none, evaluated whole: " + p.why()));
    out.add("  Sources: " + String.join(", ", flow.sourceNames()));
    out.add("  State: " + s.state() + s.lastError().map(e -> ", last error " + e).orElse(""));
    out.add("  Checkpoint: " + s.checkpoint());
    out.add("  Dirty ranges: " + s.dirtyRanges());
    out.add("  Oldest hold: " + s.oldestHold().map(h -> Long.toString(h)).orElse("none"));
    out.add("  Lag: " + s.lagMicros() / 1000 + " ms");
    out.add("  Query:");
    services.planner().explain(p.template(), false).forEach(l -> out.add("    " + l));
    return out;
  }

  @Override
  public List<FlowStatistics> statistics() {
    var out = new ArrayList<FlowStatistics>();
    for (FlowInfo f : services.catalog().snapshot().flows()) {
      String engine = f.options().getOrDefault("flow_type", "batching");
      FlowTask t = tasks.get(f.id());
      if (t == null) {
        out.add(
            new FlowStatistics(
                f.id(),
                f.name(),
                engine,
                gate.isOpen() ? "pending" : "recovering",
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                "",
                0,
                Optional.empty(),
                0,
                Optional.ofNullable(problems.get(f.id()))));
        continue;
      }
      TaskStatus s = t.status();
      long state =
          tables
              .findLedger(f.id())
              .map(l -> l.regions().stream().mapToLong(r -> services.engine().info(r).rows()).sum())
              .orElse(0L);
      out.add(
          new FlowStatistics(
              f.id(),
              f.name(),
              engine,
              s.state(),
              s.startMicros(),
              s.lastExecutionMicros(),
              s.lastDurationMicros(),
              s.evaluations(),
              s.rowsIn(),
              s.rowsOut(),
              s.rowsExpired(),
              s.dirtyRanges(),
              s.lagMicros(),
              s.checkpoint(),
              state,
              s.oldestHold(),
              s.errors(),
              s.lastError()));
    }
    return out;
  }

  // ---- notices

  @Override
  public void committed(List<TableWrite> writes, CommitResult result) {
    SourceTables now = sources;
    if (now.flowsOf().isEmpty()) {
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
    tell(sources, table.id());
  }

  private void tell(SourceTables now, TableId table) {
    for (FlowId f : now.flows(table)) {
      FlowTask t = tasks.get(f);
      if (t != null) {
        t.notice();
      }
    }
  }

  // ---- threads

  private <T> CompletableFuture<T> run(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, executor);
  }

  private static <T> T await(CompletableFuture<T> f) {
    try {
      return f.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable c = e.getCause();
      while (c instanceof CompletionException && c.getCause() != null) {
        c = c.getCause();
      }
      if (c instanceof MillraceException m) {
        throw m;
      }
      throw new MillraceException(ErrorCode.INTERNAL_ERROR, "internal error: " + c, c);
    } catch (TimeoutException e) {
      throw new MillraceException(
          ErrorCode.QUERY_CANCELED, "a step of the flow engine took longer than two minutes", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.ADMIN_SHUTDOWN, "interrupted", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    Scheduler.Cancellable t = reconcileTimer;
    if (t != null) {
      t.cancel();
    }
    synchronized (membership) {
      Set.copyOf(tasks.keySet()).forEach(this::remove);
    }
    executor.shutdown();
  }
}
