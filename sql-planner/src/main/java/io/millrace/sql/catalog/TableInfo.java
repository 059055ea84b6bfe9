package io.millrace.sql.catalog;

import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A stored table as SQL sees it.
 *
 * @param oid pg_class oid, stable across restarts
 * @param version grows with every change of the table
 * @param database name of the database it lives in
 * @param schema name of the schema
 * @param columns user-visible columns in attribute order (attnum = place + 1, dropped ones excluded
 *     by attnum gaps), without hidden ones
 * @param storage what the regions know, hidden columns included
 * @param constraints primary key, unique, check, foreign key
 * @param options WITH options as given, normalised keys
 * @param hidden a table that no user sees (ledgers, checkpoints)
 */
public record TableInfo(
    TableId id,
    int oid,
    int version,
    String database,
    String schema,
    String name,
    List<Column> columns,
    TableSchema storage,
    RegionOptions regionOptions,
    List<RegionId> regions,
    List<Constraint> constraints,
    Map<String, String> options,
    Optional<String> comment,
    long createdMicros,
    boolean hidden) {

  /**
   * A column as SQL sees it; its storage part is {@link TableSchema#byId}.
   *
   * @param declaredType the type as the user may write it again, such as {@code uint8}
   * @param defaultSql text of the DEFAULT expression
   * @param generated kind of identity or generated column: empty, a, d, s as pg_attribute
   */
  public record Column(
      int id,
      String name,
      int attnum,
      SqlType type,
      String declaredType,
      boolean nullable,
      Optional<String> defaultSql,
      Optional<String> comment,
      String generated) {}

  /** kind: p, u, c, f as pg_constraint; columns by id. */
  public record Constraint(
      int oid,
      String name,
      char kind,
      List<Integer> columnIds,
      Optional<String> checkSql,
      Optional<ForeignKey> foreignKey) {}

  public record ForeignKey(String table, List<String> columns) {}

  public Optional<Column> column(String columnName) {
    return columns.stream().filter(c -> c.name().equals(columnName)).findFirst();
  }

  public Optional<Column> columnById(int id) {
    return columns.stream().filter(c -> c.id() == id).findFirst();
  }

  /** The time index as the user knows it; empty for tables with a hidden one. */
  public Optional<Column> timeIndex() {
    ColumnSchema t = storage.timeIndex();
    return columnById(t.id());
  }

  public boolean appendMode() {
    return regionOptions.appendMode();
  }
}
