package io.millrace.sql.plan.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/** The last round's rows inside a {@link Recurse}'s step. */
public final class WorkTable extends AbstractRelNode {
  private final int workTable;

  public WorkTable(RelOptCluster cluster, int workTable, RelDataType rowType) {
    super(cluster, cluster.traitSetOf(Convention.NONE));
    this.workTable = workTable;
    this.rowType = rowType;
  }

  public int workTable() {
    return workTable;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw).item("id", workTable).item("type", rowType);
  }
}
