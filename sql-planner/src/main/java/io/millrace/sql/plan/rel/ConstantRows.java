package io.millrace.sql.plan.rel;

import java.util.ArrayList;
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

/** VALUES of expressions without input: constants, parameters, calls of them. */
public final class ConstantRows extends AbstractRelNode {
  private final List<List<RexNode>> rows;

  public ConstantRows(RelOptCluster cluster, RelDataType rowType, List<List<RexNode>> rows) {
    super(cluster, cluster.traitSetOf(Convention.NONE));
    this.rowType = rowType;
    var copy = new ArrayList<List<RexNode>>(rows.size());
    for (List<RexNode> r : rows) {
      copy.add(List.copyOf(r));
    }
    this.rows = List.copyOf(copy);
  }

  public List<List<RexNode>> rows() {
    return rows;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }

  @Override
  public RelNode accept(RexShuttle shuttle) {
    var changed = new ArrayList<List<RexNode>>(rows.size());
    boolean same = true;
    for (List<RexNode> r : rows) {
      List<RexNode> next = shuttle.apply(r);
      same &= next == r;
      changed.add(next);
    }
    return same ? this : new ConstantRows(getCluster(), rowType, changed);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw).item("type", rowType).item("rows", rows);
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return rows.size();
  }
}
