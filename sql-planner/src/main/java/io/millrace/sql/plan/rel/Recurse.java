package io.millrace.sql.plan.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/** WITH RECURSIVE: the seed's rows (left), then the step (right) over the last round's rows. */
public final class Recurse extends BiRel {
  private final int workTable;
  private final boolean distinct;

  public Recurse(int workTable, RelNode seed, RelNode step, boolean distinct) {
    this(
        seed.getCluster(),
        seed.getCluster().traitSetOf(Convention.NONE),
        workTable,
        seed,
        step,
        distinct);
  }

  private Recurse(
      RelOptCluster cluster,
      RelTraitSet traits,
      int workTable,
      RelNode seed,
      RelNode step,
      boolean distinct) {
    super(cluster, traits, seed, step);
    this.workTable = workTable;
    this.distinct = distinct;
  }

  /** Matches {@link WorkTable#workTable}. */
  public int workTable() {
    return workTable;
  }

  public boolean distinct() {
    return distinct;
  }

  @Override
  protected RelDataType deriveRowType() {
    var types = getCluster().getTypeFactory();
    var row = types.builder();
    for (var f : left.getRowType().getFieldList()) {
      row.add(f.getName(), types.createTypeWithNullability(f.getType(), true));
    }
    return row.build();
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new Recurse(getCluster(), traitSet, workTable, inputs.get(0), inputs.get(1), distinct);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw).item("id", workTable).item("distinct", distinct);
  }
}
