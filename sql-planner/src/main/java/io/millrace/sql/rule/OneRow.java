package io.millrace.sql.rule;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.SingleRel;

/** Exactly one row: NULLs for an empty input, an error for more than one row. */
public final class OneRow extends SingleRel {
  OneRow(RelNode input) {
    this(input.getCluster(), input.getCluster().traitSetOf(Convention.NONE), input);
  }

  private OneRow(RelOptCluster cluster, RelTraitSet traits, RelNode input) {
    super(cluster, traits, input);
    this.rowType = Rels.nullable(input.getRowType(), cluster.getTypeFactory());
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new OneRow(getCluster(), traitSet, sole(inputs));
  }
}
