package io.millrace.sql.plan.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.util.ImmutableIntList;

/** First row of each run of equal keys; the input is sorted so that equal keys are neighbours. */
public final class DistinctOn extends SingleRel {
  private final ImmutableIntList keys;

  public DistinctOn(RelNode input, List<Integer> keys) {
    this(input.getCluster(), input.getCluster().traitSetOf(Convention.NONE), input, keys);
  }

  private DistinctOn(RelOptCluster cluster, RelTraitSet traits, RelNode input, List<Integer> keys) {
    super(cluster, traits, input);
    this.keys = ImmutableIntList.copyOf(keys);
  }

  public List<Integer> keys() {
    return keys;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new DistinctOn(getCluster(), traitSet, sole(inputs), keys);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw).item("keys", keys);
  }
}
