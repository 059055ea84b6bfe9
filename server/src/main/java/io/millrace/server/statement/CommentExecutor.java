package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CommentKey;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.SystemOids;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.sql.parser.ast.Statement;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** COMMENT ON: tables and columns carry theirs, those of all else stand by themselves. */
final class CommentExecutor {
  private final StatementServices services;

  CommentExecutor(StatementServices services) {
    this.services = services;
  }

  CompletableFuture<Outcome> run(SessionContext session, Statement.CommentOn s) {
    DmlSupport.requireWritable(session, "COMMENT");
    Optional<String> text = Optional.ofNullable(s.comment()).filter(c -> !c.isEmpty());
    return switch (s.kind()) {
      case TABLE, FOREIGN_TABLE -> {
        TableInfo t = Names.table(session, s.name());
        yield Ddl.done(
            services.tables().alter(t.id(), b -> b.edit().comment(text).build()), "COMMENT");
      }
      case COLUMN -> column(session, s, text);
      default -> {
        CommentKey key = key(session, s);
        yield key == null ? Ddl.done("COMMENT") : put(key, text);
      }
    };
  }

  private CompletableFuture<Outcome> column(
      SessionContext session, Statement.CommentOn s, Optional<String> text) {
    String column = s.column() == null ? "" : s.column().text();
    Optional<ViewInfo> view = Names.findView(session, s.name());
    if (view.isPresent()) {
      int at = view.get().columnNames().indexOf(column) + 1;
      if (at == 0) {
        throw noColumn(column, view.get().name());
      }
      return put(new CommentKey(SystemOids.PG_CLASS, view.get().oid(), at), text);
    }
    TableInfo t = Names.table(session, s.name());
    if (t.column(column).isEmpty()) {
      throw noColumn(column, t.name());
    }
    return Ddl.done(
        services
            .tables()
            .alter(
                t.id(),
                b ->
                    b.edit()
                        .columns(
                            b.columns().stream()
                                .map(c -> c.name().equals(column) ? c.withComment(text) : c)
                                .toList())
                        .build()),
        "COMMENT");
  }

  private static MillraceException noColumn(String column, String relation) {
    return new MillraceException(
        ErrorCode.UNDEFINED_COLUMN,
        "column \"" + column + "\" of relation \"" + relation + "\" does not exist");
  }

  private CompletableFuture<Outcome> put(CommentKey key, Optional<String> text) {
    return Ddl.done(
        services
            .catalog()
            .change(
                c ->
                    CatalogChange.of(
                        text.isPresent()
                            ? new CatalogChange.Action.PutComment(key, text.get())
                            : new CatalogChange.Action.RemoveComment(key))),
        "COMMENT");
  }

  /** The object's key; null for kinds of which Millrace has no objects. */
  private static @Nullable CommentKey key(SessionContext session, Statement.CommentOn s) {
    String name = s.name().toString();
    return switch (s.kind()) {
      case VIEW, MATERIALIZED_VIEW ->
          key(
              SystemOids.PG_CLASS,
              Names.findView(session, s.name()).map(ViewInfo::oid),
              ErrorCode.UNDEFINED_TABLE,
              "relation \"" + name + "\"");
      case SEQUENCE ->
          key(
              SystemOids.PG_CLASS,
              Names.findSequence(session, s.name()).map(q -> q.oid()),
              ErrorCode.UNDEFINED_TABLE,
              "relation \"" + name + "\"");
      case INDEX ->
          key(
              SystemOids.PG_CLASS,
              IndexExecutor.find(session, s.name()).map(f -> indexOid(f, s.name().name())),
              ErrorCode.UNDEFINED_TABLE,
              "relation \"" + name + "\"");
      case SCHEMA ->
          key(
              SystemOids.PG_NAMESPACE,
              session.catalog().schemas(session.database()).stream()
                  .filter(x -> x.name().equals(s.name().name()))
                  .map(SchemaInfo::oid)
                  .findFirst(),
              ErrorCode.INVALID_SCHEMA_NAME,
              "schema \"" + name + "\"");
      case DATABASE ->
          key(
              SystemOids.PG_DATABASE,
              session.catalog().database(s.name().name()).map(DatabaseInfo::oid),
              ErrorCode.INVALID_CATALOG_NAME,
              "database \"" + name + "\"");
      case TYPE, DOMAIN ->
          key(
              SystemOids.PG_TYPE,
              Names.findType(session, s.name()).map(UserType::oid),
              ErrorCode.UNDEFINED_OBJECT,
              "type \"" + name + "\"");
      case CONSTRAINT -> constraint(session, s);
      case FLOW -> new CommentKey(SystemOids.FLOWS, Names.flow(session, s.name()).oid(), 0);
      case TABLE, FOREIGN_TABLE, COLUMN -> throw new IllegalStateException(s.kind().toString());
      case EXTENSION,
          ROLE,
          FUNCTION,
          PROCEDURE,
          AGGREGATE,
          TRIGGER,
          RULE,
          POLICY,
          LANGUAGE,
          COLLATION,
          CAST,
          OPERATOR,
          STATISTICS,
          TABLESPACE,
          FOREIGN_SERVER,
          LARGE_OBJECT,
          PUBLICATION,
          SUBSCRIPTION ->
          null;
    };
  }

  private static int indexOid(IndexExecutor.Found f, String name) {
    TableInfo.Index x = f.index();
    return x != null ? x.oid() : SystemOids.index(f.table().constraint(name).orElseThrow().oid());
  }

  private static CommentKey constraint(SessionContext session, Statement.CommentOn s) {
    TableInfo t = Names.table(session, s.name());
    String name = s.column() == null ? "" : s.column().text();
    return key(
        SystemOids.PG_CONSTRAINT,
        t.constraint(name).map(TableInfo.Constraint::oid),
        ErrorCode.UNDEFINED_OBJECT,
        "constraint \"" + name + "\" for table \"" + t.name() + "\"");
  }

  private static CommentKey key(int catalog, Optional<Integer> oid, ErrorCode code, String what) {
    return new CommentKey(
        catalog, oid.orElseThrow(() -> new MillraceException(code, what + " does not exist")), 0);
  }
}
