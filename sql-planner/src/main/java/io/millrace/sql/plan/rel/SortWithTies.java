package io.millrace.sql.plan.rel;

import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** FETCH FIRST n ROWS WITH TIES: also the rows that the order holds for equal to the last. */
public final class SortWithTies extends Sort {
  private SortWithTies(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode input,
      RelCollation collation,
      @Nullable RexNode offset,
      @Nullable RexNode fetch) {
    super(cluster, traits, input, collation, offset, fetch);
  }

  public static SortWithTies create(
      RelNode input, RelCollation order, @Nullable RexNode offset, @Nullable RexNode fetch) {
    RelOptCluster cluster = input.getCluster();
    RelTraitSet traits = cluster.traitSetOf(Convention.NONE).replace(order);
    return new SortWithTies(cluster, traits, input, order, offset, fetch);
  }

  @Override
  public Sort copy(
      RelTraitSet traits,
      RelNode input,
      RelCollation order,
      @Nullable RexNode offset,
      @Nullable RexNode fetch) {
    return new SortWithTies(getCluster(), traits, input, order, offset, fetch);
  }
}
