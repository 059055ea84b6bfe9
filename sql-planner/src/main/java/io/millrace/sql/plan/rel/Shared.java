package io.millrace.sql.plan.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/** A definition (left) computed once, read by {@link SharedScan}s anywhere in the input (right). */
public final class Shared extends BiRel {
  private final int shareId;

  public Shared(int shareId, RelNode definition, RelNode input) {
    this(
        input.getCluster(),
        input.getCluster().traitSetOf(Convention.NONE),
        shareId,
        definition,
        input);
  }

  private Shared(
      RelOptCluster cluster, RelTraitSet traits, int shareId, RelNode definition, RelNode input) {
    super(cluster, traits, definition, input);
    this.shareId = shareId;
  }

  public int shareId() {
    return shareId;
  }

  @Override
  protected RelDataType deriveRowType() {
    return right.getRowType();
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new Shared(getCluster(), traitSet, shareId, inputs.get(0), inputs.get(1));
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw).item("id", shareId);
  }
}
