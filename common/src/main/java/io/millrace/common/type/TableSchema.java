package io.millrace.common.type;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What storage knows of a table: its columns in order, the tags in key order and the time index
 * (always present; hidden for tables without a TIME INDEX). The key of a row is (tags, time index).
 *
 * @param version grows with every ALTER
 * @param tagIds column ids of the primary key, in key order
 * @param timeIndexId column id of the time index
 */
public record TableSchema(
    int version, List<ColumnSchema> columns, List<Integer> tagIds, int timeIndexId) {
  public TableSchema {
    columns = List.copyOf(columns);
    tagIds = List.copyOf(tagIds);
  }

  /** Position of a column id in {@link #columns}; -1 if there is none. */
  public int indexOf(int columnId) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).id() == columnId) {
        return i;
      }
    }
    return -1;
  }

  public @Nullable ColumnSchema byId(int columnId) {
    int i = indexOf(columnId);
    return i < 0 ? null : columns.get(i);
  }

  public @Nullable ColumnSchema byName(String name) {
    for (ColumnSchema c : columns) {
      if (c.name().equals(name)) {
        return c;
      }
    }
    return null;
  }

  public ColumnSchema timeIndex() {
    return columns.get(indexOf(timeIndexId));
  }
}
