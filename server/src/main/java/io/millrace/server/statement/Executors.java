package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import io.millrace.wire.Notice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Gives each statement to its executor. */
public final class Executors implements StatementExecutor {
  private final StatementServices services;
  private final DmlSupport dml;
  private final InsertExecutor insert;
  private final StepExecutor steps;
  private final DdlExecutor ddl;
  private final SettingExecutor settings;
  private final ShowExecutor show;
  private final AdminExecutor admin;
  private final ExplainExecutor explain;
  private final CopyExecutor copy;
  private final AlterExecutor alter;
  private final SequenceExecutor sequences;
  private final TruncateExecutor truncate;
  private final IndexExecutor indexes;
  private final RoleExecutor roles;
  private final ObjectExecutor objects;
  private final CommentExecutor comments;
  private final TypeExecutor types;
  private final MaterializedViews materialized;

  public Executors(StatementServices services) {
    this.services = services;
    this.dml = new DmlSupport(services);
    var uniques = new UniqueKeys(dml);
    this.insert = new InsertExecutor(dml, uniques);
    this.steps = new StepExecutor(dml, insert, new ChangeExecutor(dml, uniques));
    this.ddl = new DdlExecutor(services);
    this.materialized = new MaterializedViews(services, ddl, insert, steps);
    this.truncate = new TruncateExecutor(services, dml);
    this.settings = new SettingExecutor(services.settings());
    this.show = new ShowExecutor(services);
    this.admin = new AdminExecutor(services, dml);
    this.explain = new ExplainExecutor(services);
    this.copy = new CopyExecutor(services, dml, insert);
    this.alter = new AlterExecutor(dml, insert);
    this.sequences = new SequenceExecutor(services);
    this.indexes = new IndexExecutor(services, dml);
    this.types = new TypeExecutor(services, alter);
    this.roles = new RoleExecutor(services);
    this.objects = new ObjectExecutor(services, sequences, indexes, types, roles);
    this.comments = new CommentExecutor(services);
  }

  private static CompletableFuture<Outcome> now(Outcome outcome) {
    return CompletableFuture.completedFuture(outcome);
  }

  private static CompletableFuture<Outcome> done(String tag) {
    return now(new Outcome.Done(tag));
  }

  @Override
  public CompletableFuture<Outcome> execute(
      SessionContext session, Planner.Planned planned, String text, List<Vector> parameters) {
    return switch (planned) {
      case Planner.PlannedQuery q -> collect(session, q, parameters);
      case Planner.PlannedDml d -> spilled(session, steps.run(session, d.plan(), parameters));
      case Planner.PlannedUtility(var statement) -> utility(session, statement, text);
    };
  }

  private CompletableFuture<Outcome> collect(
      SessionContext session, Planner.PlannedQuery q, List<Vector> parameters) {
    return dml.collect(session, q.template(), parameters, null)
        .thenApply(
            rows ->
                new Outcome.Rows(
                    q.template().columns(),
                    rows,
                    "SELECT " + rows.stream().mapToLong(Batch::rows).sum()));
  }

  /** Writes the transaction's rows ahead of its commit when they have become many. */
  private CompletableFuture<Outcome> spilled(
      SessionContext session, CompletableFuture<Outcome> statement) {
    return Async.then(session, statement, outcome -> dml.spill(session).thenApply(v -> outcome));
  }

  private CompletableFuture<Outcome> utility(
      SessionContext session, Statement statement, String text) {
    return switch (statement) {
      case Statement.Begin b -> session.transactions().begin(b.modes(), beginTag(text));
      case Statement.Commit c -> session.transactions().commit(c.chain());
      case Statement.Rollback r -> session.transactions().rollback(r.chain());
      case Statement.Savepoint s -> now(session.transactions().savepoint(s.name().text()));
      case Statement.ReleaseSavepoint s -> now(session.transactions().release(s.name().text()));
      case Statement.RollbackToSavepoint s ->
          now(session.transactions().rollbackTo(s.name().text()));
      case Statement.SetTransaction s -> now(session.transactions().set(s));
      case Statement.SetConstraints s -> done("SET CONSTRAINTS");
      case Statement.SetVariable s -> now(settings.set(session, s));
      case Statement.ResetVariable r -> now(settings.reset(session, r));
      case Statement.ShowVariable s -> now(settings.show(session, s));
      case Statement.ShowVariables s -> now(settings.showAll(session, s));
      case Statement.Discard d ->
          d.what().equalsIgnoreCase("all") || d.what().toLowerCase(Locale.ROOT).startsWith("temp")
              ? session.dropTemporary().thenApply(v -> settings.discard(session, d))
              : now(settings.discard(session, d));
      case Statement.Use u -> {
        session.useDatabase(u.database().text());
        yield done("USE");
      }
      case Statement.CreateTable c -> ddl.createTable(session, c);
      case Statement.CreateTableAs c -> createTableAs(session, c);
      case Statement.DropTable d -> ddl.dropTable(session, d);
      case Statement.Truncate t -> truncate.truncate(session, t);
      case Statement.AlterTable a -> {
        Optional<Statement.AlterObject> other = AlterExecutor.other(session, a);
        yield other.isEmpty()
            ? alter.run(session, a)
            : objects.alter(session, other.get()).thenApply(o -> new Outcome.Done("ALTER TABLE"));
      }
      case Statement.CreateView v -> ddl.createView(session, v);
      case Statement.DropView v ->
          v.materialized() ? materialized.drop(session, v) : ddl.dropView(session, v);
      case Statement.CreateMaterializedView v -> materialized.create(session, v);
      case Statement.RefreshMaterializedView r -> materialized.refresh(session, r);
      case Statement.CreateSchema s -> ddl.createSchema(session, s);
      case Statement.DropSchema s -> ddl.dropSchema(session, s);
      case Statement.CreateDatabase d -> ddl.createDatabase(session, d);
      case Statement.DropDatabase d -> ddl.dropDatabase(session, d);
      case Statement.CommentOn c -> comments.run(session, c);
      case Statement.CreateSequence c -> sequences.create(session, c);
      case Statement.CreateIndex c -> indexes.create(session, c);
      case Statement.DropIndex d -> indexes.drop(session, d);
      case Statement.Reindex x -> indexes.reindex(session, x);
      case Statement.CreateRole r -> roles.put(session, r);
      case Statement.AlterObject a ->
          materialized
              .alter(session, a)
              .map(t -> alter.run(session, t).thenApply(o -> MaterializedViews.altered()))
              .orElseGet(() -> objects.alter(session, a));
      case Statement.DropObject d -> objects.drop(session, d);
      case Statement.CreateExtension e -> objects.extension(e);
      case Statement.CreateFlow f -> createFlow(session, f, text);
      case Statement.DropFlow f -> dropFlow(session, f);
      case Statement.AlterFlow f ->
          services
              .flows()
              .alter(Names.flow(session, f.name()), f, session.planContext(List.of()))
              .thenApply(v -> new Outcome.Done("ALTER FLOW"));
      case Statement.ExplainFlow f -> {
        var rows = new TextRows("QUERY PLAN");
        services.flows().explain(Names.flow(session, f.name())).forEach(rows::row);
        yield now(rows.done("EXPLAIN"));
      }
      case Statement.Explain e -> explain.run(session, e, text);
      case Statement.Admin a -> admin.run(session, a);
      case Statement.Copy c -> copy.run(session, c);
      case Statement.CopyDatabase c -> copy.database(session, c);
      case Statement.ShowTables s -> now(show.tables(session, s));
      case Statement.ShowDatabases s -> now(show.databases(session, s));
      case Statement.ShowViews s -> now(show.views(session, s));
      case Statement.ShowFlows s -> now(show.flows(session, s));
      case Statement.ShowFlowStatus s -> now(show.flowStatus(s));
      case Statement.ShowColumns s -> now(show.columns(session, s));
      case Statement.ShowIndex s -> now(show.index(session, s));
      case Statement.ShowRegion s -> now(show.regions(session, s));
      case Statement.ShowCreate s -> now(show.create(session, s));
      case Statement.ShowProcessList s -> now(show.processes(session, s));
      case Statement.ShowOther s -> now(show.other(s));
      case Statement.Describe d -> now(show.describe(session, d));
      case Statement.Prepare p ->
          now(session.prepared().prepare(p, session.planContext(List.of())));
      case Statement.Execute e -> executePrepared(session, e);
      case Statement.Deallocate d ->
          now(session.prepared().deallocate(d.name() == null ? null : d.name().text()));
      case Statement.DeclareCursor d -> session.prepared().declare(d);
      case Statement.Fetch f -> session.prepared().fetch(f);
      case Statement.CloseCursor c ->
          now(session.prepared().close(c.name() == null ? null : c.name().text()));
      case Statement.Listen l -> {
        session.listen(l.channel().text());
        yield done("LISTEN");
      }
      case Statement.Unlisten u -> {
        session.unlisten(u.channel() == null ? null : u.channel().text());
        yield done("UNLISTEN");
      }
      case Statement.Notify n -> {
        services
            .registry()
            .notify(
                session.processId(), n.channel().text(), n.payload() == null ? "" : n.payload());
        yield done("NOTIFY");
      }
      case Statement.LockTable l -> {
        if (!session.transaction().explicit()) {
          throw new MillraceException(
              ErrorCode.NO_ACTIVE_SQL_TRANSACTION,
              "LOCK TABLE can only be used in transaction blocks");
        }
        yield lockTables(session, l);
      }
      case Statement.Kill k -> {
        services.registry().cancel(Integer.parseInt(k.id()));
        yield done("KILL");
      }
      case Statement.Vacuum v -> maintenance(session, v.tables(), "VACUUM");
      case Statement.Analyze a -> maintenance(session, a.tables(), "ANALYZE");
      case Statement.Checkpoint c -> checkpoint();
      case Statement.CreateEnum e -> types.create(session, e);
      case Statement.CreateDomain d -> types.create(session, d);
      case Statement.NoEffect n -> done(n.tag());
      case Statement.Grant g -> done(g.revoke() ? "REVOKE" : "GRANT");
      default ->
          throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              statement
                      .getClass()
                      .getSimpleName()
                      .replaceAll("([a-z])([A-Z])", "$1 $2")
                      .toUpperCase(java.util.Locale.ROOT)
                  + " is not part of this version");
    };
  }

  /**
   * LOCK TABLE. The modes that let others change rows take nothing; the others keep everybody else
   * from locking rows.
   */
  private CompletableFuture<Outcome> lockTables(SessionContext session, Statement.LockTable l) {
    List<TableInfo> tables = l.tables().stream().map(t -> Names.table(session, t)).toList();
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    boolean weak =
        switch (l.mode().toUpperCase(Locale.ROOT)) {
          case "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE" -> true;
          default -> false;
        };
    if (!weak) {
      for (TableInfo t : tables) {
        all = Async.then(session, all, v -> dml.lockTable(session, t, l.nowait()));
      }
    }
    return all.thenApply(v -> new Outcome.Done("LOCK TABLE"));
  }

  private static String beginTag(String text) {
    return text.stripLeading().regionMatches(true, 0, "start", 0, 5)
        ? "START TRANSACTION"
        : "BEGIN";
  }

  private CompletableFuture<Outcome> maintenance(
      SessionContext session, List<QualifiedName> tables, String tag) {
    tables.forEach(t -> Names.table(session, t));
    return done(tag);
  }

  private CompletableFuture<Outcome> checkpoint() {
    var all = new ArrayList<CompletableFuture<?>>();
    for (var r : services.engine().regions()) {
      all.add(
          services.engine().request(new io.millrace.storage.RegionRequest.Flush(r, "checkpoint")));
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(v -> new Outcome.Done("CHECKPOINT"));
  }

  private CompletableFuture<Outcome> createTableAs(
      SessionContext session, Statement.CreateTableAs s) {
    Planner.PlannedQuery q =
        services.planner().planQuery(s.query(), session.planContext(List.of()));
    if (s.ifNotExists() && Names.isRelation(session, s.name())) {
      Ddl.exists(session, ErrorCode.DUPLICATE_TABLE, "relation \"" + s.name().name() + "\"");
      return done("CREATE TABLE AS");
    }
    return Async.then(
        session,
        ddl.createFor(session, s, q),
        table -> {
          if (!s.withData()) {
            return done("CREATE TABLE AS");
          }
          return insert.fill(session, table, q);
        });
  }

  private CompletableFuture<Outcome> createFlow(
      SessionContext session, Statement.CreateFlow f, String text) {
    DmlSupport.requireWritable(session, "CREATE FLOW");
    return services
        .flows()
        .create(f, text, session.planContext(List.of()), m -> session.notice(Notice.notice(m)))
        .thenApply(v -> new Outcome.Done("CREATE FLOW"));
  }

  private CompletableFuture<Outcome> dropFlow(SessionContext session, Statement.DropFlow f) {
    DmlSupport.requireWritable(session, "DROP FLOW");
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (QualifiedName n : f.names()) {
      Optional<FlowInfo> found = Names.findFlow(session, n);
      if (found.isEmpty() && f.ifExists()) {
        session.notice(Notice.notice("flow \"" + n.name() + "\" does not exist, skipping"));
        continue;
      }
      FlowInfo flow = found.orElseGet(() -> Names.flow(session, n));
      all = all.thenCompose(v -> services.flows().drop(flow));
    }
    return all.thenApply(v -> new Outcome.Done("DROP FLOW"));
  }

  private CompletableFuture<Outcome> executePrepared(SessionContext session, Statement.Execute e) {
    List<SqlType> types = session.prepared().parameterTypes(e.name().text());
    if (types.size() != e.arguments().size()) {
      throw new MillraceException(
              ErrorCode.SYNTAX_ERROR,
              "wrong number of parameters for prepared statement \"" + e.name().text() + "\"")
          .withDetail(
              "Expected " + types.size() + " parameters but got " + e.arguments().size() + ".");
    }
    Planner.PlanContext context = session.planContext(List.of());
    var values = new ArrayList<Vector>();
    for (int i = 0; i < types.size(); i++) {
      ParsedExpression argument = e.arguments().get(i);
      SqlType type = types.get(i);
      var expr =
          ColumnSpecs.placed(
              argument, () -> services.planner().planDefault(argument.text(), type, context));
      values.add(services.evaluator().constant(expr, List.of(), dml.evalContext(session)));
    }
    return session.prepared().execute(e.name().text(), values);
  }

  @Override
  public @Nullable List<PlanTemplate.ResultColumn> describe(
      SessionContext session, Planner.Planned planned) {
    if (!(planned instanceof Planner.PlannedUtility(var statement))) {
      return null;
    }
    return switch (statement) {
      case Statement.ShowVariable s -> settings.describeShow(s);
      case Statement.ShowVariables s -> TextRows.columns("name", "setting", "description");
      case Statement.Explain e -> ExplainExecutor.describe();
      case Statement.ExplainFlow e -> ExplainExecutor.describe();
      case Statement.Admin a -> admin.describe(a);
      case Statement.Execute e -> session.prepared().describe(e.name().text());
      case Statement.Fetch f ->
          f.move() ? null : session.prepared().cursorColumns(f.cursor().text());
      default -> show.describe(statement);
    };
  }
}
