package io.millrace.flow;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.time.ManualClock;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.FileKvBackend;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.KvBackend;
import io.millrace.sql.catalog.StoredCatalog;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.TableDefinition;
import io.millrace.sql.ddl.TableDefinition.ColumnDefinition;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.QueryEngines;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.parser.StatementParser;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.partition.PartitionTerm;
import io.millrace.sql.plan.MillPlanner;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.semantics.Semantics;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.sql.system.SystemCatalog;
import io.millrace.sql.write.RegionTableWriter;
import io.millrace.sql.write.TableWrite;
import io.millrace.sql.write.TableWriter;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.Truncation;
import io.millrace.storage.WriteGroup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server without a wire: region engine, catalog, planner, query engine and flows over a folder,
 * on a {@link Machine} that can be stopped at any moment and started again.
 */
final class FlowRig implements AutoCloseable {
  static final String DAY = "date_bin(INTERVAL '1 day', ts)";
  private static final EngineConfig CONFIG =
      new EngineConfig(
          WalSync.NONE, 0, 1 << 20, 64 << 20, 128 << 20, 32 << 20, 0, 4 << 20, 2, 60_000_000_000L);

  /** Keeps listeners from hearing of commits, and tells when a commit is through. */
  private final class WatchedWriter implements TableWriter {
    private final TableWriter writer;

    WatchedWriter(TableWriter writer) {
      this.writer = writer;
    }

    @Override
    public CompletableFuture<CommitResult> commit(
        List<TableWrite> writes, List<WriteGroup.Precondition> preconditions) {
      return commit(List.of(), writes, preconditions);
    }

    @Override
    public CompletableFuture<List<StagedWrite>> stage(List<TableWrite> writes) {
      return writer.stage(writes);
    }

    @Override
    public void discard(List<StagedWrite> staged) {
      writer.discard(staged);
    }

    @Override
    public CompletableFuture<CommitResult> commit(
        List<StagedWrite> staged,
        List<TableWrite> writes,
        List<WriteGroup.Precondition> preconditions) {
      return writer
          .commit(staged, writes, preconditions)
          .thenApply(
              r -> {
                onCommit.accept(writes);
                return r;
              });
    }

    @Override
    public List<io.millrace.storage.RegionWrite> route(TableWrite write) {
      return writer.route(write);
    }

    @Override
    public void addListener(CommitListener listener) {
      writer.addListener(
          new CommitListener() {
            @Override
            public void committed(List<TableWrite> writes, CommitResult result) {
              if (!noticesHeld) {
                listener.committed(writes, result);
              }
            }

            @Override
            public void truncated(TableInfo table) {
              if (!noticesHeld) {
                listener.truncated(table);
              }
            }
          });
    }

    @Override
    public void truncated(TableInfo table) {
      writer.truncated(table);
    }
  }

  private final Path folder;
  private final ManualClock clock = new ManualClock(1_700_000_000_000_000L);
  private final Supplier<ExecutorService> evaluations;
  private volatile boolean noticesHeld;
  private volatile Consumer<List<TableWrite>> onCommit = w -> {};
  private Machine machine;
  private RegionEngine engine;
  private ExecutorService catalogThread;
  private KvBackend backend;
  private Catalog catalog;
  private TableProcedures tables;
  private QueryEngine queries;
  private ExprEvaluator evaluator;
  private Planner planner;
  private TableWriter writer;
  private @Nullable FlowService flows;

  FlowRig(Path folder) {
    this(folder, Executors::newVirtualThreadPerTaskExecutor);
  }

  /**
   * @param evaluations threads for flows
   */
  FlowRig(Path folder, Supplier<ExecutorService> evaluations) {
    this.folder = folder;
    this.evaluations = evaluations;
    boot();
    startFlows();
  }

  /** Starts everything but the flows. */
  private void boot() {
    machine = new Machine(clock);
    engine = RegionEngines.open(folder, CONFIG, machine);
    catalogThread = Executors.newSingleThreadExecutor();
    backend = machine.guard(FileKvBackend.open(folder.resolve("catalog")));
    catalog = new StoredCatalog(backend, catalogThread);
    tables = new TableProcedures(catalog, engine, clock);
    await(tables.openAll());
    var system = new SystemCatalog(new SettingDefinitions(), engine);
    FunctionRegistry.Builder kernels = FunctionRegistry.builder();
    system.register(kernels);
    FunctionRegistry functions = kernels.build();
    Semantics semantics = Semantics.load(functions);
    system.describe(semantics);
    queries =
        QueryEngines.create(
            new QueryEngines.Services(
                engine,
                functions,
                system,
                clock,
                machine.scheduler(),
                () -> new SplittableRandom(7)),
            new QueryEngines.Limits(
                2, 64L << 20, 256L << 20, folder.resolve("tmp"), Long.MAX_VALUE));
    evaluator = new ExprEvaluator(functions);
    planner =
        new MillPlanner(
            new MillPlanner.Services(new StatementParser(), semantics, system, functions, clock));
    writer = new WatchedWriter(new RegionTableWriter(engine));
  }

  void startFlows() {
    var services =
        new Flows.Services(
            engine,
            queries,
            catalog,
            writer,
            tables,
            planner,
            evaluator,
            clock,
            machine.scheduler());
    FlowService f =
        new FlowDualEngine(services, new Flows.Settings(5_000_000, 10_000_000), evaluations.get());
    await(f.start());
    flows = f;
  }

  FlowService flows() {
    FlowService f = flows;
    if (f == null) {
      throw new AssertionError("flows are not started");
    }
    return f;
  }

  Machine machine() {
    return machine;
  }

  RegionEngine engine() {
    return engine;
  }

  Catalog catalog() {
    return catalog;
  }

  Path folder() {
    return folder;
  }

  /** Whether notices of commits reach the flows. */
  void holdNotices(boolean yes) {
    noticesHeld = yes;
  }

  /** Called after each commit is visible, before anybody hears of it. */
  void onCommit(Consumer<List<TableWrite>> action) {
    onCommit = action;
  }

  /** Stops the machine after so many commits of flows, before they hear that they went through. */
  void killAfterFlowCommits(int commits) {
    var left = new int[] {commits};
    onCommit(
        writes -> {
          boolean flow =
              writes.size() > 1
                  && writes.stream().anyMatch(w -> w.table().name().equals("__flow_checkpoint"));
          synchronized (left) {
            if (flow && --left[0] == 0) {
              machine.kill();
            }
          }
        });
  }

  /** Power off, power on; the flows wait for {@link #startFlows}. */
  void crashWithoutFlows() {
    machine.kill();
    shut();
    onCommit = w -> {};
    noticesHeld = false;
    boot();
  }

  void crash() {
    crashWithoutFlows();
    startFlows();
  }

  /** Stops the machine, lets something happen to its folder, and starts it. */
  void crash(Runnable meanwhile) {
    machine.kill();
    shut();
    onCommit = w -> {};
    meanwhile.run();
    boot();
    startFlows();
  }

  private void shut() {
    FlowService f = flows;
    flows = null;
    if (f != null) {
      f.close();
    }
    queries.close();
    try {
      engine.close();
    } catch (MillraceException e) {
      if (!machine.stopped()) {
        throw e;
      }
    }
    catalogThread.shutdown();
    backend.close();
  }

  @Override
  public void close() {
    shut();
  }

  // ---- tables

  /**
   * Creates a table.
   *
   * @param columns "name type" each; tags carry a '#' before the name, the time index a '@'
   */
  TableInfo table(String name, String... columns) {
    return table(name, Map.of(), columns);
  }

  TableInfo table(String name, Map<String, String> options, String... columns) {
    return await(tables.create(definition(name, options, columns)));
  }

  /** A table in two regions: what is below a value of a column, NULL too, and the rest. */
  TableInfo partitioned(String name, String column, String bound, String... columns) {
    TableInfo t = tables.prepare(definition(name, Map.of(), columns));
    TableInfo.Column c = t.column(column).orElseThrow();
    var rule =
        PartitionRule.of(
            new PartitionRule.Definition(
                List.of(new PartitionRule.Column(c.id(), c.type(), true)),
                List.of(
                    PartitionTerm.compare(PartitionTerm.Op.LT, c.id(), bound),
                    PartitionTerm.compare(PartitionTerm.Op.GE, c.id(), bound))));
    return await(
        tables.create(
            t.edit()
                .partitions(rule)
                .regions(List.of(RegionId.of(t.id(), 0), RegionId.of(t.id(), 1)))
                .build(),
            List.of()));
  }

  private static TableDefinition definition(
      String name, Map<String, String> options, String... columns) {
    var definitions = new ArrayList<ColumnDefinition>();
    var key = new ArrayList<String>();
    Optional<String> time = Optional.empty();
    for (String c : columns) {
      String[] part = c.split(" ", 2);
      char mark = part[0].charAt(0);
      String column = mark == '#' || mark == '@' ? part[0].substring(1) : part[0];
      if (mark == '#') {
        key.add(column);
      } else if (mark == '@') {
        time = Optional.of(column);
      }
      SqlType type = type(part[1]);
      definitions.add(
          new ColumnDefinition(
              column, type, part[1], mark == '@', Optional.empty(), Optional.empty(), ""));
    }
    return new TableDefinition(
        "millrace",
        "public",
        name,
        definitions,
        key,
        time,
        List.of(),
        options,
        Optional.empty(),
        false);
  }

  private static SqlType type(String name) {
    return switch (name) {
      case "int" -> SqlType.INT4;
      case "bigint" -> SqlType.INT8;
      case "double" -> SqlType.FLOAT8;
      case "text" -> SqlType.TEXT;
      case "timestamp" -> SqlType.TIMESTAMP;
      default -> throw new AssertionError(name);
    };
  }

  TableInfo info(String table) {
    return catalog.snapshot().table("millrace", "public", table).orElseThrow();
  }

  /** Rows of the table's columns in order, fields parted by '|', the empty one is NULL. */
  TableWrite put(String table, String... rows) {
    TableInfo t = info(table);
    return new TableWrite(
        t, OpType.PUT, t.columns().stream().map(TableInfo.Column::id).toList(), batch(t, rows));
  }

  /** Deletes of keys, given as rows whose other fields do not matter. */
  TableWrite delete(String table, String... rows) {
    TableInfo t = info(table);
    Batch all = batch(t, rows);
    var ids = new ArrayList<>(t.storage().tagIds());
    ids.add(t.storage().timeIndexId());
    var columns = new ArrayList<Vector>();
    List<Integer> places = t.columns().stream().map(TableInfo.Column::id).toList();
    ids.forEach(id -> columns.add(all.column(places.indexOf(id))));
    return new TableWrite(t, OpType.DELETE, ids, new Batch(columns, rows.length));
  }

  private static Batch batch(TableInfo t, String... rows) {
    List<VectorBuilder> out =
        t.columns().stream().map(c -> VectorBuilder.of(c.type(), rows.length)).toList();
    for (String r : rows) {
      String[] fields = r.split("\\|", -1);
      for (int c = 0; c < out.size(); c++) {
        if (c >= fields.length || fields[c].isEmpty()) {
          out.get(c).appendNull();
          continue;
        }
        byte[] b = fields[c].getBytes(StandardCharsets.UTF_8);
        TypeCodecs.of(out.get(c).type())
            .parseText(b, 0, b.length, out.get(c), SessionFormat.DEFAULT);
      }
    }
    return new Batch(out.stream().map(VectorBuilder::build).toList(), rows.length);
  }

  void write(TableWrite... writes) {
    await(writer.commit(List.of(writes), List.of()));
  }

  void insert(String table, String... rows) {
    write(put(table, rows));
  }

  /** Takes a part of the table's rows away; nobody hears of it. */
  void truncate(String table, Truncation what) {
    await(engine.request(new RegionRequest.Truncate(info(table).regions(), what)));
  }

  /** Merges the table's files. */
  void compact(String table) {
    info(table).regions().forEach(r -> await(engine.request(new RegionRequest.Compact(r, false))));
  }

  void truncate(String table) {
    await(tables.truncate(info(table)));
    writer.truncated(info(table));
  }

  /** Writes the memtables to files. */
  void flushTable(String table) {
    await(tables.flush(info(table)));
  }

  // ---- flows

  Planner.PlanContext context() {
    return new Planner.PlanContext(
        catalog.snapshot(), "millrace", "user", List.of("public"), Map.of(), List.of());
  }

  void createFlow(String sql) {
    var s = (Statement.CreateFlow) new StatementParser().parse(sql).getFirst().statement();
    await(flows().create(s, sql, context(), n -> {}));
  }

  FlowInfo flow(String name) {
    return catalog.snapshot().flow("millrace", "public", name).orElseThrow();
  }

  /** FLUSH_FLOW. */
  long flushFlow(String name) {
    return await(flows().flush(flow(name)));
  }

  /** FLUSH_FLOW in whose course the machine stops. */
  void flushUntilStopped(String name) {
    CompletableFuture<Long> f = flows().flush(flow(name));
    try {
      f.get(20, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      if (!machine.stopped()) {
        throw new AssertionError(e);
      }
    } catch (TimeoutException | InterruptedException e) {
      throw new AssertionError("neither flushed nor stopped", e);
    }
  }

  /** Rows of a query as text, fields parted by '|', sorted. */
  List<String> query(String sql) {
    var out = new ArrayList<String>();
    Planner.PlannedQuery q = planner.planQuery(sql, context());
    var done = new CompletableFuture<Void>();
    QueryEngine.Query run =
        queries.open(
            q.template(),
            new QueryEngine.QueryContext(
                catalog.snapshot(),
                q.literals(),
                SessionFormat.DEFAULT,
                clock.wallMicros(),
                clock.wallMicros(),
                null,
                Map.of(),
                new QueryEngine.SessionInfo("millrace", "user", List.of("public"), 1, Map.of()),
                false),
            new Rows(out, done));
    run.demand(Long.MAX_VALUE);
    try {
      await(done);
    } finally {
      run.close();
    }
    out.sort(null);
    return out;
  }

  private record Rows(List<String> out, CompletableFuture<Void> done)
      implements QueryEngine.ResultSink {
    @Override
    public boolean ready() {
      return true;
    }

    @Override
    public void rows(Batch batch, int from, int count) {
      for (int r = from; r < from + count; r++) {
        var s = new StringBuilder();
        for (int c = 0; c < batch.width(); c++) {
          s.append(c > 0 ? "|" : "");
          Vector v = batch.column(c);
          if (!v.isNull(r)) {
            var text = new ByteSink(32);
            TypeCodecs.of(v.type()).writeText(v, r, text, SessionFormat.DEFAULT);
            s.append(new String(text.toByteArray(), StandardCharsets.UTF_8));
          }
        }
        out.add(s.toString());
      }
    }

    @Override
    public void suspended() {}

    @Override
    public void completed() {
      done.complete(null);
    }

    @Override
    public void failed(MillraceException error) {
      done.completeExceptionally(error);
    }
  }

  static <T> T await(CompletableFuture<T> f) {
    try {
      return f.orTimeout(30, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof MillraceException m) {
        throw m;
      }
      throw e;
    }
  }
}
