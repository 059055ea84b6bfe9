package io.millrace.sql.plan.rel;

import io.millrace.sql.physical.PhysicalPlan.GapBound;
import io.millrace.sql.physical.PhysicalPlan.RangeItem.Fill;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * Buckets of time that have no rows, over an input whose first columns are the keys, followed by
 * the bucket and by columns to fill.
 */
public final class GapFill extends SingleRel {
  /** A bound of the buckets. */
  public record Bound(GapBound.Kind kind, RexNode value) {}

  /**
   * Where buckets are; all fixed when the plan is opened.
   *
   * @param width an interval
   * @param origin the beginning of some bucket
   */
  public record Grid(RexNode width, RexNode origin, List<Bound> bounds) {
    public Grid {
      bounds = List.copyOf(bounds);
    }

    Grid accept(RexShuttle shuttle) {
      var changed = new ArrayList<Bound>(bounds.size());
      for (Bound b : bounds) {
        changed.add(new Bound(b.kind(), b.value().accept(shuttle)));
      }
      return new Grid(width.accept(shuttle), origin.accept(shuttle), changed);
    }
  }

  private final int keys;
  private final List<Fill> fills;
  private final Grid grid;

  public GapFill(RelNode input, int keys, List<Fill> fills, Grid grid, RelDataType rowType) {
    this(
        input.getCluster(),
        input.getCluster().traitSetOf(Convention.NONE),
        input,
        keys,
        fills,
        grid,
        rowType);
  }

  private GapFill(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode input,
      int keys,
      List<Fill> fills,
      Grid grid,
      RelDataType rowType) {
    super(cluster, traits, input);
    this.keys = keys;
    this.fills = List.copyOf(fills);
    this.grid = grid;
    this.rowType = rowType;
  }

  /** How many leading columns are keys; the next one is the bucket. */
  public int keys() {
    return keys;
  }

  /** Of the columns behind the bucket. */
  public List<Fill> fills() {
    return fills;
  }

  public Grid grid() {
    return grid;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new GapFill(getCluster(), traitSet, sole(inputs), keys, fills, grid, rowType);
  }

  @Override
  public RelNode accept(RexShuttle shuttle) {
    Grid other = grid.accept(shuttle);
    return other.equals(grid)
        ? this
        : new GapFill(getCluster(), traitSet, input, keys, fills, other, rowType);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw).item("keys", keys).item("fills", fills).item("grid", grid);
  }
}
