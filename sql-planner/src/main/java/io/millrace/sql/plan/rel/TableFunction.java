package io.millrace.sql.plan.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * Rows of functions in FROM, in step, perhaps with their ordinal as the last column. The calls have
 * no input references; where they are LATERAL they use a correlation variable, and the node stands
 * on the right of a LogicalCorrelate.
 */
public final class TableFunction extends AbstractRelNode {
  private final List<RexNode> calls;
  private final boolean ordinality;

  public TableFunction(
      RelOptCluster cluster, List<RexNode> calls, boolean ordinality, RelDataType rowType) {
    super(cluster, cluster.traitSetOf(Convention.NONE));
    this.calls = List.copyOf(calls);
    this.ordinality = ordinality;
    this.rowType = rowType;
  }

  /** Each a call of a {@link MillFunction}, set-returning or not (then one row). */
  public List<RexNode> calls() {
    return calls;
  }

  public boolean ordinality() {
    return ordinality;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }

  @Override
  public RelNode accept(RexShuttle shuttle) {
    List<RexNode> changed = shuttle.apply(calls);
    return changed == calls ? this : new TableFunction(getCluster(), changed, ordinality, rowType);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw)
        .item("calls", calls)
        .item("ordinality", ordinality)
        .item("type", rowType);
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return 1000d;
  }
}
