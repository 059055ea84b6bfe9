package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.TableDefinition;
import io.millrace.sql.ddl.TableDefinition.ConstraintDefinition;
import io.millrace.sql.parser.ast.ColumnDefinition;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.TableConstraint;
import io.millrace.sql.parser.ast.TableElement;
import io.millrace.sql.plan.Planner;
import io.millrace.wire.Notice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns CREATE TABLE's elements into a definition: types resolved, defaults and checks planned
 * once.
 */
final class TableDefinitions {
  private final StatementServices services;

  TableDefinitions(StatementServices services) {
    this.services = services;
  }

  /** What has been gathered of one statement. */
  private static final class Draft {
    final List<TableDefinition.ColumnDefinition> columns = new ArrayList<>();
    final List<ConstraintDefinition> constraints = new ArrayList<>();
    @Nullable List<String> primaryKey;
    @Nullable String timeIndex;
  }

  TableDefinition of(SessionContext session, Names.Target target, Statement.CreateTable s) {
    Planner.PlanContext context = session.planContext(List.of());
    if (s.partitions() != null) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED, "tables of several regions cannot be created yet")
          .withHint("Leave PARTITION ON COLUMNS out: the table then has one region.");
    }
    var d = new Draft();
    for (TableElement e : s.elements()) {
      switch (e) {
        case ColumnDefinition c -> column(context, target, c, d);
        case TableElement.LikeTable l -> like(session, l, d);
        case TableConstraint c -> constraint(c, d);
      }
    }
    var definition =
        new TableDefinition(
            target.database(),
            target.schema(),
            target.name(),
            d.columns,
            d.primaryKey == null ? List.of() : d.primaryKey,
            Optional.ofNullable(d.timeIndex),
            d.constraints,
            options(s.options()),
            Optional.ofNullable(s.comment()),
            false);
    if (d.timeIndex != null && d.constraints.stream().anyMatch(c -> c.kind() == 'u')) {
      session.notice(
          Notice.warning(
              ErrorCode.WARNING,
              "UNIQUE is recorded but not enforced on tables with a TIME INDEX"));
    }
    if (d.constraints.stream().anyMatch(c -> c.kind() == 'f')) {
      session.notice(Notice.warning(ErrorCode.WARNING, "FOREIGN KEY is recorded but not enforced"));
    }
    return definition;
  }

  private void column(
      Planner.PlanContext context, Names.Target target, ColumnDefinition c, Draft d) {
    String name = c.name().text();
    SqlType type = services.planner().resolveType(c.type(), context);
    if (type.kind() == TypeKind.VOID || type.kind() == TypeKind.RECORD) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "column \"" + name + "\" has pseudo-type " + type.sqlName());
    }
    ParsedExpression given = c.defaultValue();
    Optional<String> defaultSql = Optional.ofNullable(given).map(ParsedExpression::text);
    defaultSql.ifPresent(sql -> services.planner().planDefault(sql, type, context));
    Boolean nullable = c.nullable();
    d.columns.add(
        new TableDefinition.ColumnDefinition(
            name,
            type,
            c.type().sql(),
            nullable != null && !nullable,
            defaultSql,
            Optional.ofNullable(c.comment()),
            ""));
    if (c.primaryKey()) {
      setPrimaryKey(target.name(), d, List.of(name));
    }
    if (c.timeIndex()) {
      setTimeIndex(d, name);
    }
    if (c.unique()) {
      d.constraints.add(unnamed("", 'u', List.of(name)));
    }
    for (TableConstraint.Check check : c.checks()) {
      addCheck(d, check, List.of(name));
    }
    TableConstraint.ForeignKey references = c.references();
    if (references != null) {
      addForeignKey(d, references, List.of(name));
    }
  }

  private static void setPrimaryKey(String table, Draft d, List<String> columns) {
    if (d.primaryKey != null) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "multiple primary keys for table \"" + table + "\" are not allowed");
    }
    d.primaryKey = columns;
  }

  private static void setTimeIndex(Draft d, String column) {
    if (d.timeIndex != null && !d.timeIndex.equals(column)) {
      throw new MillraceException(
          ErrorCode.INVALID_TABLE_DEFINITION,
          "a table has one TIME INDEX, but \""
              + d.timeIndex
              + "\" and \""
              + column
              + "\" are named");
    }
    d.timeIndex = column;
  }

  private static ConstraintDefinition unnamed(String name, char kind, List<String> columns) {
    return new ConstraintDefinition(
        name, kind, columns, Optional.empty(), Optional.empty(), List.of());
  }

  private static void addCheck(Draft d, TableConstraint.Check c, List<String> columns) {
    d.constraints.add(
        new ConstraintDefinition(
            c.constraintName() == null ? "" : c.constraintName(),
            'c',
            columns,
            Optional.of(c.condition().text()),
            Optional.empty(),
            List.of()));
  }

  private static void addForeignKey(Draft d, TableConstraint.ForeignKey f, List<String> columns) {
    d.constraints.add(
        new ConstraintDefinition(
            f.constraintName() == null ? "" : f.constraintName(),
            'f',
            columns,
            Optional.empty(),
            Optional.of(f.table().toString()),
            names(f.referenced())));
  }

  private static List<String> names(List<Name> names) {
    return names.stream().map(Name::text).toList();
  }

  private static void constraint(TableConstraint c, Draft d) {
    switch (c) {
      case TableConstraint.PrimaryKey p -> setPrimaryKey("", d, names(p.columns()));
      case TableConstraint.TimeIndex t -> setTimeIndex(d, t.column().text());
      case TableConstraint.Unique u ->
          d.constraints.add(
              unnamed(
                  u.constraintName() == null ? "" : u.constraintName(), 'u', names(u.columns())));
      case TableConstraint.Check k -> addCheck(d, k, List.of());
      case TableConstraint.ForeignKey f -> addForeignKey(d, f, names(f.columns()));
    }
  }

  private static void like(SessionContext session, TableElement.LikeTable l, Draft d) {
    TableInfo t = Names.table(session, l.table());
    boolean all = l.options().contains("including all");
    boolean defaults = all || l.options().contains("including defaults");
    boolean comments = all || l.options().contains("including comments");
    boolean keys = all || l.options().contains("including indexes") || t.timeIndex().isPresent();
    for (TableInfo.Column c : t.columns()) {
      d.columns.add(
          new TableDefinition.ColumnDefinition(
              c.name(),
              c.type(),
              c.declaredType(),
              !c.nullable(),
              defaults ? c.defaultSql() : Optional.empty(),
              comments ? c.comment() : Optional.empty(),
              c.generated()));
    }
    if (keys) {
      t.timeIndex().ifPresent(c -> setTimeIndex(d, c.name()));
      for (TableInfo.Constraint c : t.constraints()) {
        List<String> columns =
            c.columnIds().stream()
                .map(id -> t.columnById(id).map(TableInfo.Column::name).orElseThrow())
                .toList();
        if (c.kind() == 'p') {
          setPrimaryKey(t.name(), d, columns);
        } else if (c.kind() == 'u') {
          d.constraints.add(unnamed("", 'u', columns));
        }
      }
    }
    if (all || l.options().contains("including constraints")) {
      for (TableInfo.Constraint c : t.constraints()) {
        if (c.kind() == 'c') {
          d.constraints.add(
              new ConstraintDefinition(
                  c.name(), 'c', List.of(), c.checkSql(), Optional.empty(), List.of()));
        }
      }
    }
  }

  static Map<String, String> options(List<Option> options) {
    var out = new LinkedHashMap<String, String>();
    for (Option o : options) {
      String v = o.value();
      out.put(o.key(), v == null ? "true" : v);
    }
    return out;
  }
}
