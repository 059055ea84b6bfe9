package io.millrace.sql.plan.rel;

import io.millrace.sql.physical.PhysicalPlan.RangeItem.Fill;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.jspecify.annotations.Nullable;

/**
 * A range query over an input whose first columns are the keys, followed by the rows' time. Its
 * columns are the keys, the align point and the items.
 */
public final class RangeSelect extends SingleRel {
  /**
   * An item.
   *
   * @param span its window, an interval fixed when the plan is opened
   * @param value of a fill by constant
   */
  public record Item(AggregateCall call, RexNode span, Fill fill, @Nullable RexNode value) {
    Item accept(RexShuttle shuttle) {
      return new Item(
          call, span.accept(shuttle), fill, value == null ? null : value.accept(shuttle));
    }
  }

  /**
   * Where align points are.
   *
   * @param align their distance, an interval
   * @param origin one of them; null for the calendar of the session's time zone
   */
  public record Grid(RexNode align, @Nullable RexNode origin) {
    Grid accept(RexShuttle shuttle) {
      return new Grid(align.accept(shuttle), origin == null ? null : origin.accept(shuttle));
    }
  }

  private final int keys;
  private final List<Item> items;
  private final Grid grid;

  public RangeSelect(RelNode input, int keys, List<Item> items, Grid grid, RelDataType rowType) {
    this(
        input.getCluster(),
        input.getCluster().traitSetOf(Convention.NONE),
        input,
        keys,
        items,
        grid,
        rowType);
  }

  private RangeSelect(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode input,
      int keys,
      List<Item> items,
      Grid grid,
      RelDataType rowType) {
    super(cluster, traits, input);
    this.keys = keys;
    this.items = List.copyOf(items);
    this.grid = grid;
    this.rowType = rowType;
  }

  /** How many leading columns are keys; the next one is the time. */
  public int keys() {
    return keys;
  }

  public List<Item> items() {
    return items;
  }

  public Grid grid() {
    return grid;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new RangeSelect(getCluster(), traitSet, sole(inputs), keys, items, grid, rowType);
  }

  @Override
  public RelNode accept(RexShuttle shuttle) {
    var changed = new ArrayList<Item>(items.size());
    for (Item i : items) {
      changed.add(i.accept(shuttle));
    }
    Grid other = grid.accept(shuttle);
    return changed.equals(items) && other.equals(grid)
        ? this
        : new RangeSelect(getCluster(), traitSet, input, keys, changed, other, rowType);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw).item("keys", keys).item("items", items).item("grid", grid);
  }
}
