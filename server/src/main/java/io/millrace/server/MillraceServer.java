package io.millrace.server;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.flow.FlowService;
import io.millrace.flow.Flows;
import io.millrace.server.config.Config;
import io.millrace.server.config.ConfigReload;
import io.millrace.server.config.LogSetup;
import io.millrace.server.config.WalSync;
import io.millrace.server.session.RoleCredentials;
import io.millrace.server.session.SessionRegistry;
import io.millrace.server.session.SessionServices;
import io.millrace.server.session.Sessions;
import io.millrace.server.session.WriteMemory;
import io.millrace.server.statement.Executors;
import io.millrace.server.statement.StatementServices;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.FileKvBackend;
import io.millrace.sql.catalog.StoredCatalog;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.QueryEngines;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.parser.StatementParser;
import io.millrace.sql.plan.MillPlanner;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.plan.StoredStatistics;
import io.millrace.sql.semantics.Semantics;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.sql.system.SystemCatalog;
import io.millrace.sql.write.RegionTableWriter;
import io.millrace.sql.write.RowIdAllocator;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.wire.ProcessIds;
import io.millrace.wire.http.HttpConfig;
import io.millrace.wire.http.HttpServer;
import io.millrace.wire.net.Tls;
import io.millrace.wire.pg.PgConfig;
import io.millrace.wire.pg.PgServer;
import io.millrace.wire.pg.auth.Authenticator;
import io.millrace.wire.pg.auth.PasswordAuthenticator;
import io.millrace.wire.pg.auth.TrustAuthenticator;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole server: everything made by plain constructors, started in order, stopped in the reverse
 * order.
 */
public final class MillraceServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MillraceServer.class);
  private static final long START_LIMIT_SECONDS = 600;

  private final Config config;
  private final PgServer pg;
  private final HttpServer http;
  private final Deque<AutoCloseable> stack;

  private MillraceServer(Config config, PgServer pg, HttpServer http, Deque<AutoCloseable> stack) {
    this.config = config;
    this.pg = pg;
    this.http = http;
    this.stack = stack;
  }

  /**
   * Starts everything; what was started is stopped again when a later part fails.
   *
   * @throws MillraceException with what is in the way: a busy port, a locked data directory, damage
   */
  public static MillraceServer start(Config config) {
    return start(config, () -> config);
  }

  /**
   * The same.
   *
   * @param again reads the configuration anew, for ADMIN reload_config
   */
  public static MillraceServer start(Config config, Supplier<Config> again) {
    var stack = new ArrayDeque<AutoCloseable>();
    try {
      return start(config, new ConfigReload(config, again), stack);
    } catch (RuntimeException e) {
      closeAll(stack);
      throw e;
    }
  }

  private static MillraceServer start(
      Config config, ConfigReload reload, Deque<AutoCloseable> stack) {
    Path data = config.data().dir().toAbsolutePath().normalize();
    int threads = config.query().effectiveThreads();
    EngineEnvironment environment =
        RegionEngines.localEnvironment(Math.max(2, threads), config.compaction().jobs());
    Clock clock = environment.clock();
    Scheduler scheduler = environment.scheduler();
    EngineConfig engineConfig = engineConfig(config, threads);
    RegionEngine engine =
        switch (config.wal().onDamage()) {
          case SHUT -> RegionEngines.open(data, engineConfig, environment);
          case CUT -> RegionEngines.repair(data, engineConfig, environment);
        };
    stack.push(engine);

    ExecutorService catalogThread =
        java.util.concurrent.Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("millrace-catalog").factory());
    stack.push(catalogThread::shutdown);
    FileKvBackend backend = FileKvBackend.open(data.resolve("catalog"));
    stack.push(backend);
    var catalog = new StoredCatalog(backend, catalogThread);
    stack.push(catalog);
    var tables = new TableProcedures(catalog, engine, clock);
    await("opening the regions", tables.openAll());

    var settings = new SettingDefinitions();
    var registry = new SessionRegistry();
    var seeds = new AtomicLong(clock.wallMicros());
    var system = new SystemCatalog(settings, engine);
    FunctionRegistry.Builder kernels = FunctionRegistry.builder();
    system.register(kernels);
    FunctionRegistry registryOfFunctions = kernels.build();
    Semantics semantics = Semantics.load(registryOfFunctions);
    system.describe(semantics);
    QueryEngine queries =
        QueryEngines.create(
            new QueryEngines.Services(
                engine,
                registryOfFunctions,
                system,
                clock,
                scheduler,
                () -> new SplittableRandom(seeds.getAndIncrement())),
            new QueryEngines.Limits(
                threads,
                config.query().memoryPerQuery().bytes(),
                config.query().memory().bytes(),
                data.resolve("tmp"),
                Long.MAX_VALUE));
    stack.push(queries);
    var evaluator = new ExprEvaluator(registryOfFunctions);
    Planner planner =
        new MillPlanner(
            new MillPlanner.Services(
                new StatementParser(),
                semantics,
                system,
                registryOfFunctions,
                clock,
                new StoredStatistics(engine),
                config.query().planCache().bytes()));
    var writer = new RegionTableWriter(engine);
    FlowService flows =
        Flows.create(
            new Flows.Services(
                engine, queries, catalog, writer, tables, planner, evaluator, clock, scheduler),
            new Flows.Settings(
                config.flow().minRefresh().toNanos() / 1000,
                config.flow().reconcileInterval().toNanos() / 1000));
    stack.push(flows);
    system.connect(new ServerSources(registry, flows, settings, catalog.sequenceValues()));
    await("starting the flows", flows.start());

    var writeMemory = new WriteMemory(config.query().memory().bytes());
    var statementServices =
        new StatementServices(
            engine,
            queries,
            catalog,
            tables,
            writer,
            new RowIdAllocator(engine, clock),
            planner,
            evaluator,
            flows,
            settings,
            registry,
            clock,
            () -> new SplittableRandom(seeds.getAndIncrement()),
            config.query().memoryPerQuery().bytes(),
            writeMemory,
            config.copyFolder(),
            reload);
    var sessions =
        new Sessions(
            new SessionServices(
                engine,
                queries,
                catalog,
                tables,
                writer,
                planner,
                new Executors(statementServices),
                settings,
                system,
                registry,
                clock,
                scheduler,
                config.query().memoryPerQuery().bytes(),
                writeMemory));
    var processIds = new ProcessIds();
    PgServer pg =
        PgServer.start(
            PgConfig.of(config.server().host(), config.pg().port())
                .withLimits(
                    config.limits().connections(),
                    config.limits().loginDeadline(),
                    (int) config.limits().message().bytes())
                .withTls(tls(config.tls()), config.tls().required()),
            sessions,
            authenticator(config.auth(), catalog, clock),
            processIds);
    reload.on("log.level", LogSetup::level);
    reload.on("limits.connections", c -> pg.limit(c.limits().connections()));
    stack.push(() -> pg.shutdown(config.server().shutdownGrace()));
    HttpServer http =
        HttpServer.start(
            HttpConfig.of(config.server().host(), config.http().port()),
            sessions,
            new ServerHealth(pg, clock, clock.wallMicros()),
            new ServerMetrics(engine, pg, flows),
            processIds);
    stack.push(http);
    LOG.info("listening for PostgreSQL on port {} and for HTTP on port {}", pg.port(), http.port());
    return new MillraceServer(config, pg, http, stack);
  }

  private static @Nullable Tls tls(Config.Tls tls) {
    return tls.cert().isBlank() ? null : Tls.of(Path.of(tls.cert()), Path.of(tls.key()));
  }

  private static Authenticator authenticator(Config.Auth auth, Catalog catalog, Clock clock) {
    return switch (auth.method()) {
      case TRUST -> new TrustAuthenticator();
      case SCRAM -> passwords(catalog, PasswordAuthenticator.Method.SCRAM, clock);
      case PASSWORD -> passwords(catalog, PasswordAuthenticator.Method.CLEAR, clock);
    };
  }

  private static Authenticator passwords(
      Catalog catalog, PasswordAuthenticator.Method method, Clock clock) {
    return new PasswordAuthenticator(
        new RoleCredentials(catalog), method, clock, new SecureRandom());
  }

  private static EngineConfig engineConfig(Config config, int threads) {
    int workers = Math.max(1, Integer.highestOneBit(threads));
    WalSync wal = config.wal().sync();
    return new EngineConfig(
        switch (wal) {
          case WalSync.OnCommit c -> EngineConfig.WalSync.COMMIT;
          case WalSync.Interval i -> EngineConfig.WalSync.INTERVAL;
          case WalSync.None n -> EngineConfig.WalSync.NONE;
        },
        wal instanceof WalSync.Interval(var every) ? every.toNanos() / 1000 : 0,
        config.wal().segmentSize().bytes(),
        config.storage().writeBuffer().bytes(),
        config.storage().writeBuffer().bytes() * 2,
        config.storage().regionWriteBuffer().bytes(),
        config.storage().reserve().bytes(),
        config.storage().pageCache().bytes(),
        workers,
        EngineConfig.DEFAULT.autoFlushMicros(),
        config.compaction().jobs(),
        config.storage().indexCache().bytes(),
        config.compaction().ioPerSecond().bytes(),
        config.compaction().memory().bytes());
  }

  private static void await(String what, CompletableFuture<?> work) {
    try {
      work.get(START_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof MillraceException m) {
        throw m;
      }
      throw new MillraceException(ErrorCode.INTERNAL_ERROR, what + " failed", e.getCause());
    } catch (TimeoutException e) {
      throw new MillraceException(
          ErrorCode.CANNOT_CONNECT_NOW, what + " took more than ten minutes", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.ADMIN_SHUTDOWN, what + " was interrupted", e);
    }
  }

  public int pgPort() {
    return pg.port();
  }

  public int httpPort() {
    return http.port();
  }

  public String host() {
    return config.server().host();
  }

  private static void closeAll(Deque<AutoCloseable> stack) {
    while (!stack.isEmpty()) {
      try {
        stack.pop().close();
      } catch (Exception e) {
        LOG.error("a part of the server did not stop cleanly", e);
      }
    }
  }

  /** Stops: lets statements finish within the grace period, then everything in reverse order. */
  @Override
  public void close() {
    closeAll(stack);
  }
}
