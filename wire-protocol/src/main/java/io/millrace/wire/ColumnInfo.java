package io.millrace.wire;

import io.millrace.common.type.SqlType;

/**
 * A column of a result.
 *
 * @param tableOid the table it comes from; 0 if it is computed
 * @param attributeNumber its number in that table; 0 if it is computed
 */
public record ColumnInfo(String name, SqlType type, int tableOid, int attributeNumber) {
  /** A computed column. */
  public static ColumnInfo of(String name, SqlType type) {
    return new ColumnInfo(name, type, 0, 0);
  }
}
