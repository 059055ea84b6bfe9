package io.millrace.sql.ddl;

import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A CREATE TABLE as analysed: names folded, types resolved, expressions as text.
 *
 * @param primaryKey column names in key order; empty = none
 * @param timeIndex name of the TIME INDEX column; empty = hidden row id
 * @param options WITH options as given
 * @param hidden a table of the system's own
 * @param hiddenColumns columns that are stored but not shown
 */
public record TableDefinition(
    String database,
    String schema,
    String name,
    List<ColumnDefinition> columns,
    List<String> primaryKey,
    Optional<String> timeIndex,
    List<ConstraintDefinition> constraints,
    Map<String, String> options,
    Optional<String> comment,
    boolean hidden,
    List<String> hiddenColumns) {

  /** Without hidden columns. */
  public TableDefinition(
      String database,
      String schema,
      String name,
      List<ColumnDefinition> columns,
      List<String> primaryKey,
      Optional<String> timeIndex,
      List<ConstraintDefinition> constraints,
      Map<String, String> options,
      Optional<String> comment,
      boolean hidden) {
    this(
        database,
        schema,
        name,
        columns,
        primaryKey,
        timeIndex,
        constraints,
        options,
        comment,
        hidden,
        List.of());
  }

  /**
   * @param declaredType the type as written, for SHOW CREATE TABLE
   * @param generated empty, or a / d for GENERATED ALWAYS / BY DEFAULT AS IDENTITY
   */
  public record ColumnDefinition(
      String name,
      SqlType type,
      String declaredType,
      boolean notNull,
      Optional<String> defaultSql,
      Optional<String> comment,
      String generated) {}

  /**
   * kind p, u, c or f; an empty name is made up as PostgreSQL does. A p only names the primary key.
   */
  public record ConstraintDefinition(
      String name,
      char kind,
      List<String> columns,
      Optional<String> checkSql,
      Optional<TableInfo.ForeignKey> foreignKey) {}
}
