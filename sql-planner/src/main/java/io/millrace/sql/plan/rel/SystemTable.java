package io.millrace.sql.plan.rel;

import io.millrace.sql.catalog.SystemRelation;
import java.util.List;
import org.apache.calcite.plan.RelOptAbstractTable;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.jspecify.annotations.Nullable;

/** A system relation as Calcite sees it. */
public final class SystemTable extends RelOptAbstractTable {
  private final SystemRelation relation;

  public SystemTable(SystemRelation relation, MillTypeFactory types) {
    super(null, relation.schema() + "." + relation.name(), row(relation, types).build());
    this.relation = relation;
  }

  private static RelDataTypeFactory.Builder row(SystemRelation relation, MillTypeFactory types) {
    RelDataTypeFactory.Builder row = types.builder();
    for (SystemRelation.Column c : relation.columns()) {
      row.add(c.name(), types.of(c.type()));
    }
    return row;
  }

  public SystemRelation relation() {
    return relation;
  }

  @Override
  public List<String> getQualifiedName() {
    return List.of(relation.schema(), relation.name());
  }

  @Override
  public double getRowCount() {
    return 1_000d;
  }

  @Override
  public <T> @Nullable T unwrap(Class<T> type) {
    return type.isInstance(this) ? type.cast(this) : null;
  }
}
