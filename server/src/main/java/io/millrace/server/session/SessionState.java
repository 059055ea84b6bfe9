package io.millrace.server.session;

import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Scheduler;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.session.SequenceMemory;
import io.millrace.sql.session.SettingDefinition;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.storage.Snapshot;
import io.millrace.wire.Backend;
import io.millrace.wire.Notice;
import io.millrace.wire.StartupInfo;
import io.millrace.wire.TransactionStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a session remembers between messages: settings, transaction, database, cursors, SQL-level
 * prepared statements. Used from the session's serial tasks; {@link #cancel}, {@link #activity} and
 * {@link #deliver} from anywhere.
 */
final class SessionState implements SessionContext, SessionTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(SessionState.class);

  private final SessionServices services;
  private final StartupInfo startup;
  private final Backend backend;
  private final SessionSettings settings;
  private final SqlPrepared prepared;
  private final CancelHook cancelHook = new CancelHook();
  private final Set<String> channels = ConcurrentHashMap.newKeySet();
  private final SequenceMemory sequences = new SequenceMemory();
  private final long backendStart;
  private volatile String database;
  private volatile String databaseAlias;
  private volatile String activeQuery = "";
  private @Nullable Map<String, String> reported;
  private @Nullable SearchPath path;

  /** The schema that USE named; comes before the search path until USE names a database. */
  private @Nullable String usedSchema;

  private volatile boolean active;
  private volatile long queryStart;
  private volatile long stateChange;
  private volatile long transactionStart;
  private @Nullable ClientSession session;
  private @Nullable Runnable windowHook;
  private @Nullable TransactionBlock transaction;
  private Scheduler.@Nullable Cancellable timer;
  private CatalogSnapshot catalog;

  SessionState(SessionServices services, StartupInfo startup, Backend backend, String database) {
    this.services = services;
    this.startup = startup;
    this.backend = backend;
    this.database = database;
    this.databaseAlias = startup.database();
    this.settings = new SessionSettings(services.settings(), overrides(services, startup));
    settings.force("session_authorization", startup.user());
    this.prepared = new SqlPrepared(this, services);
    this.catalog = services.catalog().snapshot();
    this.backendStart = services.clock().wallMicros();
    this.stateChange = backendStart;
    services.registry().add(this);
  }

  private static Map<String, String> overrides(SessionServices services, StartupInfo startup) {
    var out = new java.util.HashMap<String, String>();
    startup
        .settings()
        .forEach(
            (k, v) -> {
              boolean known =
                  services.settings().find(k).filter(SettingDefinition::settable).isPresent();
              if (known) {
                out.put(k.toLowerCase(Locale.ROOT), services.settings().canonical(k, List.of(v)));
              }
            });
    return out;
  }

  void attach(ClientSession owner) {
    session = owner;
  }

  private ClientSession owner() {
    ClientSession s = session;
    if (s == null) {
      throw new IllegalStateException("session not attached");
    }
    return s;
  }

  void close() {
    stopTimer();
    abandon();
    prepared.discardAll();
    services.registry().remove(this);
    var _ =
        dropTemporary()
            .whenComplete(
                (v, failure) -> {
                  if (failure != null) {
                    LOG.warn(
                        "temporary tables of process {} stay until the next start",
                        processId(),
                        failure);
                  }
                });
  }

  // ---- SessionContext

  @Override
  public SessionSettings settings() {
    return settings;
  }

  @Override
  public boolean running(TransactionBlock block) {
    return transaction == block;
  }

  @Override
  public TransactionBlock transaction() {
    TransactionBlock t = transaction;
    if (t == null) {
      t =
          new TransactionBlock(
              services.engine().locks().newOwner(),
              services.clock().wallMicros(),
              settings.require("default_transaction_isolation"),
              settings.require("default_transaction_read_only").equals("on"),
              services.writeMemory());
      transaction = t;
      transactionStart = t.startMicros();
    }
    return t;
  }

  @Override
  public CatalogSnapshot catalog() {
    return catalog;
  }

  @Override
  public String databaseAlias() {
    return databaseAlias;
  }

  @Override
  public String database() {
    return database;
  }

  @Override
  public String user() {
    return startup.user();
  }

  @Override
  public int processId() {
    return startup.processId();
  }

  @Override
  public void useDatabase(String name) {
    Optional<DatabaseInfo> d = services.catalog().snapshot().database(name);
    if (d.isPresent()) {
      database = d.get().name();
      databaseAlias = name;
      usedSchema = null;
    } else if (isSchema(name)) {
      usedSchema = name;
    } else {
      throw unknownDatabase(services.catalog(), name);
    }
    path = null;
  }

  private boolean isSchema(String name) {
    return name.equals("information_schema")
        || name.equals("pg_catalog")
        || catalog.schemas(database).stream().anyMatch(s -> s.name().equals(name));
  }

  static MillraceException unknownDatabase(Catalog catalog, String name) {
    var names = new ArrayList<String>();
    catalog.snapshot().databases().forEach(d -> names.add(d.name()));
    return new MillraceException(
            ErrorCode.INVALID_CATALOG_NAME, "database \"" + name + "\" does not exist")
        .withHint("Databases: " + String.join(", ", names) + ".");
  }

  @Override
  public Planner.PlanContext planContext(List<@Nullable SqlType> declared) {
    return new Planner.PlanContext(
        catalog, database, user(), searchPath(), settings.values(), declared);
  }

  /** The search path, and what it was made of: several steps of each statement want it. */
  private record SearchPath(
      CatalogSnapshot catalog,
      String database,
      Map<String, String> settings,
      String user,
      List<String> schemas) {}

  @Override
  public List<String> searchPath() {
    SearchPath p = path;
    Map<String, String> values = settings.values();
    if (p == null
        || p.catalog() != catalog
        || p.settings() != values
        || !p.database().equals(database)
        || !p.user().equals(user())) {
      p = new SearchPath(catalog, database, values, user(), findSearchPath());
      path = p;
    }
    return p.schemas();
  }

  private List<String> findSearchPath() {
    var known = new HashSet<String>();
    for (SchemaInfo s : catalog.schemas(database)) {
      known.add(s.name());
    }
    var path = new ArrayList<String>();
    for (String n : SettingDefinitions.parseSearchPath(settings.require("search_path"), user())) {
      String schema = n.equals("pg_temp") ? temporarySchema() : n;
      if (known.contains(schema) || n.equals("pg_catalog") || n.equals("information_schema")) {
        path.add(schema);
      }
    }
    String used = usedSchema;
    if (used != null && !path.contains(used)) {
      path.addFirst(used);
    }
    if (known.contains(temporarySchema()) && !path.contains(temporarySchema())) {
      path.addFirst(temporarySchema());
    }
    return List.copyOf(path);
  }

  @Override
  public String temporarySchema() {
    return TableProcedures.TEMPORARY_SCHEMA + processId();
  }

  @Override
  public SequenceMemory sequences() {
    return sequences;
  }

  private boolean hasTemporary(CatalogSnapshot c) {
    return c.schemas(database).stream().anyMatch(s -> s.name().equals(temporarySchema()));
  }

  @Override
  public CompletableFuture<Void> dropTemporary() {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    CatalogSnapshot c = services.catalog().snapshot();
    for (DatabaseInfo d : c.databases()) {
      if (c.schemas(d.name()).stream().anyMatch(s -> s.name().equals(temporarySchema()))) {
        all = all.thenCompose(v -> services.tables().dropTemporary(d.name(), temporarySchema()));
      }
    }
    return all;
  }

  /**
   * ON COMMIT of temporary tables.
   *
   * @param written tables that the transaction wrote to
   */
  private CompletableFuture<Void> onCommit(Set<TableId> written, boolean committed) {
    CatalogSnapshot c = services.catalog().snapshot();
    if (!hasTemporary(c)) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (TableInfo t : c.tables(database)) {
      if (!t.schema().equals(temporarySchema()) || t.onCommit().isEmpty()) {
        continue;
      }
      if (t.onCommit().equals("drop")) {
        all = all.thenCompose(v -> services.tables().drop(List.of(t.id())));
      } else if (committed && t.onCommit().equals("delete rows") && written.contains(t.id())) {
        all = all.thenCompose(v -> services.tables().truncate(t)).thenAccept(n -> {});
      }
    }
    return all;
  }

  @Override
  public QueryEngine.QueryContext queryContext(List<Vector> parameters) {
    TransactionBlock t = transaction();
    return new QueryEngine.QueryContext(
        catalog,
        parameters,
        settings.format(),
        t.startMicros(),
        queryStart,
        snapshotFor(t),
        t.readOverlays(),
        new QueryEngine.SessionInfo(
            databaseAlias, user(), searchPath(), processId(), settings.values()),
        false);
  }

  /** How results are written: with names for oids of the catalog. */
  SessionFormat outputFormat() {
    QueryEngine.SessionInfo info =
        new QueryEngine.SessionInfo(
            databaseAlias, user(), searchPath(), processId(), settings.values());
    return settings.format().withNames(services.system().names(catalog, info));
  }

  private @Nullable Snapshot snapshotFor(TransactionBlock t) {
    if (!t.repeatable()) {
      return null;
    }
    Snapshot first = t.firstSnapshot();
    if (first == null) {
      first = services.engine().snapshot(services.engine().regions());
      t.keepSnapshot(first);
    }
    return first;
  }

  @Override
  public void notice(Notice notice) {
    if (rank(notice.severity()) >= rank(settings.require("client_min_messages"))) {
      backend.notice(notice);
    }
  }

  private static int rank(Notice.Severity severity) {
    return switch (severity) {
      case DEBUG -> 1;
      case LOG -> 2;
      case NOTICE -> 3;
      case WARNING -> 4;
      case INFO -> 6;
    };
  }

  private static int rank(String level) {
    return switch (level) {
      case "log" -> 2;
      case "notice" -> 3;
      case "warning" -> 4;
      case "error" -> 5;
      default -> 1;
    };
  }

  @Override
  public void serial(Runnable task) {
    owner().serial(task);
  }

  @Override
  public void onCancel(@Nullable Consumer<MillraceException> hook) {
    cancelHook.set(hook);
    if (hook == null) {
      stopTimer();
    }
  }

  @Override
  public void onWindow(@Nullable Runnable hook) {
    windowHook = hook;
  }

  void windowOpened() {
    Runnable hook = windowHook;
    if (hook != null) {
      hook.run();
    }
  }

  @Override
  public SessionTransactions transactions() {
    return this;
  }

  @Override
  public PreparedStatements prepared() {
    return prepared;
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public CompletableFuture<Outcome> copyIn(CopyHandler handler) {
    return owner().copyIn(handler);
  }

  @Override
  public void listen(String channel) {
    channels.add(channel);
  }

  @Override
  public void unlisten(@Nullable String channel) {
    if (channel == null) {
      channels.clear();
    } else {
      channels.remove(channel);
    }
  }

  void deliver(int senderPid, String channel, String payload) {
    if (channels.contains(channel)) {
      serial(
          () -> {
            backend.notification(senderPid, channel, payload);
            backend.flush();
          });
    }
  }

  // ---- cancelling

  void cancel(MillraceException reason) {
    cancelHook.cancel(reason);
  }

  void cancelByUser() {
    cancel(
        new MillraceException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request"));
  }

  /** Ends the session: the statement that runs is cancelled, the client is told why. */
  void terminate() {
    var reason =
        new MillraceException(
            ErrorCode.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
    cancel(reason);
    serial(
        () -> {
          backend.fatal(reason);
          backend.flush();
        });
  }

  /** Arms statement_timeout for the statement that starts now. */
  void startTimer() {
    long millis = Long.parseLong(settings.require("statement_timeout"));
    stopTimer();
    if (millis > 0) {
      timer =
          services
              .scheduler()
              .after(
                  millis * 1000,
                  () ->
                      cancel(
                          new MillraceException(
                              ErrorCode.QUERY_CANCELED,
                              "canceling statement due to statement timeout")));
    }
  }

  private void stopTimer() {
    Scheduler.Cancellable t = timer;
    timer = null;
    if (t != null) {
      t.cancel();
    }
  }

  // ---- statements and transactions

  /** A statement (or a message of one) begins: newest catalog, clock. */
  void begin(boolean only) {
    catalog = services.catalog().snapshot();
    queryStart = services.clock().wallMicros();
    stateChange = queryStart;
    active = true;
  }

  void setActiveQuery(String text) {
    activeQuery = text;
  }

  boolean explicit() {
    TransactionBlock t = transaction;
    return t != null && t.explicit();
  }

  TransactionStatus status() {
    TransactionBlock t = transaction;
    if (t == null || !t.explicit()) {
      return TransactionStatus.IDLE;
    }
    return t.failed() ? TransactionStatus.FAILED : TransactionStatus.IN_TRANSACTION;
  }

  /**
   * A statement failed: an implicit transaction is over, an explicit one can only be rolled back.
   */
  void statementFailed() {
    cancelHook.set(null);
    stopTimer();
    TransactionBlock t = transaction;
    if (t == null) {
      return;
    }
    if (t.explicit()) {
      t.fail();
      TransactionBlock.Savepoint s = t.lastSavepoint();
      if (s == null) {
        letGo(t);
      } else { // nothing of what came after it can be committed any more
        services.engine().locks().releaseSince(t.owner(), s.locks());
      }
    } else {
      abandon();
      settings.end(false);
    }
  }

  private void abandon() {
    TransactionBlock t = transaction;
    transaction = null;
    if (t != null) {
      letGo(t);
    }
  }

  /** Gives up what a transaction has written and locked; nothing will come of it. */
  private void letGo(TransactionBlock t) {
    t.closeSnapshot();
    services.writer().discard(t.giveUp());
    t.ended();
    services.engine().locks().releaseAll(t.owner());
  }

  /** Ends an implicit transaction. */
  CompletableFuture<Void> commitImplicit() {
    TransactionBlock t = transaction;
    if (t == null) {
      settings.end(true);
      return CompletableFuture.completedFuture(null);
    }
    return commitWrites(t).thenAccept(v -> settings.end(true));
  }

  /** Commits what is buffered and lets go of locks, whatever comes of it. */
  private CompletableFuture<Void> commitWrites(TransactionBlock t) {
    transaction = null;
    t.closeSnapshot();
    if (t.writes().isEmpty() && t.staged().isEmpty()) {
      t.ended();
      services.engine().locks().releaseAll(t.owner());
      return onCommit(Set.of(), true);
    }
    var written = new HashSet<TableId>();
    t.writes().forEach(w -> written.add(w.table().id()));
    t.staged().forEach(s -> written.add(s.table().id()));
    return services
        .writer()
        .commit(List.copyOf(t.staged()), List.copyOf(t.writes()), List.of())
        .handle(
            (r, failure) -> {
              t.releaseMemory();
              t.ended();
              services.engine().locks().releaseAll(t.owner());
              if (failure != null) {
                throw concurrent(ClientSession.toError(failure));
              }
              return r;
            })
        .thenCompose(r -> onCommit(written, true));
  }

  /**
   * A table that was dropped or written anew since the rows were made: the client may try again.
   */
  private static MillraceException concurrent(MillraceException e) {
    return e.code() == ErrorCode.REGION_NOT_FOUND || e.code() == ErrorCode.REGION_NOT_READY
        ? new MillraceException(
                ErrorCode.SERIALIZATION_FAILURE,
                "could not write to a table that was dropped or rewritten at the same time",
                e)
            .withHint("Try again.")
        : e;
  }

  @Override
  public CompletableFuture<Outcome> begin(Statement.TransactionModes modes, String tag) {
    TransactionBlock t = transaction();
    if (t.explicit()) {
      notice(
          Notice.warning(
              ErrorCode.ACTIVE_SQL_TRANSACTION, "there is already a transaction in progress"));
    } else {
      t.makeExplicit();
      settings.begin();
      t.setIsolation(settings.require("default_transaction_isolation"));
    }
    apply(t, modes);
    return CompletableFuture.completedFuture(new Outcome.Done(tag));
  }

  private void apply(TransactionBlock t, Statement.TransactionModes modes) {
    String isolation = modes.isolation();
    if (isolation != null) {
      String level = isolation.toLowerCase(Locale.ROOT);
      t.setIsolation(level);
      settings.set("transaction_isolation", List.of(level), true);
      if (level.equals("serializable")) {
        notice(Notice.notice("SERIALIZABLE runs as REPEATABLE READ"));
      }
    }
    Boolean readOnly = modes.readOnly();
    if (readOnly != null) {
      t.setReadOnly(readOnly);
      settings.set("transaction_read_only", List.of(readOnly ? "on" : "off"), true);
    }
  }

  @Override
  public CompletableFuture<Outcome> commit(boolean chain) {
    TransactionBlock t = transaction;
    if (t == null || !t.explicit()) {
      notice(
          Notice.warning(
              ErrorCode.NO_ACTIVE_SQL_TRANSACTION, "there is no transaction in progress"));
      return commitImplicit().thenApply(v -> new Outcome.Done("COMMIT"));
    }
    if (t.failed()) {
      return rollback(chain);
    }
    owner().transactionEnded();
    prepared.transactionEnded();
    var result = new CompletableFuture<Outcome>();
    var _ =
        commitWrites(t)
            .whenComplete(
                (v, failure) ->
                    serial(
                        () -> {
                          settings.end(failure == null);
                          if (failure != null) {
                            result.completeExceptionally(failure);
                            return;
                          }
                          if (chain) {
                            chain(t.isolation(), t.readOnly());
                          }
                          result.complete(new Outcome.Done("COMMIT"));
                        }));
    return result;
  }

  @Override
  public CompletableFuture<Outcome> rollback(boolean chain) {
    if (!explicit()) {
      notice(
          Notice.warning(
              ErrorCode.NO_ACTIVE_SQL_TRANSACTION, "there is no transaction in progress"));
    }
    owner().transactionEnded();
    prepared.transactionEnded();
    String isolation = transaction().isolation();
    boolean readOnly = transaction().readOnly();
    abandon();
    settings.end(false);
    if (chain) {
      chain(isolation, readOnly);
    }
    return onCommit(Set.of(), false).thenApply(v -> new Outcome.Done("ROLLBACK"));
  }

  /** Begins a transaction like the one that ended. */
  private void chain(String isolation, boolean readOnly) {
    TransactionBlock next = transaction();
    next.makeExplicit();
    settings.begin();
    next.setIsolation(isolation);
    next.setReadOnly(readOnly);
    settings.set("transaction_isolation", List.of(isolation), true);
    settings.set("transaction_read_only", List.of(readOnly ? "on" : "off"), true);
  }

  private TransactionBlock block(String what) {
    TransactionBlock t = transaction;
    if (t == null || !t.explicit()) {
      throw new MillraceException(
          ErrorCode.NO_ACTIVE_SQL_TRANSACTION, what + " can only be used in transaction blocks");
    }
    return t;
  }

  @Override
  public Outcome savepoint(String name) {
    TransactionBlock t = block("SAVEPOINT");
    t.savepoint(name, settings.save(), services.engine().locks().mark(t.owner()));
    return new Outcome.Done("SAVEPOINT");
  }

  @Override
  public Outcome release(String name) {
    if (!block("RELEASE SAVEPOINT").release(name)) {
      throw noSavepoint(name);
    }
    return new Outcome.Done("RELEASE");
  }

  @Override
  public Outcome rollbackTo(String name) {
    TransactionBlock t = block("ROLLBACK TO SAVEPOINT");
    TransactionBlock.Savepoint s =
        t.rollbackTo(name, services.writer()::route, services.writer()::discard);
    if (s == null) {
      throw noSavepoint(name);
    }
    t.unfail();
    services.engine().locks().releaseSince(t.owner(), s.locks());
    settings.restore(s.settings());
    return new Outcome.Done("ROLLBACK");
  }

  private static MillraceException noSavepoint(String name) {
    return new MillraceException(
        ErrorCode.INVALID_SAVEPOINT_SPECIFICATION, "savepoint \"" + name + "\" does not exist");
  }

  @Override
  public Outcome set(Statement.SetTransaction statement) {
    if (statement.session()) {
      String isolation = statement.modes().isolation();
      if (isolation != null) {
        settings.set(
            "default_transaction_isolation", List.of(isolation.toLowerCase(Locale.ROOT)), false);
      }
      Boolean readOnly = statement.modes().readOnly();
      if (readOnly != null) {
        settings.set("default_transaction_read_only", List.of(readOnly ? "on" : "off"), false);
      }
    } else if (!explicit()) {
      notice(
          Notice.warning(
              ErrorCode.NO_ACTIVE_SQL_TRANSACTION,
              "SET TRANSACTION can only be used in transaction blocks"));
    } else {
      apply(transaction(), statement.modes());
    }
    return new Outcome.Done("SET");
  }

  /** Tells the client the settings it wants to know of, if any may have changed. */
  void reportSettings() {
    Map<String, String> values = settings.values();
    if (values != reported) {
      reported = values;
      report(values);
    }
    active = false;
    stateChange = services.clock().wallMicros();
  }

  private void report(Map<String, String> values) {
    for (SettingDefinition d : services.settings().all()) {
      if (d.reported()) {
        backend.parameterStatus(
            d.name(), values.getOrDefault(d.name().toLowerCase(Locale.ROOT), ""));
      }
    }
  }

  SessionActivity activity() {
    TransactionBlock t = transaction;
    return new SessionActivity(
        processId(),
        databaseAlias,
        user(),
        settings.get("application_name").orElse(""),
        startup.remoteAddress(),
        startup.remotePort(),
        backendStart,
        t == null ? 0 : transactionStart,
        queryStart,
        stateChange,
        active ? "active" : t != null && t.explicit() ? "idle in transaction" : "idle",
        activeQuery);
  }
}
