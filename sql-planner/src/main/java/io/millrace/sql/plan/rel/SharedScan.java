package io.millrace.sql.plan.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/** The rows of a {@link Shared} definition. */
public final class SharedScan extends AbstractRelNode {
  private final int shareId;

  public SharedScan(RelOptCluster cluster, int shareId, RelDataType rowType) {
    super(cluster, cluster.traitSetOf(Convention.NONE));
    this.shareId = shareId;
    this.rowType = rowType;
  }

  public int shareId() {
    return shareId;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw).item("id", shareId).item("type", rowType);
  }
}
