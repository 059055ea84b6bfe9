package io.millrace.sql.plan.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * A select list with set-returning calls. An item returns a set if it is a call of a {@link
 * MillFunction} that does; nested ones stand in a ProjectSet below. Rows go in step, shorter sets
 * are padded with NULL.
 */
public final class ProjectSet extends SingleRel {
  private final List<RexNode> items;

  public ProjectSet(RelNode input, List<RexNode> items, RelDataType rowType) {
    this(input.getCluster(), input.getCluster().traitSetOf(Convention.NONE), input, items, rowType);
  }

  private ProjectSet(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode input,
      List<RexNode> items,
      RelDataType rowType) {
    super(cluster, traits, input);
    this.items = List.copyOf(items);
    this.rowType = rowType;
  }

  public List<RexNode> items() {
    return items;
  }

  public boolean returnsSet(int item) {
    return items.get(item) instanceof org.apache.calcite.rex.RexCall c
        && c.getOperator() instanceof MillFunction f
        && f.returnsSet();
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new ProjectSet(getCluster(), traitSet, sole(inputs), items, rowType);
  }

  @Override
  public RelNode accept(RexShuttle shuttle) {
    List<RexNode> changed = shuttle.apply(items);
    return changed == items
        ? this
        : new ProjectSet(getCluster(), traitSet, input, changed, rowType);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    super.explainTerms(pw);
    for (int i = 0; i < items.size(); i++) {
      pw.item(rowType.getFieldNames().get(i), items.get(i));
    }
    return pw;
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return mq.getRowCount(input) * 10;
  }
}
