package io.millrace.sql.catalog;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A flow's definition as the catalog keeps it. Durations in microseconds.
 *
 * @param bound the sources as the query's text knows them, so that later names and columns of them
 *     do not matter
 */
public record FlowInfo(
    FlowId id,
    int oid,
    int version,
    String database,
    String schema,
    String name,
    String sinkDatabase,
    String sinkSchema,
    String sinkTable,
    Optional<TableId> sinkId,
    List<TableId> sources,
    List<String> sourceNames,
    String query,
    String rawSql,
    OptionalLong expireAfterMicros,
    OptionalLong evalIntervalMicros,
    Optional<String> comment,
    Map<String, String> options,
    Map<String, String> sessionSettings,
    long createdMicros,
    long updatedMicros,
    List<BoundTable> bound) {
  public FlowInfo {
    // Entries of earlier versions come without it.
    bound = bound == null ? List.of() : List.copyOf(bound);
  }

  /** A source's name and columns at CREATE FLOW. */
  public record BoundTable(
      TableId id, String database, String schema, String name, List<BoundColumn> columns) {
    public BoundTable {
      columns = List.copyOf(columns);
    }
  }

  /** A column's name at CREATE FLOW. */
  public record BoundColumn(int id, String name) {}
}
