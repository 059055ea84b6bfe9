package io.millrace.sql.plan.rel;

import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptAbstractTable;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * A stored table with the columns that a scan gives: the visible ones in order, then, for
 * statements that write, the hidden ones of the storage key.
 */
public final class MillTable extends RelOptAbstractTable {
  private final TableInfo info;
  private final List<Integer> columnIds;
  private final List<SqlType> columnTypes;

  private MillTable(
      TableInfo info, RelDataType rowType, List<Integer> columnIds, List<SqlType> columnTypes) {
    super(null, info.schema() + "." + info.name(), rowType);
    this.info = info;
    this.columnIds = columnIds;
    this.columnTypes = columnTypes;
  }

  /**
   * @param withHidden also the columns that no user sees
   */
  public static MillTable of(TableInfo info, MillTypeFactory types, boolean withHidden) {
    var ids = new ArrayList<Integer>();
    var sqlTypes = new ArrayList<SqlType>();
    RelDataTypeFactory.Builder row = types.builder();
    for (TableInfo.Column c : info.columns()) {
      ids.add(c.id());
      sqlTypes.add(c.type());
      row.add(c.name(), types.of(c.type(), c.nullable()));
    }
    if (withHidden) {
      for (ColumnSchema c : info.storage().columns()) {
        if (!ids.contains(c.id())) {
          ids.add(c.id());
          sqlTypes.add(c.type());
          row.add("\u0000" + c.name(), types.of(c.type(), c.nullable()));
        }
      }
    }
    return new MillTable(info, row.build(), List.copyOf(ids), List.copyOf(sqlTypes));
  }

  public TableInfo info() {
    return info;
  }

  /** Storage ids of the columns, in the row's order. */
  public List<Integer> columnIds() {
    return columnIds;
  }

  public List<SqlType> columnTypes() {
    return columnTypes;
  }

  @Override
  public List<String> getQualifiedName() {
    return List.of(info.database(), info.schema(), info.name());
  }

  @Override
  public double getRowCount() {
    return 1_000_000d;
  }

  /** The storage key: tags and time, unless rows are only appended. */
  @Override
  public List<ImmutableBitSet> getKeys() {
    if (info.appendMode()) {
      return List.of();
    }
    var key = ImmutableBitSet.builder();
    for (int tag : info.storage().tagIds()) {
      int at = columnIds.indexOf(tag);
      if (at < 0) {
        return List.of();
      }
      key.set(at);
    }
    int time = columnIds.indexOf(info.storage().timeIndexId());
    if (time < 0) {
      return List.of();
    }
    return List.of(key.set(time).build());
  }

  @Override
  public boolean isKey(ImmutableBitSet columns) {
    return getKeys().stream().anyMatch(columns::contains);
  }

  @Override
  public <T> @Nullable T unwrap(Class<T> type) {
    return type.isInstance(this) ? type.cast(this) : null;
  }
}
