package io.millrace.sql.plan.rel;

import io.millrace.sql.physical.PhysicalPlan.Frame.Bound;
import io.millrace.sql.physical.PhysicalPlan.Frame.Exclude;
import io.millrace.sql.physical.PhysicalPlan.Frame.Mode;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.util.ImmutableIntList;
import org.jspecify.annotations.Nullable;

/** Window calls of one partitioning and ordering, appended to the input's columns. */
public final class MillWindow extends SingleRel {
  /**
   * A call; offsets are null for unbounded and current row, else fixed when the plan is opened.
   *
   * @param filter null = all rows
   */
  public record Call(
      MillAggFunction function,
      RelDataType type,
      List<RexNode> args,
      @Nullable RexNode filter,
      Mode mode,
      Bound start,
      @Nullable RexNode startOffset,
      Bound end,
      @Nullable RexNode endOffset,
      Exclude exclude) {
    public Call {
      args = List.copyOf(args);
    }

    Call accept(RexShuttle shuttle) {
      return new Call(
          function,
          type,
          shuttle.apply(args),
          apply(shuttle, filter),
          mode,
          start,
          apply(shuttle, startOffset),
          end,
          apply(shuttle, endOffset),
          exclude);
    }

    private static @Nullable RexNode apply(RexShuttle shuttle, @Nullable RexNode node) {
      return node == null ? null : node.accept(shuttle);
    }
  }

  private final ImmutableIntList partitionBy;
  private final List<RelFieldCollation> orderBy;
  private final List<Call> calls;

  public MillWindow(
      RelNode input,
      List<Integer> partitionBy,
      List<RelFieldCollation> orderBy,
      List<Call> calls,
      RelDataType rowType) {
    this(
        input.getCluster(),
        input.getCluster().traitSetOf(Convention.NONE),
        input,
        partitionBy,
        orderBy,
        calls,
        rowType);
  }

  private MillWindow(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode input,
      List<Integer> partitionBy,
      List<RelFieldCollation> orderBy,
      List<Call> calls,
      RelDataType rowType) {
    super(cluster, traits, input);
    this.partitionBy = ImmutableIntList.copyOf(partitionBy);
    this.orderBy = List.copyOf(orderBy);
    this.calls = List.copyOf(calls);
    this.rowType = rowType;
  }

  public List<Integer> partitionBy() {
    return partitionBy;
  }

  public List<RelFieldCollation> orderBy() {
    return orderBy;
  }

  public List<Call> calls() {
    return calls;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new MillWindow(
        getCluster(), traitSet, sole(inputs), partitionBy, orderBy, calls, rowType);
  }

  @Override
  public RelNode accept(RexShuttle shuttle) {
    var changed = new ArrayList<Call>(calls.size());
    for (Call c : calls) {
      changed.add(c.accept(shuttle));
    }
    return changed.equals(calls)
        ? this
        : new MillWindow(getCluster(), traitSet, input, partitionBy, orderBy, changed, rowType);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw)
        .item("partition", partitionBy)
        .item("order", orderBy)
        .item("calls", calls);
  }
}
