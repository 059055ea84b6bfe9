package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.ddl.TableDefinition;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.parser.Identifiers;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import io.millrace.storage.RegionOptions;
import io.millrace.wire.Notice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** CREATE and DROP of tables, views, schemas and databases; TRUNCATE. They take effect at once. */
final class DdlExecutor {
  private final StatementServices services;
  private final TableDefinitions definitions;

  DdlExecutor(StatementServices services) {
    this.services = services;
    this.definitions = new TableDefinitions(services);
  }

  private static <T> CompletableFuture<Outcome> done(CompletableFuture<T> f, String tag) {
    return f.thenApply(v -> new Outcome.Done(tag));
  }

  private static CompletableFuture<Outcome> done(String tag) {
    return CompletableFuture.completedFuture(new Outcome.Done(tag));
  }

  CompletableFuture<Outcome> createTable(SessionContext session, Statement.CreateTable s) {
    DmlSupport.requireWritable(session, "CREATE TABLE");
    boolean temporary = s.temporary() || isTemporary(session, s.name());
    Names.Target target = Ddl.target(session, s.name(), temporary);
    if (s.ifNotExists() && exists(session, target)) {
      Ddl.exists(session, ErrorCode.DUPLICATE_TABLE, "relation \"" + target.name() + "\"");
      return done("CREATE TABLE");
    }
    if (s.onCommit() != null && !temporary) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION, "ON COMMIT can only be used on temporary tables");
    }
    if (!temporary) {
      requireFree(session, target);
    }
    TableDefinitions.Prepared p = definitions.of(session, target, s);
    TableInfo table =
        temporary
            ? temporary(p.table(), s.onCommit())
            : s.unlogged()
                ? p.table().edit().persistence(TableInfo.Persistence.UNLOGGED).build()
                : p.table();
    Ddl.noticeInBlock(session);
    return done(
        schemaFor(session, temporary).thenCompose(v -> services.tables().create(table, p.more())),
        "CREATE TABLE");
  }

  private static void requireFree(SessionContext session, Names.Target t) {
    TableProcedures.checkFree(session.catalog(), t.database(), t.schema(), t.name());
  }

  private static boolean isTemporary(SessionContext session, QualifiedName name) {
    int n = name.parts().size();
    String schema = n > 1 ? name.parts().get(n - 2) : "";
    return schema.equals("pg_temp") || schema.equals(session.temporarySchema());
  }

  private CompletableFuture<?> schemaFor(SessionContext session, boolean temporary) {
    return temporary
        ? Ddl.temporarySchema(services, session)
        : CompletableFuture.completedFuture(null);
  }

  /** Temporary tables are not logged: nothing of them outlives the server. */
  private static TableInfo temporary(TableInfo t, @Nullable String onCommit) {
    RegionOptions o = t.regionOptions();
    return t.edit()
        .persistence(TableInfo.Persistence.TEMPORARY)
        .onCommit(onCommit == null || onCommit.equals("preserve rows") ? "" : onCommit)
        .regionOptions(o.withSkipWal(true))
        .build();
  }

  private static boolean exists(SessionContext session, Names.Target t) {
    return RelationNames.taken(session.catalog(), t.database(), t.schema(), t.name());
  }

  /** CREATE TABLE AS: the table, then its rows by the INSERT executor of the caller. */
  CompletableFuture<TableInfo> createFor(
      SessionContext session, Statement.CreateTableAs s, Planner.PlannedQuery query) {
    boolean temporary = s.temporary() || isTemporary(session, s.name());
    Names.Target target = Ddl.target(session, s.name(), temporary);
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
    Ddl.noticeInBlock(session);
    TableInfo plain =
        definitions.partitioned(
            session,
            services
                .tables()
                .prepare(
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
                        false)),
            s.partitions());
    TableInfo table = temporary ? temporary(plain, s.onCommit()) : plain;
    if (!temporary) {
      requireFree(session, target);
    }
    return Async.then(
        session, schemaFor(session, temporary), v -> services.tables().create(table, List.of()));
  }

  CompletableFuture<Outcome> dropTable(SessionContext session, Statement.DropTable s) {
    DmlSupport.requireWritable(session, "DROP TABLE");
    var tables = new ArrayList<TableInfo>();
    for (QualifiedName n : s.names()) {
      Optional<TableInfo> t = Names.findTable(session, n);
      if (t.isPresent() && t.get().materialized()) {
        throw new MillraceException(
                ErrorCode.WRONG_OBJECT_TYPE, "\"" + n.name() + "\" is not a table")
            .withHint("Use DROP MATERIALIZED VIEW to remove a materialized view.");
      } else if (t.isPresent()) {
        tables.add(t.get());
      } else if (s.ifExists() && Names.findView(session, n).isEmpty()) {
        Ddl.missing(session, "table \"" + n + "\"");
      } else if (Names.findView(session, n).isPresent()) {
        throw new MillraceException(
                ErrorCode.WRONG_OBJECT_TYPE, "\"" + n.name() + "\" is not a table")
            .withHint("Use DROP VIEW to remove a view.");
      } else {
        throw Names.hinted(
            new MillraceException(ErrorCode.UNDEFINED_TABLE, "table \"" + n + "\" does not exist"),
            n.name(),
            Names.tableNames(session));
      }
    }
    if (tables.isEmpty()) {
      return done("DROP TABLE");
    }
    Ddl.noticeInBlock(session);
    return done(dropAll(session, tables, s.cascade(), "table"), "DROP TABLE");
  }

  /** Drops tables that are there. */
  CompletableFuture<?> dropTables(
      SessionContext session, List<QualifiedName> names, boolean cascade, String what) {
    Ddl.noticeInBlock(session);
    return dropAll(
        session, names.stream().map(n -> Names.table(session, n)).toList(), cascade, what);
  }

  /** Drops tables with what depends on them, or refuses. */
  private CompletableFuture<?> dropAll(
      SessionContext session, List<TableInfo> tables, boolean cascade, String what) {
    List<TableId> ids = tables.stream().map(TableInfo::id).toList();
    var details = new ArrayList<String>();
    var cascades = new ArrayList<String>();
    for (TableInfo t : tables) {
      for (String f : services.flows().dependents(t.id())) {
        details.add("flow " + f + " depends on table " + t.name());
        cascades.add("flow " + f);
      }
      for (TableInfo other : Ddl.referring(session.catalog(), t)) {
        if (ids.contains(other.id())) {
          continue;
        }
        for (TableInfo.Constraint c : other.constraints()) {
          if (TableProcedures.refers(c, t)) {
            String name = "constraint " + c.name() + " on table " + other.name();
            details.add(name + " depends on table " + t.name());
            cascades.add(name);
          }
        }
      }
    }
    List<ViewInfo> views =
        Ddl.brokenViews(
            services,
            session,
            tables.getFirst().database(),
            new CatalogChange(
                ids.stream()
                    .<CatalogChange.Action>map(CatalogChange.Action.RemoveTable::new)
                    .toList()));
    for (ViewInfo v : views) {
      details.add("view " + v.name() + " depends on " + what + " " + tables.getFirst().name());
      cascades.add("view " + v.name());
    }
    if (!details.isEmpty() && !cascade) {
      throw Ddl.dependents(what + " " + tables.getFirst().name(), details);
    }
    Ddl.cascades(session, cascades);
    ids.forEach(session.transaction()::forget);
    CompletableFuture<?> first = CompletableFuture.completedFuture(null);
    for (TableId id : ids) {
      first = first.thenCompose(v -> services.flows().dropDependents(id));
    }
    return first.thenCompose(v -> dropViews(views)).thenCompose(v -> services.tables().drop(ids));
  }

  private CompletableFuture<?> dropViews(List<ViewInfo> views) {
    return views.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : services
            .catalog()
            .change(
                c ->
                    new CatalogChange(
                        views.stream()
                            .<CatalogChange.Action>map(
                                v -> new CatalogChange.Action.RemoveView(v.oid()))
                            .toList()));
  }

  CompletableFuture<Outcome> createView(SessionContext session, Statement.CreateView s) {
    DmlSupport.requireWritable(session, "CREATE VIEW");
    Planner.PlannedQuery q =
        services.planner().planQuery(s.query(), session.planContext(List.of()));
    boolean overTemporary =
        q.template().tables().keySet().stream()
            .anyMatch(id -> session.catalog().table(id).filter(TableInfo::temporary).isPresent());
    boolean temporary = s.temporary() || isTemporary(session, s.name()) || overTemporary;
    Names.Target t = Ddl.target(session, s.name(), temporary);
    if (s.ifNotExists() && exists(session, t)) {
      Ddl.exists(session, ErrorCode.DUPLICATE_TABLE, "relation \"" + t.name() + "\"");
      return done("CREATE VIEW");
    }
    if (overTemporary && !s.temporary()) {
      session.notice(Notice.notice("view \"" + t.name() + "\" will be a temporary view"));
    }
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
    String text = boundText(session, s.query().text(), types);
    Ddl.noticeInBlock(session);
    return done(
        schemaFor(session, temporary)
            .thenCompose(
                x ->
                    services
                        .catalog()
                        .change(
                            c -> {
                              Optional<ViewInfo> old = c.view(t.database(), t.schema(), t.name());
                              if (old.isEmpty() || !s.orReplace()) {
                                TableProcedures.checkFree(c, t.database(), t.schema(), t.name());
                              } else {
                                requireSameColumns(old.get(), names, types);
                              }
                              return CatalogChange.of(
                                  new CatalogChange.Action.PutView(
                                      new ViewInfo(
                                          old.map(ViewInfo::oid).orElse(oid),
                                          old.map(ViewInfo::version).orElse(0) + 1,
                                          t.database(),
                                          t.schema(),
                                          t.name(),
                                          text,
                                          names,
                                          types)));
                            })),
        "CREATE VIEW");
  }

  /**
   * A view's query with its relations' schemas written out, so that it means the same under every
   * search path; as it was given where that cannot be told from the text.
   */
  private String boundText(SessionContext session, String query, List<SqlType> types) {
    Planner.PlanContext c = session.planContext(List.of());
    var bare =
        new Planner.PlanContext(
            c.catalog(), c.database(), c.user(), List.of(), c.settings(), c.declaredTypes());
    for (boolean commas : new boolean[] {false, true}) {
      String text = Identifiers.qualified(query, name -> schemaOf(session, name), commas);
      if (reads(text, bare, types)) {
        return text;
      }
    }
    return query;
  }

  private boolean reads(String query, Planner.PlanContext context, List<SqlType> types) {
    try {
      return services.planner().planQuery(query, context).template().columns().stream()
          .map(PlanTemplate.ResultColumn::type)
          .toList()
          .equals(types);
    } catch (MillraceException e) {
      return false; // what stood there was no relation, or not all of them were found
    }
  }

  private static @Nullable String schemaOf(SessionContext session, String relation) {
    for (String schema : session.searchPath()) {
      if (RelationNames.taken(session.catalog(), session.database(), schema, relation)) {
        return schema;
      }
    }
    return null;
  }

  /** CREATE OR REPLACE VIEW may add columns at the end, nothing else. */
  private static void requireSameColumns(ViewInfo old, List<String> names, List<SqlType> types) {
    if (names.size() < old.columnNames().size()) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION, "cannot drop columns from view");
    }
    for (int i = 0; i < old.columnNames().size(); i++) {
      String before = old.columnNames().get(i);
      if (!before.equals(names.get(i))) {
        throw new MillraceException(
                ErrorCode.INVALID_TABLE_DEFINITION,
                "cannot change name of view column \"" + before + "\" to \"" + names.get(i) + "\"")
            .withHint(
                "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.");
      }
      if (!old.columnTypes().get(i).sameKind(types.get(i))) {
        throw new MillraceException(
            ErrorCode.INVALID_TABLE_DEFINITION,
            "cannot change data type of view column \""
                + before
                + "\" from "
                + old.columnTypes().get(i).sqlName()
                + " to "
                + types.get(i).sqlName());
      }
    }
  }

  CompletableFuture<Outcome> dropView(SessionContext session, Statement.DropView s) {
    DmlSupport.requireWritable(session, "DROP VIEW");
    var actions = new ArrayList<CatalogChange.Action>();
    var found = new ArrayList<ViewInfo>();
    for (QualifiedName n : s.names()) {
      Optional<ViewInfo> v = Names.findView(session, n);
      if (v.isPresent()) {
        found.add(v.get());
        actions.add(new CatalogChange.Action.RemoveView(v.get().oid()));
      } else if (s.ifExists() && Names.findTable(session, n).isEmpty()) {
        Ddl.missing(session, "view \"" + n + "\"");
      } else if (Names.findTable(session, n).isPresent()) {
        throw new MillraceException(
                ErrorCode.WRONG_OBJECT_TYPE, "\"" + n.name() + "\" is not a view")
            .withHint(
                Names.table(session, n).materialized()
                    ? "Use DROP MATERIALIZED VIEW to remove a materialized view."
                    : "Use DROP TABLE to remove a table.");
      } else {
        throw new MillraceException(ErrorCode.UNDEFINED_TABLE, "view \"" + n + "\" does not exist");
      }
    }
    if (!found.isEmpty()) {
      List<ViewInfo> views =
          Ddl.brokenViews(
              services, session, found.getFirst().database(), new CatalogChange(actions));
      if (!views.isEmpty() && !s.cascade()) {
        throw Ddl.dependents(
            "view " + found.getFirst().name(),
            views.stream()
                .map(v -> "view " + v.name() + " depends on view " + found.getFirst().name())
                .toList());
      }
      Ddl.cascades(session, views.stream().map(v -> "view " + v.name()).toList());
      views.forEach(v -> actions.add(new CatalogChange.Action.RemoveView(v.oid())));
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
      Ddl.exists(session, ErrorCode.DUPLICATE_SCHEMA, "schema \"" + name + "\"");
      return done("CREATE SCHEMA");
    }
    Ddl.noticeInBlock(session);
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
      List<String> inside = inside(session.catalog(), session.database(), name);
      if (!s.cascade() && !inside.isEmpty()) {
        throw Ddl.dependents(
            "schema " + name, inside.stream().map(x -> x + " depends on schema " + name).toList());
      }
      Ddl.cascades(session, inside);
      all =
          all.thenCompose(v -> dropContents(session, session.database(), name))
              .thenCompose(
                  v ->
                      services
                          .catalog()
                          .change(
                              c ->
                                  CatalogChange.of(
                                      new CatalogChange.Action.RemoveSchema(found.get().oid()))));
    }
    return done(all, "DROP SCHEMA");
  }

  /** What is in a schema, as messages name it. */
  private static List<String> inside(CatalogSnapshot c, String database, String schema) {
    var out = new ArrayList<String>();
    for (TableInfo t : c.tables(database)) {
      if (t.schema().equals(schema)) {
        out.add("table " + RelationNames.text(t));
      }
    }
    for (ViewInfo v : c.views(database)) {
      if (v.schema().equals(schema)) {
        out.add("view " + RelationNames.text(v));
      }
    }
    for (SequenceInfo q : c.sequences(database)) {
      if (q.schema().equals(schema) && q.owner().isEmpty()) {
        out.add("sequence " + RelationNames.text(q));
      }
    }
    for (UserType t : c.types(database)) {
      if (t.schema().equals(schema)) {
        out.add("type " + RelationNames.text(t.schema(), t.name()));
      }
    }
    for (FlowInfo f : c.flows()) {
      if (f.database().equals(database) && f.schema().equals(schema)) {
        out.add("flow " + RelationNames.text(f.schema(), f.name()));
      }
    }
    return out;
  }

  /** Drops everything in a schema, and what depends on it. */
  private CompletableFuture<?> dropContents(
      SessionContext session, String database, String schema) {
    CatalogSnapshot c = services.catalog().snapshot();
    CompletableFuture<?> all = CompletableFuture.completedFuture(null);
    for (FlowInfo f : c.flows()) {
      if (f.database().equals(database) && f.schema().equals(schema)) {
        all = all.thenCompose(v -> services.flows().drop(f));
      }
    }
    var actions = new ArrayList<CatalogChange.Action>();
    c.views(database).stream()
        .filter(v -> v.schema().equals(schema))
        .forEach(v -> actions.add(new CatalogChange.Action.RemoveView(v.oid())));
    List<TableInfo> tables =
        c.tables(database).stream().filter(t -> t.schema().equals(schema)).toList();
    if (!tables.isEmpty()) {
      all = all.thenCompose(v -> dropAll(session, tables, true, "table"));
    }
    c.sequences(database).stream()
        .filter(q -> q.schema().equals(schema) && q.owner().isEmpty())
        .forEach(q -> actions.add(new CatalogChange.Action.RemoveSequence(q.oid())));
    c.types(database).stream()
        .filter(t -> t.schema().equals(schema))
        .forEach(t -> actions.add(new CatalogChange.Action.RemoveType(t.oid())));
    return all.thenCompose(v -> services.catalog().change(x -> new CatalogChange(actions)));
  }

  CompletableFuture<Outcome> createDatabase(SessionContext session, Statement.CreateDatabase s) {
    DmlSupport.requireWritable(session, "CREATE DATABASE");
    String name = s.name().text();
    if (session.catalog().database(name).isPresent() && s.ifNotExists()) {
      Ddl.exists(session, ErrorCode.DUPLICATE_DATABASE, "database \"" + name + "\"");
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
      first =
          first
              .thenCompose(v -> dropContents(session, d.name(), schema.name()))
              .thenCompose(
                  v ->
                      services
                          .catalog()
                          .change(
                              c ->
                                  CatalogChange.of(
                                      new CatalogChange.Action.RemoveSchema(schema.oid()))));
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
}
