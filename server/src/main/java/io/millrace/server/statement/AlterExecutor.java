package io.millrace.server.statement;

import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.parser.ast.AlterAction;
import io.millrace.sql.parser.ast.ColumnDefinition;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.wire.Notice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * ALTER TABLE: adding, dropping and renaming columns, renaming the table, defaults and NOT NULL.
 * Column ids are never used again; a new column's default, if it is constant, is what older rows
 * show.
 */
final class AlterExecutor {
  private final StatementServices services;
  private final DmlSupport dml;

  AlterExecutor(StatementServices services, DmlSupport dml) {
    this.services = services;
    this.dml = dml;
  }

  CompletableFuture<Outcome> run(SessionContext session, Statement.AlterTable s) {
    DmlSupport.requireWritable(session, "ALTER TABLE");
    Optional<TableInfo> found = Names.findTable(session, s.name());
    if (found.isEmpty() && s.ifExists()) {
      session.notice(
          Notice.notice("relation \"" + s.name().name() + "\" does not exist, skipping"));
      return CompletableFuture.completedFuture(new Outcome.Done("ALTER TABLE"));
    }
    TableInfo table = found.orElseGet(() -> Names.table(session, s.name()));
    CompletableFuture<?> all = CompletableFuture.completedFuture(null);
    for (AlterAction a : s.actions()) {
      UnaryOperator<TableInfo> change = change(session, table, a);
      all = all.thenCompose(v -> services.tables().alter(table.id(), change));
    }
    return all.thenApply(v -> new Outcome.Done("ALTER TABLE"));
  }

  private UnaryOperator<TableInfo> change(
      SessionContext session, TableInfo table, AlterAction action) {
    return switch (action) {
      case AlterAction.AddColumn a -> {
        ColumnDefinition c = a.column();
        if (table.column(c.name().text()).isPresent()) {
          if (a.ifNotExists()) {
            session.notice(
                Notice.notice(
                    "column \""
                        + c.name().text()
                        + "\" of relation \""
                        + table.name()
                        + "\" already exists, skipping"));
            yield t -> t;
          }
          throw new MillraceException(
              ErrorCode.DUPLICATE_COLUMN,
              "column \""
                  + c.name().text()
                  + "\" of relation \""
                  + table.name()
                  + "\" already exists");
        }
        yield addColumn(session, c);
      }
      case AlterAction.DropColumn d -> {
        if (table.column(d.column().text()).isEmpty() && d.ifExists()) {
          session.notice(
              Notice.notice("column \"" + d.column().text() + "\" does not exist, skipping"));
          yield t -> t;
        }
        yield t -> dropColumn(t, d.column());
      }
      case AlterAction.RenameColumn r -> t -> renameColumn(t, r.column(), r.newName().text());
      case AlterAction.RenameTable r -> {
        Names.Target target = Names.target(session, r.newName());
        if (session.catalog().table(table.database(), table.schema(), target.name()).isPresent()) {
          throw new MillraceException(
              ErrorCode.DUPLICATE_TABLE, "relation \"" + target.name() + "\" already exists");
        }
        yield t -> TableChanges.copy(t, target.name(), t.columns(), t.storage(), t.comment());
      }
      case AlterAction.SetDefault d -> {
        SqlType type = column(table, d.column()).type();
        services.planner().planDefault(d.value().text(), type, session.planContext(List.of()));
        yield t -> withDefault(t, d.column(), Optional.of(d.value().text()));
      }
      case AlterAction.DropDefault d -> t -> withDefault(t, d.column(), Optional.empty());
      case AlterAction.DropNotNull d -> t -> nullable(t, d.column());
      case AlterAction.OwnerTo o -> t -> t;
      case AlterAction.NoEffect n -> t -> t;
      default ->
          throw new MillraceException(
                  ErrorCode.FEATURE_NOT_SUPPORTED,
                  "this form of ALTER TABLE is not part of this version")
              .withHint(
                  "There are ADD COLUMN, DROP COLUMN, RENAME, SET and DROP DEFAULT and DROP NOT"
                      + " NULL.");
    };
  }

  private static TableInfo.Column column(TableInfo t, Name name) {
    return t.column(name.text())
        .orElseThrow(
            () ->
                Names.hinted(
                    new MillraceException(
                            ErrorCode.UNDEFINED_COLUMN,
                            "column \""
                                + name.text()
                                + "\" of relation \""
                                + t.name()
                                + "\" does not exist")
                        .at(name.position()),
                    name.text(),
                    t.columns().stream().map(TableInfo.Column::name).toList()));
  }

  private UnaryOperator<TableInfo> addColumn(SessionContext session, ColumnDefinition c) {
    var context = session.planContext(List.of());
    SqlType type = services.planner().resolveType(c.type(), context);
    ParsedExpression given = c.defaultValue();
    String initial = null;
    if (given != null) {
      var expr = services.planner().planDefault(given.text(), type, context);
      initial = text(services.evaluator().constant(expr, List.of(), dml.evalContext(session)));
    }
    Boolean nullable = c.nullable();
    if (nullable != null && !nullable && initial == null) {
      throw new MillraceException(
              ErrorCode.NOT_NULL_VIOLATION,
              "column \"" + c.name().text() + "\" contains null values")
          .withHint("Give the new column a DEFAULT.");
    }
    if (c.primaryKey() || c.timeIndex()) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          "a key column cannot be added to a table that has its key");
    }
    String old = initial;
    return t -> {
      int id = t.storage().columns().stream().mapToInt(ColumnSchema::id).max().orElse(0) + 1;
      int attnum = t.columns().stream().mapToInt(TableInfo.Column::attnum).max().orElse(0) + 1;
      id = Math.max(id, attnum);
      boolean canBeNull = nullable == null || nullable;
      var columns = new ArrayList<>(t.columns());
      columns.add(
          new TableInfo.Column(
              id,
              c.name().text(),
              attnum,
              type,
              c.type().sql(),
              canBeNull,
              Optional.ofNullable(given).map(ParsedExpression::text),
              Optional.ofNullable(c.comment()),
              ""));
      var stored = new ArrayList<>(t.storage().columns());
      stored.add(new ColumnSchema(id, c.name().text(), type, SemanticType.FIELD, canBeNull, old));
      return TableChanges.copy(t, t.name(), columns, schema(t, stored), t.comment());
    };
  }

  private static @Nullable String text(Vector v) {
    if (v.isNull(0)) {
      return null;
    }
    var out = new ByteSink(64);
    TypeCodecs.full(v.type())
        .writeText(v, 0, out, io.millrace.common.type.io.SessionFormat.DEFAULT);
    return new String(out.array(), 0, out.position(), StandardCharsets.UTF_8);
  }

  private static TableSchema schema(TableInfo t, List<ColumnSchema> columns) {
    return new TableSchema(
        t.storage().version(), columns, t.storage().tagIds(), t.storage().timeIndexId());
  }

  private TableInfo dropColumn(TableInfo t, Name name) {
    TableInfo.Column c = column(t, name);
    if (t.storage().tagIds().contains(c.id()) || t.storage().timeIndexId() == c.id()) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "column \"" + c.name() + "\" is part of the key and cannot be dropped");
    }
    List<String> users = services.flows().dependents(t.id());
    if (!users.isEmpty()) {
      throw new MillraceException(
              ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop column " + c.name() + " because other objects depend on its table")
          .withDetail("flow " + String.join(", ", users) + " uses table " + t.name());
    }
    return TableChanges.copy(
        t,
        t.name(),
        t.columns().stream().filter(x -> x.id() != c.id()).toList(),
        schema(t, t.storage().columns().stream().filter(x -> x.id() != c.id()).toList()),
        t.comment());
  }

  private static TableInfo renameColumn(TableInfo t, Name name, String next) {
    TableInfo.Column c = column(t, name);
    if (t.column(next).isPresent()) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_COLUMN,
          "column \"" + next + "\" of relation \"" + t.name() + "\" already exists");
    }
    return TableChanges.copy(
        t,
        t.name(),
        replace(
            t,
            c.id(),
            x ->
                new TableInfo.Column(
                    x.id(),
                    next,
                    x.attnum(),
                    x.type(),
                    x.declaredType(),
                    x.nullable(),
                    x.defaultSql(),
                    x.comment(),
                    x.generated())),
        schema(
            t,
            t.storage().columns().stream()
                .map(
                    x ->
                        x.id() == c.id()
                            ? new ColumnSchema(
                                x.id(),
                                next,
                                x.type(),
                                x.semantic(),
                                x.nullable(),
                                x.initialDefault())
                            : x)
                .toList()),
        t.comment());
  }

  private static List<TableInfo.Column> replace(
      TableInfo t, int id, UnaryOperator<TableInfo.Column> change) {
    return t.columns().stream().map(c -> c.id() == id ? change.apply(c) : c).toList();
  }

  private static TableInfo withDefault(TableInfo t, Name name, Optional<String> sql) {
    TableInfo.Column c = column(t, name);
    return TableChanges.copy(
        t,
        t.name(),
        replace(
            t,
            c.id(),
            x ->
                new TableInfo.Column(
                    x.id(),
                    x.name(),
                    x.attnum(),
                    x.type(),
                    x.declaredType(),
                    x.nullable(),
                    sql,
                    x.comment(),
                    x.generated())),
        t.storage(),
        t.comment());
  }

  private static TableInfo nullable(TableInfo t, Name name) {
    TableInfo.Column c = column(t, name);
    return TableChanges.copy(
        t,
        t.name(),
        replace(
            t,
            c.id(),
            x ->
                new TableInfo.Column(
                    x.id(),
                    x.name(),
                    x.attnum(),
                    x.type(),
                    x.declaredType(),
                    true,
                    x.defaultSql(),
                    x.comment(),
                    x.generated())),
        t.storage(),
        t.comment());
  }
}
