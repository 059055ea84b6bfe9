package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.RelationNames;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.plan.Planner;
import io.millrace.wire.Notice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * CREATE, DROP and ALTER INDEX, REINDEX. A unique index over plain columns of a plain table is
 * enforced like a UNIQUE constraint; every other one is a record in the catalog.
 */
final class IndexExecutor {
  private static final Set<String> METHODS =
      Set.of("btree", "hash", "gist", "gin", "spgist", "brin");
  private static final Pattern CALL = Pattern.compile("([a-z_][a-z0-9_]*)\\s*\\(.*\\)");

  private final StatementServices services;
  private final TableChecks checks;

  IndexExecutor(StatementServices services, DmlSupport dml) {
    this.services = services;
    this.checks = new TableChecks(dml);
  }

  CompletableFuture<Outcome> create(SessionContext session, Statement.CreateIndex s) {
    DmlSupport.requireWritable(session, "CREATE INDEX");
    TableInfo table = Names.table(session, s.table());
    Name given = s.name();
    if (given != null
        && RelationNames.taken(session.catalog(), table.database(), table.schema(), given.text())) {
      if (s.ifNotExists()) {
        Ddl.exists(session, ErrorCode.DUPLICATE_TABLE, "relation \"" + given.text() + "\"");
        return Ddl.done("CREATE INDEX");
      }
      throw new MillraceException(
          ErrorCode.DUPLICATE_TABLE, "relation \"" + given.text() + "\" already exists");
    }
    TableInfo.Index index = index(session, table, s);
    boolean plain = table.timeIndex().isEmpty();
    if (index.unique() && !(plain && index.enforceable())) {
      session.notice(
          Notice.warning(
              ErrorCode.WARNING,
              plain
                  ? "a UNIQUE index over expressions or a part of the rows is recorded but not"
                      + " enforced"
                  : "UNIQUE is recorded but not enforced on tables with a TIME INDEX"));
    }
    Ddl.noticeInBlock(session);
    CompletableFuture<Void> checked =
        index.enforceable() && plain
            ? checks.unique(
                session, table, TableChecks.from(table), index.name(), names(table, index))
            : CompletableFuture.completedFuture(null);
    return Ddl.done(
        checked.thenCompose(v -> services.tables().alter(table.id(), t -> with(t, index))),
        "CREATE INDEX");
  }

  private static List<String> names(TableInfo t, TableInfo.Index x) {
    return x.columnIds().stream().map(id -> t.columnById(id).orElseThrow().name()).toList();
  }

  private static TableInfo with(TableInfo t, TableInfo.Index index) {
    if (RelationNames.hasIndex(t, index.name())) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_TABLE, "relation \"" + index.name() + "\" already exists");
    }
    var all = new ArrayList<>(t.indexes());
    all.add(index);
    return t.edit().indexes(all).build();
  }

  private TableInfo.Index index(SessionContext session, TableInfo table, Statement.CreateIndex s) {
    Planner.PlanContext context = session.planContext(List.of());
    String method = s.method() == null ? "btree" : s.method();
    if (!METHODS.contains(method)) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_OBJECT, "access method \"" + method + "\" does not exist");
    }
    if (s.unique() && !method.equals("btree")) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          "access method \"" + method + "\" does not support unique indexes");
    }
    var keys = new ArrayList<TableInfo.Key>();
    for (Statement.IndexElement e : s.elements()) {
      keys.add(key(table, e, context));
    }
    var include = new ArrayList<Integer>();
    for (Name n : s.include()) {
      include.add(column(table, n).id());
    }
    var where = s.where();
    if (where != null) {
      ColumnSpecs.placed(where, () -> services.planner().planCheck(where.text(), table, context));
    }
    var index =
        new TableInfo.Index(
            services.catalog().nextOid(),
            "",
            s.unique(),
            method,
            keys,
            include,
            where == null ? Optional.empty() : Optional.of(where.text()));
    Name name = s.name();
    return index.named(
        name != null
            ? name.text()
            : RelationNames.free(
                session.catalog(), table.database(), table.schema(), wantedName(table, index)));
  }

  private TableInfo.Key key(
      TableInfo table, Statement.IndexElement e, Planner.PlanContext context) {
    Boolean first = e.nullsFirst();
    boolean nullsFirst = first == null ? e.descending() : first;
    Name column = e.column();
    if (column != null) {
      return new TableInfo.Key(column(table, column).id(), "", e.descending(), nullsFirst);
    }
    ColumnSpecs.placed(
        e.expression(), () -> services.planner().planOver(e.expression().text(), table, context));
    String text = e.expression().text().strip();
    return new TableInfo.Key(0, unwrapped(text), e.descending(), nullsFirst);
  }

  /** An expression without the parentheses that the syntax wants around it. */
  private static String unwrapped(String text) {
    if (!text.startsWith("(") || !text.endsWith(")")) {
      return text;
    }
    int depth = 0;
    for (int i = 0; i < text.length() - 1; i++) {
      char c = text.charAt(i);
      if (c == '\'' || c == '"') {
        return text; // text with brackets inside is left as it is
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0) {
        return text;
      }
    }
    return text.substring(1, text.length() - 1).strip();
  }

  private static TableInfo.Column column(TableInfo t, Name name) {
    return t.column(name.text())
        .orElseThrow(
            () ->
                Names.hinted(
                    new MillraceException(
                            ErrorCode.UNDEFINED_COLUMN,
                            "column \"" + name.text() + "\" does not exist")
                        .at(name.position()),
                    name.text(),
                    t.columns().stream().map(TableInfo.Column::name).toList()));
  }

  /** The name that PostgreSQL makes: the table, the columns or functions, idx. */
  static String wantedName(TableInfo table, TableInfo.Index x) {
    var out = new StringBuilder(table.name());
    var parts = new ArrayList<String>();
    for (TableInfo.Key k : x.keys()) {
      parts.add(
          k.columnId() == 0
              ? functionName(k.expression())
              : table.columnById(k.columnId()).orElseThrow().name());
    }
    x.includeIds().forEach(id -> parts.add(table.columnById(id).orElseThrow().name()));
    parts.forEach(p -> out.append('_').append(p));
    return out.append("_idx").toString();
  }

  private static String functionName(String expression) {
    Matcher m = CALL.matcher(expression);
    return m.matches() ? m.group(1) : "expr";
  }

  /** The table of an index and the index; null without a constraint's index of that name. */
  record Found(TableInfo table, TableInfo.@Nullable Index index) {}

  static Optional<Found> find(SessionContext session, QualifiedName name) {
    return Names.find(
        session,
        name,
        target -> {
          for (TableInfo t : session.catalog().tables(target.database())) {
            if (t.schema().equals(target.schema()) && RelationNames.hasIndex(t, target.name())) {
              return Optional.of(
                  new Found(
                      t,
                      t.indexes().stream()
                          .filter(x -> x.name().equals(target.name()))
                          .findFirst()
                          .orElse(null)));
            }
          }
          return Optional.empty();
        });
  }

  CompletableFuture<Outcome> drop(SessionContext session, Statement.DropIndex s) {
    DmlSupport.requireWritable(session, "DROP INDEX");
    CompletableFuture<?> all = CompletableFuture.completedFuture(null);
    for (QualifiedName n : s.names()) {
      Optional<Found> found = find(session, n);
      if (found.isEmpty()) {
        if (Names.isRelation(session, n)) {
          MillraceException e =
              new MillraceException(
                  ErrorCode.WRONG_OBJECT_TYPE, "\"" + n.name() + "\" is not an index");
          throw Names.findTable(session, n).isPresent()
              ? e.withHint("Use DROP TABLE to remove a table.")
              : e;
        }
        if (!s.ifExists()) {
          throw new MillraceException(
              ErrorCode.UNDEFINED_OBJECT, "index \"" + n + "\" does not exist");
        }
        Ddl.missing(session, "index \"" + n + "\"");
        continue;
      }
      TableInfo t = found.get().table();
      TableInfo.Index x = found.get().index();
      if (x == null) {
        throw new MillraceException(
                ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop index "
                    + n.name()
                    + " because constraint "
                    + n.name()
                    + " on table "
                    + t.name()
                    + " requires it")
            .withHint(
                "You can drop constraint " + n.name() + " on table " + t.name() + " instead.");
      }
      all = all.thenCompose(v -> services.tables().alter(t.id(), b -> without(b, x)));
    }
    return Ddl.done(all, "DROP INDEX");
  }

  private static TableInfo without(TableInfo t, TableInfo.Index x) {
    return t.edit().indexes(t.indexes().stream().filter(i -> i.oid() != x.oid()).toList()).build();
  }

  /** ALTER INDEX … RENAME TO; a constraint's index takes the constraint with it. */
  CompletableFuture<Outcome> rename(
      SessionContext session, Statement.AlterObject s, String newName) {
    Optional<Found> found = find(session, s.name());
    if (found.isEmpty()) {
      if (s.ifExists()) {
        Ddl.missing(session, "relation \"" + s.name() + "\"");
        return Ddl.done("ALTER INDEX");
      }
      throw new MillraceException(
          ErrorCode.UNDEFINED_TABLE, "relation \"" + s.name() + "\" does not exist");
    }
    TableInfo table = found.get().table();
    String old = s.name().name();
    if (RelationNames.taken(session.catalog(), table.database(), table.schema(), newName)) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_TABLE, "relation \"" + newName + "\" already exists");
    }
    return Ddl.done(
        services
            .tables()
            .alter(
                table.id(),
                t ->
                    t.edit()
                        .indexes(
                            t.indexes().stream()
                                .map(x -> x.name().equals(old) ? x.named(newName) : x)
                                .toList())
                        .constraints(
                            t.constraints().stream()
                                .map(
                                    c ->
                                        c.name().equals(old) && c.kind() != 'c' && c.kind() != 'f'
                                            ? c.withName(newName)
                                            : c)
                                .toList())
                        .build()),
        "ALTER INDEX");
  }

  /** There is nothing to build again; what is named must be there. */
  CompletableFuture<Outcome> reindex(SessionContext session, Statement.Reindex s) {
    QualifiedName name = s.name();
    if (name != null) {
      switch (s.what()) {
        case "table" -> Names.table(session, name);
        case "index" -> {
          if (find(session, name).isEmpty()) {
            throw Names.isRelation(session, name)
                ? new MillraceException(
                    ErrorCode.WRONG_OBJECT_TYPE, "\"" + name.name() + "\" is not an index")
                : new MillraceException(
                    ErrorCode.UNDEFINED_TABLE, "relation \"" + name + "\" does not exist");
          }
        }
        case "schema" -> {
          if (!Names.hasSchema(session.catalog(), session.database(), name.name())) {
            throw new MillraceException(
                ErrorCode.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist");
          }
        }
        default -> {
          if (!session
              .catalog()
              .database(name.name())
              .filter(d -> d.name().equals(session.database()))
              .isPresent()) {
            throw new MillraceException(
                ErrorCode.FEATURE_NOT_SUPPORTED, "can only reindex the currently open database");
          }
        }
      }
    }
    return Ddl.done("REINDEX");
  }
}
