package io.millrace.sql.catalog;

import io.millrace.common.type.SqlType;
import java.util.List;

/**
 * A relation that is computed: of information_schema or pg_catalog.
 *
 * @param oid its oid in pg_class
 */
public record SystemRelation(int oid, String schema, String name, List<Column> columns) {
  public SystemRelation {
    columns = List.copyOf(columns);
  }

  /** A column; its attribute number is its place from 1. */
  public record Column(String name, SqlType type) {}
}
