package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
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
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.parser.Identifiers;
import io.millrace.sql.parser.ast.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** ALTER and DROP of what has no statement of its own: schemas, databases, views, and so on. */
final class ObjectExecutor {
  private static final Set<String> EXTENSIONS =
      Set.of(
          "plpgsql",
          "pgcrypto",
          "uuid-ossp",
          "citext",
          "hstore",
          "pg_trgm",
          "btree_gin",
          "btree_gist",
          "unaccent",
          "tablefunc",
          "intarray",
          "ltree",
          "pg_stat_statements",
          "postgis",
          "timescaledb");

  private final StatementServices services;
  private final SequenceExecutor sequences;
  private final IndexExecutor indexes;
  private final TypeExecutor types;
  private final RoleExecutor roles;

  ObjectExecutor(
      StatementServices services,
      SequenceExecutor sequences,
      IndexExecutor indexes,
      TypeExecutor types,
      RoleExecutor roles) {
    this.types = types;
    this.roles = roles;
    this.services = services;
    this.sequences = sequences;
    this.indexes = indexes;
  }

  private static String tag(String verb, Statement.ObjectKind kind) {
    return verb + " " + kind.name().replace('_', ' ');
  }

  CompletableFuture<Outcome> alter(SessionContext session, Statement.AlterObject s) {
    String tag = tag("ALTER", s.kind());
    DmlSupport.requireWritable(session, tag);
    return switch (s.kind()) {
      case SEQUENCE -> sequences.alter(session, s);
      case INDEX ->
          s.action().equals("rename") ? indexes.rename(session, s, argument(s)) : Ddl.done(tag);
      case SCHEMA -> schema(session, s);
      case DATABASE -> database(session, s);
      case VIEW, MATERIALIZED_VIEW -> view(session, s);
      case TYPE, DOMAIN -> types.alter(session, s);
      case ROLE ->
          s.action().equals("rename")
              ? roles.rename(session, s.name().name(), argument(s))
              : Ddl.done(tag);
      case EXTENSION, LANGUAGE, COLLATION, TABLESPACE -> Ddl.done(tag);
      default ->
          throw new MillraceException(ErrorCode.FEATURE_NOT_SUPPORTED, tag + " is not supported");
    };
  }

  private static String argument(Statement.AlterObject s) {
    return s.argument() == null ? "" : s.argument();
  }

  CompletableFuture<Outcome> drop(SessionContext session, Statement.DropObject s) {
    String tag = tag("DROP", s.kind());
    DmlSupport.requireWritable(session, tag);
    return switch (s.kind()) {
      case SEQUENCE -> sequences.drop(session, s);
      case TYPE, DOMAIN -> types.drop(session, s);
      case ROLE -> roles.drop(session, s);
      case EXTENSION -> {
        for (var n : s.names()) {
          if (!EXTENSIONS.contains(n.name())) {
            if (!s.ifExists()) {
              throw new MillraceException(
                  ErrorCode.UNDEFINED_OBJECT, "extension \"" + n.name() + "\" does not exist");
            }
            Ddl.missing(session, "extension \"" + n.name() + "\"");
          }
        }
        yield Ddl.done(tag);
      }
      default -> {
        String kind = s.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        for (var n : s.names()) {
          if (!s.ifExists()) {
            throw new MillraceException(
                ErrorCode.UNDEFINED_OBJECT, kind + " \"" + n + "\" does not exist");
          }
          Ddl.missing(session, kind + " \"" + n + "\"");
        }
        yield Ddl.done(tag);
      }
    };
  }

  /** Extensions whose functions are built in, or which clients only ask for. */
  CompletableFuture<Outcome> extension(Statement.CreateExtension s) {
    if (!EXTENSIONS.contains(s.name().text())) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          "extension \"" + s.name().text() + "\" is not available");
    }
    return Ddl.done("CREATE EXTENSION");
  }

  // ---- schemas

  private CompletableFuture<Outcome> schema(SessionContext session, Statement.AlterObject s) {
    String name = s.name().name();
    SchemaInfo found =
        session.catalog().schemas(session.database()).stream()
            .filter(x -> x.name().equals(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist"));
    if (!s.action().equals("rename")) {
      return Ddl.done("ALTER SCHEMA");
    }
    String next = argument(s);
    if (next.startsWith("pg_")) {
      throw new MillraceException(
              ErrorCode.RESERVED_NAME, "unacceptable schema name \"" + next + "\"")
          .withDetail("The prefix \"pg_\" is reserved for system schemas.");
    }
    requireNoFlows(session.catalog(), session.database(), name, "schema " + name);
    CatalogChange change = renamed(session.catalog(), found, next);
    List<CatalogChange.Action> views =
        followed(
            session,
            found.database(),
            change,
            text -> Identifiers.replaced(text, name, next),
            "schema " + name);
    Ddl.noticeInBlock(session);
    return Ddl.done(
        services
            .catalog()
            .change(
                c -> {
                  if (Names.hasSchema(c, found.database(), next)) {
                    throw new MillraceException(
                        ErrorCode.DUPLICATE_SCHEMA, "schema \"" + next + "\" already exists");
                  }
                  var actions = new ArrayList<>(renamed(c, found, next).actions());
                  actions.addAll(views);
                  return new CatalogChange(actions);
                }),
        "ALTER SCHEMA");
  }

  private static CatalogChange renamed(CatalogSnapshot c, SchemaInfo schema, String next) {
    var actions = new ArrayList<CatalogChange.Action>();
    String db = schema.database();
    String old = schema.name();
    actions.add(new CatalogChange.Action.PutSchema(new SchemaInfo(schema.oid(), db, next)));
    for (TableInfo t : c.tables(db)) {
      TableInfo moved = t.schema().equals(old) ? t.edit().schema(next).build() : t;
      for (TableInfo target : c.tables(db)) {
        if (target.schema().equals(old)) {
          moved = references(moved, target, RelationNames.text(next, target.name()));
        }
      }
      if (moved != t) {
        actions.add(
            new CatalogChange.Action.PutTable(moved.edit().version(t.version() + 1).build()));
      }
    }
    for (ViewInfo v : c.views(db)) {
      if (v.schema().equals(old)) {
        actions.add(new CatalogChange.Action.PutView(moved(v, next, v.name())));
      }
    }
    for (SequenceInfo q : c.sequences(db)) {
      if (q.schema().equals(old)) {
        actions.add(new CatalogChange.Action.PutSequence(q.named(next, q.name())));
      }
    }
    for (UserType t : c.types(db)) {
      if (t.schema().equals(old)) {
        actions.add(new CatalogChange.Action.PutType(t.named(next, t.name())));
      }
    }
    return new CatalogChange(actions);
  }

  /** A table whose foreign keys to the target say its new name. */
  static TableInfo references(TableInfo t, TableInfo target, String newText) {
    if (t.constraints().stream().noneMatch(c -> TableProcedures.refers(c, target))) {
      return t;
    }
    return t.edit()
        .constraints(
            t.constraints().stream()
                .map(
                    c ->
                        TableProcedures.refers(c, target)
                            ? c.withForeignKey(pointing(c.foreignKey().orElseThrow(), newText))
                            : c)
                .toList())
        .build();
  }

  private static TableInfo.ForeignKey pointing(TableInfo.ForeignKey f, String table) {
    return new TableInfo.ForeignKey(table, f.columns(), f.onDelete(), f.onUpdate());
  }

  private static ViewInfo moved(ViewInfo v, String schema, String name) {
    return new ViewInfo(
        v.oid(),
        v.version() + 1,
        v.database(),
        schema,
        name,
        v.query(),
        v.columnNames(),
        v.columnTypes());
  }

  private static void requireNoFlows(
      CatalogSnapshot c, String database, String schema, String what) {
    for (FlowInfo f : c.flows()) {
      boolean uses =
          f.database().equals(database)
              && (f.schema().equals(schema)
                  || f.sinkSchema().equals(schema)
                  || f.sources().stream()
                      .anyMatch(
                          id -> c.table(id).filter(t -> t.schema().equals(schema)).isPresent()));
      if (uses) {
        throw new MillraceException(
                ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot rename " + what + " because other objects depend on it")
            .withDetail("flow " + f.name() + " depends on " + what);
      }
    }
  }

  /** What views become that name what is renamed; refused where one cannot follow. */
  private List<CatalogChange.Action> followed(
      SessionContext session,
      String database,
      CatalogChange change,
      UnaryOperator<String> renames,
      String what) {
    List<ViewInfo> views = Ddl.brokenViews(services, session, database, change);
    Ddl.Followed f =
        Ddl.follow(services, session, session.catalog().preview(change), views, renames);
    if (!f.broken().isEmpty()) {
      throw new MillraceException(
              ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot rename " + what + " because other objects depend on it")
          .withDetail(
              String.join(
                  "\n",
                  f.broken().stream()
                      .map(v -> "view " + v.name() + " depends on " + what)
                      .toList()))
          .withHint("Drop the views first and make them again afterwards.");
    }
    return f.puts();
  }

  // ---- databases

  private CompletableFuture<Outcome> database(SessionContext session, Statement.AlterObject s) {
    String name = s.name().name();
    DatabaseInfo d =
        session
            .catalog()
            .database(name)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.INVALID_CATALOG_NAME,
                        "database \"" + name + "\" does not exist"));
    if (!s.action().equals("rename")) {
      return Ddl.done("ALTER DATABASE");
    }
    String next = argument(s);
    if (d.name().equals(session.database())) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "current database cannot be renamed");
    }
    if (d.name().equals(Catalog.DEFAULT_DATABASE)) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "the default database cannot be renamed");
    }
    if (session.catalog().flows().stream().anyMatch(f -> f.database().equals(d.name()))) {
      throw new MillraceException(
          ErrorCode.OBJECT_IN_USE, "database \"" + name + "\" has flows and cannot be renamed");
    }
    return Ddl.done(
        services
            .catalog()
            .change(
                c -> {
                  if (c.database(next).isPresent()) {
                    throw new MillraceException(
                        ErrorCode.DUPLICATE_DATABASE, "database \"" + next + "\" already exists");
                  }
                  return moved(c, d, next);
                }),
        "ALTER DATABASE");
  }

  private static CatalogChange moved(CatalogSnapshot c, DatabaseInfo d, String next) {
    var actions = new ArrayList<CatalogChange.Action>();
    actions.add(new CatalogChange.Action.PutDatabase(new DatabaseInfo(d.oid(), next)));
    for (SchemaInfo x : c.schemas(d.name())) {
      actions.add(new CatalogChange.Action.PutSchema(new SchemaInfo(x.oid(), next, x.name())));
    }
    for (TableInfo t : c.tables(d.name())) {
      actions.add(
          new CatalogChange.Action.PutTable(
              t.edit().database(next).version(t.version() + 1).build()));
    }
    for (ViewInfo v : c.views(d.name())) {
      actions.add(
          new CatalogChange.Action.PutView(
              new ViewInfo(
                  v.oid(),
                  v.version() + 1,
                  next,
                  v.schema(),
                  v.name(),
                  v.query(),
                  v.columnNames(),
                  v.columnTypes())));
    }
    for (SequenceInfo q : c.sequences(d.name())) {
      actions.add(new CatalogChange.Action.PutSequence(q.inDatabase(next)));
    }
    for (UserType t : c.types(d.name())) {
      actions.add(new CatalogChange.Action.PutType(t.inDatabase(next)));
    }
    return new CatalogChange(actions);
  }

  // ---- views

  private CompletableFuture<Outcome> view(SessionContext session, Statement.AlterObject s) {
    String tag = tag("ALTER", s.kind());
    Optional<ViewInfo> found = Names.findView(session, s.name());
    if (found.isEmpty()) {
      if (Names.isRelation(session, s.name())) {
        throw new MillraceException(
            ErrorCode.WRONG_OBJECT_TYPE, "\"" + s.name().name() + "\" is not a view");
      }
      if (!s.ifExists()) {
        throw new MillraceException(
            ErrorCode.UNDEFINED_TABLE, "relation \"" + s.name() + "\" does not exist");
      }
      Ddl.missing(session, "relation \"" + s.name() + "\"");
      return Ddl.done(tag);
    }
    ViewInfo v = found.get();
    ViewInfo next;
    if (s.action().equals("rename")) {
      next = moved(v, v.schema(), argument(s));
    } else if (s.action().equals("set schema")) {
      next = moved(v, argument(s), v.name());
    } else if (s.action().startsWith("rename column ")) {
      next = renamedColumn(v, s.action().substring(14), argument(s));
    } else {
      return Ddl.done(tag);
    }
    var change = CatalogChange.of(new CatalogChange.Action.PutView(next));
    List<CatalogChange.Action> views =
        followed(session, v.database(), change, text -> renamed(text, v, next), "view " + v.name());
    Ddl.noticeInBlock(session);
    boolean moves = !next.name().equals(v.name()) || !next.schema().equals(v.schema());
    return Ddl.done(
        services
            .catalog()
            .change(
                c -> {
                  if (moves) {
                    TableProcedures.checkFree(c, next.database(), next.schema(), next.name());
                  }
                  var actions = new ArrayList<>(change.actions());
                  actions.addAll(views);
                  return new CatalogChange(actions);
                }),
        tag);
  }

  private static String renamed(String text, ViewInfo v, ViewInfo next) {
    if (!next.schema().equals(v.schema())) {
      return text.replace(RelationNames.text(v), RelationNames.text(next));
    }
    if (!next.name().equals(v.name())) {
      return Identifiers.replaced(text, v.name(), next.name());
    }
    String out = text;
    for (int i = 0; i < v.columnNames().size(); i++) {
      String old = v.columnNames().get(i);
      String now = next.columnNames().get(i);
      out = old.equals(now) ? out : Identifiers.replaced(out, old, now);
    }
    return out;
  }

  private static ViewInfo renamedColumn(ViewInfo v, String old, String next) {
    int at = v.columnNames().indexOf(old);
    if (at < 0) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_COLUMN, "column \"" + old + "\" does not exist");
    }
    if (v.columnNames().contains(next)) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_COLUMN,
          "column \"" + next + "\" of relation \"" + v.name() + "\" already exists");
    }
    var names = new ArrayList<>(v.columnNames());
    names.set(at, next);
    return new ViewInfo(
        v.oid(),
        v.version() + 1,
        v.database(),
        v.schema(),
        v.name(),
        v.query(),
        names,
        v.columnTypes());
  }
}
