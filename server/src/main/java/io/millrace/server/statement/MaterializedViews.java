package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.parser.ast.AlterAction;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.plan.Planner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Materialized views: tables that know their query, which nobody but REFRESH writes. REFRESH
 * replaces the rows in one transaction, so that others see the old ones until it is done.
 */
final class MaterializedViews {
  private static final String CREATE = "CREATE MATERIALIZED VIEW";
  private static final String REFRESH = "REFRESH MATERIALIZED VIEW";

  private final StatementServices services;
  private final DdlExecutor ddl;
  private final InsertExecutor insert;
  private final StepExecutor steps;

  MaterializedViews(
      StatementServices services, DdlExecutor ddl, InsertExecutor insert, StepExecutor steps) {
    this.services = services;
    this.ddl = ddl;
    this.insert = insert;
    this.steps = steps;
  }

  CompletableFuture<Outcome> create(SessionContext session, Statement.CreateMaterializedView s) {
    DmlSupport.requireWritable(session, CREATE);
    Planner.PlannedQuery q =
        services.planner().planQuery(s.query(), session.planContext(List.of()));
    if (s.ifNotExists() && Names.isRelation(session, s.name())) {
      Ddl.exists(session, ErrorCode.DUPLICATE_TABLE, "relation \"" + s.name().name() + "\"");
      return Ddl.done(CREATE);
    }
    var table =
        new Statement.CreateTableAs(
            s.name(), false, false, s.columns(), null, s.options(), s.query(), true, null);
    Map<String, String> marks = new HashMap<>();
    marks.put(TableInfo.MATERIALIZED_QUERY, s.query().text());
    if (!s.withData()) {
      marks.put(TableInfo.UNPOPULATED, "true");
    }
    return Async.then(
        session,
        ddl.createFor(session, table, q),
        made -> {
          CompletableFuture<Outcome> filled =
              s.withData() ? insert.fill(session, made, q) : Ddl.done(CREATE);
          return Async.then(session, filled, o -> marked(made, marks, List.of()).thenApply(v -> o));
        });
  }

  private CompletableFuture<CatalogSnapshot> marked(
      TableInfo table, Map<String, String> more, List<String> less) {
    return services
        .catalog()
        .change(
            c -> {
              TableInfo now = c.table(table.id()).orElse(table);
              Map<String, String> options = new HashMap<>(now.options());
              options.putAll(more);
              less.forEach(options::remove);
              return CatalogChange.of(new CatalogChange.Action.PutTable(with(now, options)));
            });
  }

  private static TableInfo with(TableInfo t, Map<String, String> options) {
    return t.edit().options(options).version(t.version() + 1).build();
  }

  CompletableFuture<Outcome> refresh(SessionContext session, Statement.RefreshMaterializedView s) {
    DmlSupport.requireWritable(session, REFRESH);
    TableInfo view = Names.table(session, s.name());
    if (!view.materialized()) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "\"" + view.name() + "\" is not a materialized view");
    }
    if (s.concurrently() && !view.populated()) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          "CONCURRENTLY cannot be used when the materialized view is not populated");
    }
    if (s.concurrently() && !s.withData()) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR, "CONCURRENTLY and WITH NO DATA options cannot be used together");
    }
    CompletableFuture<Outcome> emptied = steps.run(session, emptying(session, view), List.of());
    if (!s.withData()) {
      return Async.then(
          session,
          emptied,
          o ->
              marked(view, Map.of(TableInfo.UNPOPULATED, "true"), List.of())
                  .thenApply(v -> new Outcome.Done(REFRESH)));
    }
    Planner.PlannedQuery q =
        services
            .planner()
            .planQuery(
                view.options().getOrDefault(TableInfo.MATERIALIZED_QUERY, ""),
                session.planContext(List.of()));
    return Async.then(
        session,
        Async.then(session, emptied, o -> insert.fill(session, view, q)),
        o ->
            view.populated()
                ? Ddl.done(REFRESH)
                : marked(view, Map.of(), List.of(TableInfo.UNPOPULATED))
                    .thenApply(v -> new Outcome.Done(REFRESH)));
  }

  /** DELETE of all rows, as if the view were a table. */
  private DmlPlan emptying(SessionContext session, TableInfo view) {
    Map<String, String> options = new HashMap<>(view.options());
    options.remove(TableInfo.MATERIALIZED_QUERY);
    options.remove(TableInfo.UNPOPULATED);
    CatalogSnapshot plain =
        session
            .catalog()
            .preview(CatalogChange.of(new CatalogChange.Action.PutTable(with(view, options))));
    String text = "DELETE FROM " + RelationNames.text(view);
    if (services.planner().plan(text, Ddl.context(session, plain))
        instanceof Planner.PlannedDml d) {
      return d.plan();
    }
    throw new IllegalStateException("no data change: " + text);
  }

  static Outcome altered() {
    return new Outcome.Done("ALTER MATERIALIZED VIEW");
  }

  /** ALTER MATERIALIZED VIEW as the ALTER TABLE that it is; empty for other objects. */
  Optional<Statement.AlterTable> alter(SessionContext session, Statement.AlterObject s) {
    if (s.kind() != Statement.ObjectKind.MATERIALIZED_VIEW) {
      return Optional.empty();
    }
    Optional<TableInfo> t = Names.findTable(session, s.name());
    if (t.isEmpty() || !t.get().materialized()) {
      return Optional.empty();
    }
    String argument = s.argument() == null ? "" : s.argument();
    var name = new Name(argument, 0);
    AlterAction action =
        switch (s.action()) {
          case "rename" -> new AlterAction.RenameTable(new QualifiedName(List.of(argument), 0));
          case "set schema" -> new AlterAction.SetSchema(name);
          case "owner" -> new AlterAction.OwnerTo(argument);
          default ->
              s.action().startsWith("rename column ")
                  ? new AlterAction.RenameColumn(new Name(s.action().substring(14), 0), name)
                  : new AlterAction.NoEffect(s.action());
        };
    return Optional.of(new Statement.AlterTable(s.name(), s.ifExists(), List.of(action)));
  }

  /** DROP MATERIALIZED VIEW. */
  CompletableFuture<Outcome> drop(SessionContext session, Statement.DropView s) {
    var names = new java.util.ArrayList<QualifiedName>();
    for (QualifiedName n : s.names()) {
      Optional<TableInfo> t = Names.findTable(session, n);
      if (t.isPresent() && t.get().materialized()) {
        names.add(n);
      } else if (t.isPresent() || Names.findView(session, n).isPresent()) {
        throw new MillraceException(
                ErrorCode.WRONG_OBJECT_TYPE, "\"" + n.name() + "\" is not a materialized view")
            .withHint(
                t.isPresent()
                    ? "Use DROP TABLE to remove a table."
                    : "Use DROP VIEW to remove a view.");
      } else if (s.ifExists()) {
        Ddl.missing(session, "materialized view \"" + n + "\"");
      } else {
        throw new MillraceException(
            ErrorCode.UNDEFINED_TABLE, "materialized view \"" + n + "\" does not exist");
      }
    }
    return names.isEmpty()
        ? Ddl.done("DROP MATERIALIZED VIEW")
        : Async.map(
            session,
            ddl.dropTables(session, names, s.cascade(), "materialized view"),
            v -> new Outcome.Done("DROP MATERIALIZED VIEW"));
  }
}
