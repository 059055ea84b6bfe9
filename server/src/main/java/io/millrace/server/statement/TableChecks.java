package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.plan.Planner;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Looks at the rows that are there before a constraint is put on them. */
final class TableChecks {
  private final DmlSupport dml;

  TableChecks(DmlSupport dml) {
    this.dml = dml;
  }

  /** A table's name that means it wherever it stands. */
  static String from(TableInfo t) {
    return quoted(t.database()) + "." + quoted(t.schema()) + "." + quoted(t.name());
  }

  static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** The first row of a query, if it has one. */
  CompletableFuture<Optional<Batch>> first(
      SessionContext session, CatalogSnapshot catalog, String sql) {
    Planner.PlannedQuery q = dml.services().planner().planQuery(sql, Ddl.context(session, catalog));
    return Async.map(
        session,
        dml.collect(session, q.template(), q.literals(), null),
        rows -> rows.stream().filter(b -> b.rows() > 0).findFirst());
  }

  /** Lets the consumer refuse what was found. */
  private static CompletableFuture<Void> refuse(
      SessionContext session,
      CompletableFuture<Optional<Batch>> rows,
      Consumer<Optional<Batch>> check) {
    return Async.map(
            session,
            rows,
            found -> {
              check.accept(found);
              return found;
            })
        .thenAccept(found -> {});
  }

  /** Refuses NOT NULL for a column that has NULLs. */
  CompletableFuture<Void> notNull(SessionContext session, TableInfo t, String rows, String column) {
    return refuse(
        session,
        first(
            session,
            session.catalog(),
            "SELECT 1 FROM " + rows + " WHERE " + quoted(column) + " IS NULL LIMIT 1"),
        found -> {
          if (found.isPresent()) {
            throw new MillraceException(
                    ErrorCode.NOT_NULL_VIOLATION,
                    "column \""
                        + column
                        + "\" of relation \""
                        + t.name()
                        + "\" contains null values")
                .about(t.schema(), t.name(), column, null);
          }
        });
  }

  /** Refuses a CHECK that a row does not meet. */
  CompletableFuture<Void> check(
      SessionContext session, TableInfo t, String rows, String constraint, String condition) {
    return refuse(
        session,
        first(
            session,
            session.catalog(),
            "SELECT 1 FROM " + rows + " WHERE NOT (" + condition + ") LIMIT 1"),
        found -> {
          if (found.isPresent()) {
            throw new MillraceException(
                    ErrorCode.CHECK_VIOLATION,
                    "check constraint \""
                        + constraint
                        + "\" of relation \""
                        + t.name()
                        + "\" is violated by some row")
                .about(t.schema(), t.name(), null, constraint);
          }
        });
  }

  /** Refuses uniqueness of columns in which rows are equal. */
  CompletableFuture<Void> unique(
      SessionContext session, TableInfo t, String rows, String index, List<String> columns) {
    String list = columns.stream().map(TableChecks::quoted).collect(Collectors.joining(", "));
    String known =
        columns.stream().map(c -> quoted(c) + " IS NOT NULL").collect(Collectors.joining(" AND "));
    return refuse(
        session,
        first(
            session,
            session.catalog(),
            "SELECT "
                + list
                + " FROM "
                + rows
                + " WHERE "
                + known
                + " GROUP BY "
                + list
                + " HAVING count(*) > 1 LIMIT 1"),
        found -> {
          if (found.isPresent()) {
            throw new MillraceException(
                    ErrorCode.UNIQUE_VIOLATION, "could not create unique index \"" + index + "\"")
                .withDetail(
                    "Key ("
                        + String.join(", ", columns)
                        + ")="
                        + RowText.row(found.get(), 0, session.settings().format())
                        + " is duplicated.")
                .about(t.schema(), t.name(), null, index);
          }
        });
  }
}
