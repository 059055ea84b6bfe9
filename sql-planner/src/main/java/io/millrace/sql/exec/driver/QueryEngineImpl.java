package io.millrace.sql.exec.driver;

import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.QueryEngines.Limits;
import io.millrace.sql.exec.QueryEngines.Services;
import io.millrace.sql.exec.expr.ExprCompiler;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.memory.QueryMemory;
import io.millrace.sql.exec.memory.ServerMemory;
import io.millrace.sql.exec.operator.Execution;
import io.millrace.sql.exec.operator.PlanCompiler;
import io.millrace.sql.exec.operator.SnapshotLease;
import io.millrace.sql.exec.operator.Tasks;
import io.millrace.sql.exec.spill.TempFiles;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Opens plans and runs them on the statement pool. */
public final class QueryEngineImpl implements QueryEngine {
  static final long LEASE_MICROS = 2_000_000L;
  private static final int BACKGROUND_PERMITS_PER_THREAD = 1;
  private static final int PERMITS_PER_THREAD = 4;

  private final Services services;
  private final Limits limits;
  private final LevelScheduler pool;
  private final Admission foreground;
  private final Admission background;
  private final ServerMemory memory;
  private final TempFiles temp;
  private final Set<QueryDriver> open = ConcurrentHashMap.newKeySet();

  public QueryEngineImpl(Services services, Limits limits) {
    this.services = services;
    this.limits = limits;
    pool = new LevelScheduler(limits.threads(), services.clock());
    foreground = new Admission(PERMITS_PER_THREAD * limits.threads());
    background = new Admission(BACKGROUND_PERMITS_PER_THREAD * limits.threads());
    memory = new ServerMemory(limits.totalMemory());
    temp = new TempFiles(limits.tempDirectory(), limits.tempFileLimit());
  }

  Clock clock() {
    return services.clock();
  }

  Scheduler scheduler() {
    return services.scheduler();
  }

  /** Memory that queries hold now. */
  public ServerMemory memory() {
    return memory;
  }

  public TempFiles tempFiles() {
    return temp;
  }

  @Override
  public Query open(PlanTemplate template, QueryContext context, ResultSink sink) {
    var ended = new AtomicReference<@Nullable MillraceException>();
    var queryMemory = new QueryMemory(memory, limits.queryMemory());
    var evaluation =
        new EvalContext(
            context.catalog(),
            context.format(),
            context.session(),
            context.nowMicros(),
            context.statementMicros(),
            services.clock(),
            services.random().get(),
            () -> {
              MillraceException e = ended.get();
              if (e != null) {
                throw e;
              }
            });
    if (context.parameters().size() != template.parameterTypes().size()) {
      throw new MillraceException(
          ErrorCode.PROTOCOL_VIOLATION,
          "plan takes "
              + template.parameterTypes().size()
              + " parameters, "
              + context.parameters().size()
              + " given");
    }
    List<Vector> parameters = new ArrayList<>(context.parameters());
    var exprs = new ExprCompiler(services.functions(), evaluation, parameters);
    for (Expr init : template.inits()) {
      parameters.add(exprs.constant(init));
    }
    SnapshotLease snapshot = snapshot(template, context);
    var space = temp.newSpace();
    var shared = new Execution.Shared(template.plan());
    try {
      Tasks tasks =
          new Tasks() {
            @Override
            public int threads() {
              return limits.threads();
            }

            @Override
            public Task start(Body body) {
              var t = new TaskTurn(pool, services.clock(), ended, queryMemory, body);
              t.wake();
              return t;
            }

            @Override
            public Scheduler.Cancellable after(long micros, Runnable task) {
              return services.scheduler().after(micros, task);
            }
          };
      var run =
          new Execution(
              services.regions(),
              services.system(),
              services.clock(),
              context,
              snapshot,
              queryMemory,
              space,
              tasks,
              exprs,
              shared);
      Operator root = new PlanCompiler(run).compile(template.plan());
      var driver =
          new QueryDriver(
              this,
              pool,
              context.background() ? background : foreground,
              run,
              root,
              template.plan().types(),
              sink,
              context.background(),
              ended);
      open.add(driver);
      driver.lease();
      return driver;
    } catch (RuntimeException | Error e) {
      shared.close();
      snapshot.release();
      space.close();
      throw e;
    }
  }

  private SnapshotLease snapshot(PlanTemplate template, QueryContext context) {
    Snapshot given = context.snapshot();
    if (given != null) {
      return new SnapshotLease(given, false);
    }
    var tables = new LinkedHashSet<TableId>();
    collect(template.plan(), tables);
    if (tables.isEmpty()) {
      return new SnapshotLease(null, true);
    }
    var regions = new ArrayList<RegionId>();
    for (TableId t : tables) {
      TableInfo info =
          context
              .catalog()
              .table(t)
              .orElseThrow(
                  () ->
                      new MillraceException(
                          ErrorCode.UNDEFINED_TABLE,
                          "relation with identifier " + t.value() + " does not exist"));
      regions.addAll(info.regions());
    }
    return new SnapshotLease(services.regions().snapshot(regions), true);
  }

  private static void collect(PhysicalPlan plan, Set<TableId> tables) {
    if (plan instanceof PhysicalPlan.TableScan s) {
      tables.add(s.table());
    }
    for (PhysicalPlan p : plan.inputs()) {
      collect(p, tables);
    }
  }

  void ended(QueryDriver driver) {
    open.remove(driver);
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  /** Ends what runs: no query is told anything after this. */
  @Override
  public void close() {
    open.forEach(QueryDriver::close);
    pool.close();
  }
}
