package io.millrace.sql.plan.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/** The rows that an earlier step of the statement has given. */
public final class StepRows extends AbstractRelNode {
  private final int step;

  public StepRows(RelOptCluster cluster, int step, RelDataType rowType) {
    super(cluster, cluster.traitSetOf(Convention.NONE));
    this.step = step;
    this.rowType = rowType;
  }

  public int step() {
    return step;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw).item("id", step).item("type", rowType);
  }
}
