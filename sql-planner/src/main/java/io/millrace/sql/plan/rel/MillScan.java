package io.millrace.sql.plan.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.TableScan;

/** Scan of a {@link MillTable} or a {@link SystemTable}: all columns of its row. */
public final class MillScan extends TableScan {
  public MillScan(RelOptCluster cluster, RelOptTable table) {
    super(cluster, cluster.traitSetOf(Convention.NONE), List.of(), table);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }
}
