package io.millrace.sql.plan.analyse;

import io.millrace.common.type.TypeKind;
import io.millrace.sql.physical.PhysicalPlan.GapBound.Kind;
import io.millrace.sql.physical.PhysicalPlan.RangeItem.Fill;
import io.millrace.sql.plan.rel.GapFill;
import io.millrace.sql.plan.rel.MillTypeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * The stage that fills gaps between the buckets of groups. Bounds are the arguments of
 * time_bucket_gapfill, else what WHERE compares the time with; a side without bound is that of each
 * group's own rows.
 */
final class GapStage {
  private final Rexes rexes;
  private final Scope scope;
  private final Collector collector;
  private final Collector.Gap gap;

  GapStage(Rexes rexes, Scope scope, Collector collector, Collector.Gap gap) {
    this.rexes = rexes;
    this.scope = scope;
    this.collector = collector;
    this.gap = gap;
  }

  /** The node over the groups, and how expressions over them are carried to it. */
  record Built(RelNode rel, RowRewriter to) {}

  /**
   * @param groups their keys, then aggregates
   * @param keys how many columns are keys
   * @param bucket which of them is the bucket
   * @param others what stands for windows and sets, which come later
   */
  Built build(
      RelNode groups, int keys, int bucket, @Nullable RexNode where, IntFunction<RexNode> others) {
    int width = groups.getRowType().getFieldCount();
    var exprs = new ArrayList<RexNode>();
    int[] places = new int[width];
    for (int i = 0; i < width; i++) {
      if (i != bucket) {
        places[i] = i < keys ? exprs.size() : i;
        exprs.add(Rels.ref(groups, i));
      }
      if (i == keys - 1) {
        places[bucket] = exprs.size();
        exprs.add(Rels.ref(groups, bucket));
      }
    }
    var fills = new ArrayList<Fill>(java.util.Collections.nCopies(width - keys, Fill.NULL));
    for (Collector.Filled f : collector.fills) {
      exprs.add(f.arg());
      fills.add(f.fill());
    }
    RelNode input =
        Rels.project(
            groups, exprs, java.util.Collections.nCopies(exprs.size(), "$f"), scope.given());
    var row = rexes.types().builder();
    row.addAll(input.getRowType().getFieldList().subList(0, keys));
    for (int i = keys; i < exprs.size(); i++) {
      var type =
          i < width
              ? rexes.types().createTypeWithNullability(exprs.get(i).getType(), true)
              : rexes.relType(collector.fills.get(i - width).type());
      row.add("$f" + i, type);
    }
    RelNode node =
        new GapFill(
            input,
            keys - 1,
            fills,
            new GapFill.Grid(gap.width(), gap.origin(), bounds(where)),
            row.build());
    var to =
        new RowRewriter(
            rexes.builder(),
            scope.given(),
            node.getRowType(),
            i ->
                i >= Collector.WINDOWS
                    ? others.apply(i)
                    : Rels.ref(
                        node, i >= Collector.FILLS ? width + i - Collector.FILLS : places[i]));
    return new Built(node, to);
  }

  private List<GapFill.Bound> bounds(@Nullable RexNode where) {
    var out = new ArrayList<GapFill.Bound>();
    RexNode start = gap.start();
    RexNode finish = gap.finish();
    if (start != null) {
      out.add(new GapFill.Bound(Kind.FROM, start));
    }
    if (finish != null) {
      out.add(new GapFill.Bound(Kind.BEFORE, finish));
    }
    if (where != null) {
      for (RexNode c : io.millrace.sql.rule.Rels.conjunctions(where)) {
        GapFill.Bound b = bound(c);
        if (b != null && (b.kind() == Kind.FROM ? start == null : finish == null)) {
          out.add(b);
        }
      }
    }
    return out;
  }

  /** What a condition that compares the time with a constant says. */
  private GapFill.@Nullable Bound bound(RexNode condition) {
    if (!(condition instanceof RexCall c) || c.getOperands().size() != 2) {
      return null;
    }
    boolean first = isTime(c.getOperands().get(0));
    RexNode value = c.getOperands().get(first ? 1 : 0);
    if (!(first || isTime(c.getOperands().get(1)))
        || !RowRewriter.references(value).isEmpty()
        || Rels.hasSubQuery(value)) {
      return null;
    }
    value = asTime(value);
    SqlKind kind = first ? c.getKind() : c.getKind().reverse();
    return switch (kind) {
      case GREATER_THAN, GREATER_THAN_OR_EQUAL -> new GapFill.Bound(Kind.FROM, value);
      case LESS_THAN -> new GapFill.Bound(Kind.BEFORE, value);
      case LESS_THAN_OR_EQUAL -> new GapFill.Bound(Kind.UP_TO, value);
      default -> null;
    };
  }

  /** The time itself, or as an instant, as it is compared with now(). */
  private boolean isTime(RexNode e) {
    RexNode at =
        e instanceof RexCall cast
                && cast.getOperands().size() == 1
                && MillTypeFactory.sqlType(e.getType()).kind() == TypeKind.TIMESTAMPTZ
            ? cast.getOperands().get(0)
            : e;
    return at instanceof RexInputRef && at.equals(gap.time());
  }

  private RexNode asTime(RexNode value) {
    return rexes
        .coerce(
            new Ex.Value(value, MillTypeFactory.sqlType(value.getType()), 0),
            MillTypeFactory.sqlType(gap.bucket().getType()),
            Typing.Context.EXPLICIT,
            0)
        .rex();
  }
}
