package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.ddl.TableDefinition;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import io.millrace.wire.Notice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** CREATE and DROP of tables, views, schemas and databases; TRUNCATE. They take effect at once. */
final class DdlExecutor {
  private final StatementServices services;
  private final TableDefinitions definitions;

  DdlExecutor(StatementServices services) {
    this.services = services;
    this.definitions = new TableDefinitions(services);
  }

  private static void noticeInBlock(SessionContext session) {
    if (session.transaction().explicit()) {
      session.notice(Notice.notice("DDL takes effect at once and is not undone by ROLLBACK"));
    }
  }

  private static <T> CompletableFuture<Outcome> done(CompletableFuture<T> f, String tag) {
    return f.thenApply(v -> new Outcome.Done(tag));
  }

  private static CompletableFuture<Outcome> done(String tag) {
    return CompletableFuture.completedFuture(new Outcome.Done(tag));
  }

  CompletableFuture<Outcome> createTable(SessionContext session, Statement.CreateTable s) {
    DmlSupport.requireWritable(session, "CREATE TABLE");
    Names.Target target = Names.target(session, s.name());
    if (s.ifNotExists() && exists(session, target)) {
      session.notice(
          new Notice(
              Notice.Severity.NOTICE,
              ErrorCode.DUPLICATE_TABLE,
              "relation \"" + target.name() + "\" already exists, skipping",
              null,
              null,
              0));
      return done("CREATE TABLE");
    }
    TableDefinition definition = definitions.of(session, target, s);
    noticeInBlock(session);
    return done(services.tables().create(definition), "CREATE TABLE");
  }

  private static boolean exists(SessionContext session, Names.Target t) {
    return session.catalog().table(t.database(), t.schema(), t.name()).isPresent()
        || session.catalog().view(t.database(), t.schema(), t.name()).isPresent();
  }

  /** CREATE TABLE AS: the table, then its rows by the INSERT executor of the caller. */
  CompletableFuture<TableInfo> createFor(
      SessionContext session, Statement.CreateTableAs s, Planner.PlannedQuery query) {
    Names.Target target = Names.target(session, s.name());
    var columns = new ArrayList<TableDefinition.ColumnDefinition>();
    List<PlanTemplate.ResultColumn> result = query.template().columns();
    if (s.columns().size() > result.size()) {
      throw new MillraceException(ErrorCode.SYNTAX_ERROR, "too many column names were specified");
    }
    for (int i = 0; i < result.size(); i++) {
      SqlType type = result.get(i).type();
      if (type.kind() == io.millrace.common.type.TypeKind.UNKNOWN) {
        type = SqlType.TEXT;
      }
      columns.add(
          new TableDefinition.ColumnDefinition(
              i < s.columns().size() ? s.columns().get(i).text() : result.get(i).name(),
              type,
              type.sqlName(),
              false,
              Optional.empty(),
              Optional.empty(),
              ""));
    }
    noticeInBlock(session);
    return services
        .tables()
        .create(
            new TableDefinition(
                target.database(),
                target.schema(),
                target.name(),
                columns,
                List.of(),
                Optional.empty(),
                List.of(),
                TableDefinitions.options(s.options()),
                Optional.empty(),
                false));
  }

  CompletableFuture<Outcome> dropTable(SessionContext session, Statement.DropTable s) {
    DmlSupport.requireWritable(session, "DROP TABLE");
    var tables = new ArrayList<TableInfo>();
    for (QualifiedName n : s.names()) {
      Optional<TableInfo> t = Names.findTable(session, n);
      if (t.isPresent()) {
        tables.add(t.get());
      } else if (s.ifExists() && Names.findView(session, n).isEmpty()) {
        session.notice(Notice.notice("table \"" + n.name() + "\" does not exist, skipping"));
      } else if (Names.findView(session, n).isPresent()) {
        throw new MillraceException(
                ErrorCode.WRONG_OBJECT_TYPE, "\"" + n.name() + "\" is not a table")
            .withHint("Use DROP VIEW to remove a view.");
      } else {
        throw Names.hinted(
            new MillraceException(
                ErrorCode.UNDEFINED_TABLE, "table \"" + n.name() + "\" does not exist"),
            n.name(),
            session.catalog().tables(session.database()).stream().map(TableInfo::name).toList());
      }
    }
    if (tables.isEmpty()) {
      return done("DROP TABLE");
    }
    noticeInBlock(session);
    List<TableId> ids = tables.stream().map(TableInfo::id).toList();
    CompletableFuture<?> first = CompletableFuture.completedFuture(null);
    for (TableInfo t : tables) {
      List<String> users = services.flows().dependents(t.id());
      if (users.isEmpty()) {
        continue;
      }
      if (!s.cascade()) {
        throw new MillraceException(
                ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop table " + t.name() + " because other objects depend on it")
            .withDetail(
                String.join(
                    "\n",
                    users.stream()
                        .map(f -> "flow " + f + " depends on table " + t.name())
                        .toList()))
            .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
      }
      first = first.thenCompose(v -> services.flows().dropDependents(t.id()));
      for (String f : users) {
        session.notice(Notice.notice("drop cascades to flow " + f));
      }
    }
    return done(first.thenCompose(v -> services.tables().drop(ids)), "DROP TABLE");
  }

  CompletableFuture<Outcome> truncate(SessionContext session, Statement.Truncate s) {
    DmlSupport.requireWritable(session, "TRUNCATE TABLE");
    if (!s.fileRanges().isEmpty()) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "TRUNCATE ... FILE RANGE is not there yet");
    }
    noticeInBlock(session);
    List<TableInfo> tables = s.names().stream().map(n -> Names.table(session, n)).toList();
    CompletableFuture<?> all = CompletableFuture.completedFuture(null);
    for (TableInfo t : tables) {
      all =
          all.thenCompose(v -> services.tables().truncate(t))
              .thenAccept(n -> services.writer().truncated(t));
    }
    return done(all, "TRUNCATE TABLE");
  }

  CompletableFuture<Outcome> createView(SessionContext session, Statement.CreateView s) {
    DmlSupport.requireWritable(session, "CREATE VIEW");
    Names.Target t = Names.target(session, s.name());
    if (s.ifNotExists() && exists(session, t)) {
      session.notice(Notice.notice("relation \"" + t.name() + "\" already exists, skipping"));
      return done("CREATE VIEW");
    }
    Planner.PlannedQuery q =
        services.planner().planQuery(s.query(), session.planContext(List.of()));
    List<PlanTemplate.ResultColumn> columns = q.template().columns();
    if (s.columns().size() > columns.size()) {
      throw new MillraceException(
          ErrorCode.SYNTAX_ERROR, "CREATE VIEW specifies more column names than columns");
    }
    var names = new ArrayList<String>();
    var types = new ArrayList<SqlType>();
    var seen = new HashSet<String>();
    for (int i = 0; i < columns.size(); i++) {
      String n = i < s.columns().size() ? s.columns().get(i).text() : columns.get(i).name();
      if (!seen.add(n)) {
        throw new MillraceException(
            ErrorCode.DUPLICATE_COLUMN, "column \"" + n + "\" specified more than once");
      }
      names.add(n);
      types.add(columns.get(i).type());
    }
    int oid = services.catalog().nextOid();
    return done(
        services
            .catalog()
            .change(
                c -> {
                  Optional<ViewInfo> old = c.view(t.database(), t.schema(), t.name());
                  if (c.table(t.database(), t.schema(), t.name()).isPresent()
                      || (old.isPresent() && !s.orReplace())) {
                    throw new MillraceException(
                        ErrorCode.DUPLICATE_TABLE, "relation \"" + t.name() + "\" already exists");
                  }
                  return CatalogChange.of(
                      new CatalogChange.Action.PutView(
                          new ViewInfo(
                              old.map(ViewInfo::oid).orElse(oid),
                              old.map(ViewInfo::version).orElse(0) + 1,
                              t.database(),
                              t.schema(),
                              t.name(),
                              s.query().text(),
                              names,
                              types)));
                }),
        "CREATE VIEW");
  }

  CompletableFuture<Outcome> dropView(SessionContext session, Statement.DropView s) {
    DmlSupport.requireWritable(session, "DROP VIEW");
    var actions = new ArrayList<CatalogChange.Action>();
    for (QualifiedName n : s.names()) {
      Optional<ViewInfo> v = Names.findView(session, n);
      if (v.isPresent()) {
        actions.add(new CatalogChange.Action.RemoveView(v.get().oid()));
      } else if (s.ifExists()) {
        session.notice(Notice.notice("view \"" + n.name() + "\" does not exist, skipping"));
      } else if (Names.findTable(session, n).isPresent()) {
        throw new MillraceException(
                ErrorCode.WRONG_OBJECT_TYPE, "\"" + n.name() + "\" is not a view")
            .withHint("Use DROP TABLE to remove a table.");
      } else {
        throw new MillraceException(
            ErrorCode.UNDEFINED_TABLE, "view \"" + n.name() + "\" does not exist");
      }
    }
    return done(services.catalog().change(c -> new CatalogChange(actions)), "DROP VIEW");
  }

  CompletableFuture<Outcome> createSchema(SessionContext session, Statement.CreateSchema s) {
    DmlSupport.requireWritable(session, "CREATE SCHEMA");
    QualifiedName given = s.name();
    String name = given != null ? given.name() : String.valueOf(s.authorization());
    if (name.startsWith("pg_") || name.equals("information_schema")) {
      throw new MillraceException(
              ErrorCode.RESERVED_NAME, "unacceptable schema name \"" + name + "\"")
          .withDetail("The prefix \"pg_\" is reserved for system schemas.");
    }
    if (Names.hasSchema(session.catalog(), session.database(), name) && s.ifNotExists()) {
      session.notice(Notice.notice("schema \"" + name + "\" already exists, skipping"));
      return done("CREATE SCHEMA");
    }
    var info = new SchemaInfo(services.catalog().nextOid(), session.database(), name);
    return done(
        services
            .catalog()
            .change(
                c -> {
                  if (Names.hasSchema(c, info.database(), name)) {
                    throw new MillraceException(
                        ErrorCode.DUPLICATE_SCHEMA, "schema \"" + name + "\" already exists");
                  }
                  return CatalogChange.of(new CatalogChange.Action.PutSchema(info));
                }),
        "CREATE SCHEMA");
  }

  CompletableFuture<Outcome> dropSchema(SessionContext session, Statement.DropSchema s) {
    DmlSupport.requireWritable(session, "DROP SCHEMA");
    CompletableFuture<?> all = CompletableFuture.completedFuture(null);
    for (QualifiedName n : s.names()) {
      String name = n.name();
      Optional<SchemaInfo> found =
          session.catalog().schemas(session.database()).stream()
              .filter(x -> x.name().equals(name))
              .findFirst();
      if (found.isEmpty()) {
        if (!s.ifExists()) {
          throw new MillraceException(
              ErrorCode.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist");
        }
        session.notice(Notice.notice("schema \"" + name + "\" does not exist, skipping"));
        continue;
      }
      all = all.thenCompose(v -> dropSchema(session.database(), found.get(), s.cascade()));
    }
    return done(all, "DROP SCHEMA");
  }

  private CompletableFuture<Void> dropSchema(String database, SchemaInfo schema, boolean cascade) {
    var snapshot = services.catalog().snapshot();
    List<TableInfo> tables =
        snapshot.tables(database).stream().filter(t -> t.schema().equals(schema.name())).toList();
    List<ViewInfo> views =
        snapshot.views(database).stream().filter(v -> v.schema().equals(schema.name())).toList();
    if (!cascade && !(tables.isEmpty() && views.isEmpty())) {
      throw new MillraceException(
              ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop schema " + schema.name() + " because other objects depend on it")
          .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
    }
    CompletableFuture<?> first = CompletableFuture.completedFuture(null);
    for (TableInfo t : tables) {
      first =
          first
              .thenCompose(v -> services.flows().dropDependents(t.id()))
              .thenCompose(v -> services.tables().drop(List.of(t.id())));
    }
    return first
        .thenCompose(
            v ->
                services
                    .catalog()
                    .change(
                        c -> {
                          var actions = new ArrayList<CatalogChange.Action>();
                          views.forEach(
                              x -> actions.add(new CatalogChange.Action.RemoveView(x.oid())));
                          actions.add(new CatalogChange.Action.RemoveSchema(schema.oid()));
                          return new CatalogChange(actions);
                        }))
        .thenAccept(c -> {});
  }

  CompletableFuture<Outcome> createDatabase(SessionContext session, Statement.CreateDatabase s) {
    DmlSupport.requireWritable(session, "CREATE DATABASE");
    String name = s.name().text();
    if (session.catalog().database(name).isPresent() && s.ifNotExists()) {
      session.notice(Notice.notice("database \"" + name + "\" already exists, skipping"));
      return done("CREATE DATABASE");
    }
    var database = new DatabaseInfo(services.catalog().nextOid(), name);
    var schema = new SchemaInfo(services.catalog().nextOid(), name, Catalog.DEFAULT_SCHEMA);
    return done(
        services
            .catalog()
            .change(
                c -> {
                  if (c.database(name).isPresent()) {
                    throw new MillraceException(
                        ErrorCode.DUPLICATE_DATABASE, "database \"" + name + "\" already exists");
                  }
                  return CatalogChange.of(
                      new CatalogChange.Action.PutDatabase(database),
                      new CatalogChange.Action.PutSchema(schema));
                }),
        "CREATE DATABASE");
  }

  CompletableFuture<Outcome> dropDatabase(SessionContext session, Statement.DropDatabase s) {
    DmlSupport.requireWritable(session, "DROP DATABASE");
    String name = s.name().text();
    Optional<DatabaseInfo> found = session.catalog().database(name);
    if (found.isEmpty()) {
      if (s.ifExists()) {
        session.notice(Notice.notice("database \"" + name + "\" does not exist, skipping"));
        return done("DROP DATABASE");
      }
      throw new MillraceException(
          ErrorCode.INVALID_CATALOG_NAME, "database \"" + name + "\" does not exist");
    }
    DatabaseInfo d = found.get();
    if (d.name().equals(session.database()) || d.name().equals(Catalog.DEFAULT_DATABASE)) {
      throw new MillraceException(
          ErrorCode.OBJECT_IN_USE, "cannot drop the currently open or the default database");
    }
    CompletableFuture<?> first = CompletableFuture.completedFuture(null);
    for (SchemaInfo schema : session.catalog().schemas(d.name())) {
      first = first.thenCompose(v -> dropSchema(d.name(), schema, true));
    }
    return done(
        first.thenCompose(
            v ->
                services
                    .catalog()
                    .change(
                        c -> CatalogChange.of(new CatalogChange.Action.RemoveDatabase(d.oid())))),
        "DROP DATABASE");
  }

  /** COMMENT ON TABLE and COLUMN. */
  CompletableFuture<Outcome> comment(SessionContext session, Statement.CommentOn s) {
    DmlSupport.requireWritable(session, "COMMENT");
    Optional<String> text = Optional.ofNullable(s.comment());
    return switch (s.kind()) {
      case TABLE -> {
        TableInfo t = Names.table(session, s.name());
        yield done(
            services.tables().alter(t.id(), b -> TableChanges.withComment(b, text)), "COMMENT");
      }
      case COLUMN -> {
        TableInfo t = Names.table(session, s.name());
        String column = s.column() == null ? "" : s.column().text();
        yield done(
            services.tables().alter(t.id(), b -> TableChanges.withColumnComment(b, column, text)),
            "COMMENT");
      }
      default -> done("COMMENT");
    };
  }
}
