package io.millrace.sql.rule;

import io.millrace.sql.plan.rel.ConstantRows;
import io.millrace.sql.plan.rel.MillAggFunction;
import io.millrace.sql.plan.rel.MillOperators;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Draws the conditions that read the outer row out of a sub-query.
 *
 * <p>A condition of a filter may move up through everything that neither counts nor limits rows;
 * the columns it needs travel with it as additional ones. Through a grouping only equalities
 * between an outer and an inner expression may pass: the inner expression becomes a group key, and
 * since one outer row equals one key, the groups it meets are those that the sub-query would have
 * made.
 */
final class Decorrelation {
  /**
   * A sub-query without the outer row.
   *
   * @param rel its columns first, then those that the conditions need
   * @param conditions over its row and the outer row's correlation variable
   */
  record Pulled(RelNode rel, List<RexNode> conditions) {}

  /**
   * A left join of the outer rows with a grouped aggregate.
   *
   * @param values the sub-query's columns, over the join's row
   */
  record Grouped(RelNode rel, List<RexNode> values) {}

  private record Equality(RexNode outer, RexNode inner, RexCall call) {}

  private final RelNode scope;
  private final RexBuilder rex;
  private final boolean enabled;

  /**
   * @param enabled false: nothing that reads the outer row is drawn up (for tests)
   */
  Decorrelation(RelNode scope, boolean enabled) {
    this.scope = scope;
    this.enabled = enabled;
    this.rex = scope.getCluster().getRexBuilder();
  }

  /** Null where it cannot be done. With {@code existence} only whether there are rows matters. */
  @Nullable Pulled pull(RelNode rel, CorrelationId id, boolean existence) {
    if (!Rels.uses(rel, id)) {
      return new Pulled(existence ? existence(rel) : rel, List.of());
    }
    if (!enabled) {
      return null;
    }
    return switch (rel) {
      case Filter f -> filter(f, id);
      case Project p -> existence && plain(p) ? pull(p.getInput(), id, true) : project(p, id);
      case Join j -> join(j, id);
      case LogicalCorrelate c -> correlate(c, id);
      case Aggregate a -> aggregate(a, id, existence);
      case Sort s -> {
        boolean all = s.fetch == null && s.offset == null;
        yield all || (existence && atLeastOne(s)) ? pull(s.getInput(), id, existence) : null;
      }
      default -> null;
    };
  }

  private static boolean plain(Project p) {
    for (RexNode e : p.getProjects()) {
      if (!Rels.isStable(e)) {
        return false;
      }
    }
    return true;
  }

  private static boolean atLeastOne(Sort s) {
    if (s.offset != null || !(s.fetch instanceof RexLiteral l)) {
      return false;
    }
    BigDecimal n = l.getValueAs(BigDecimal.class);
    return n != null && n.signum() > 0;
  }

  private @Nullable Pulled filter(Filter f, CorrelationId id) {
    Pulled below = pull(f.getInput(), id, false);
    if (below == null) {
      return null;
    }
    var stay = new ArrayList<RexNode>();
    var up = new ArrayList<RexNode>(below.conditions());
    for (RexNode c : Rels.conjunctions(f.getCondition())) {
      if (!Rels.uses(c, id)) {
        stay.add(c);
      } else if (Rels.isStable(c)) {
        up.add(c);
      } else {
        return null;
      }
    }
    return new Pulled(Rels.filter(below.rel(), stay), up);
  }

  private @Nullable Pulled project(Project p, CorrelationId id) {
    for (RexNode e : p.getProjects()) {
      if (Rels.uses(e, id)) {
        return null;
      }
    }
    Pulled below = pull(p.getInput(), id, false);
    if (below == null) {
      return null;
    }
    var exprs = new ArrayList<RexNode>(p.getProjects());
    int[] to = new int[Rels.width(below.rel())];
    for (int column : Rels.refs(below.conditions())) {
      int at = -1;
      for (int i = 0; i < exprs.size() && at < 0; i++) {
        at = exprs.get(i) instanceof RexInputRef r && r.getIndex() == column ? i : -1;
      }
      if (at < 0) {
        at = exprs.size();
        exprs.add(Rels.ref(below.rel(), column));
      }
      to[column] = at;
    }
    return new Pulled(Rels.project(below.rel(), exprs), permuted(below.conditions(), to));
  }

  private static List<RexNode> permuted(List<RexNode> nodes, int[] to) {
    var out = new ArrayList<RexNode>(nodes.size());
    for (RexNode n : nodes) {
      out.add(Rels.permute(n, to));
    }
    return out;
  }

  private @Nullable Pulled join(Join j, CorrelationId id) {
    boolean inner = j.getJoinType() == JoinRelType.INNER;
    if (!inner
        && (j.getJoinType() == JoinRelType.RIGHT
            || j.getJoinType() == JoinRelType.FULL
            || Rels.uses(j.getRight(), id)
            || Rels.uses(j.getCondition(), id))) {
      return null;
    }
    Pulled left = pull(j.getLeft(), id, false);
    Pulled right = pull(j.getRight(), id, false);
    if (left == null || right == null) {
      return null;
    }
    int leftWidth = Rels.width(j.getLeft());
    int rightWidth = Rels.width(j.getRight());
    int newLeft = Rels.width(left.rel());
    int[] to = new int[leftWidth + rightWidth];
    for (int i = 0; i < to.length; i++) {
      to[i] = i < leftWidth ? i : i - leftWidth + newLeft;
    }
    var stay = new ArrayList<RexNode>();
    var up = new ArrayList<RexNode>(left.conditions());
    for (RexNode c : right.conditions()) {
      up.add(Rels.shift(c, newLeft));
    }
    for (RexNode c : Rels.conjunctions(j.getCondition())) {
      if (!Rels.uses(c, id)) {
        stay.add(Rels.permute(c, to));
      } else if (Rels.isStable(c)) {
        up.add(Rels.permute(c, to));
      } else {
        return null;
      }
    }
    RelNode joined = Rels.join(left.rel(), right.rel(), j.getJoinType(), stay);
    int tail = Rels.width(joined) - newLeft;
    int kept = Rels.width(j) - leftWidth;
    return arranged(joined, leftWidth, newLeft, kept, tail, up);
  }

  /** Columns (left, left extra, right, right extra) to (left, right, left extra, right extra). */
  private static Pulled arranged(
      RelNode joined, int leftWidth, int newLeft, int kept, int tail, List<RexNode> conditions) {
    if (newLeft == leftWidth) {
      return new Pulled(joined, conditions);
    }
    var exprs = new ArrayList<RexNode>(Rels.refs(joined, 0, leftWidth));
    exprs.addAll(Rels.refs(joined, newLeft, newLeft + kept));
    exprs.addAll(Rels.refs(joined, leftWidth, newLeft));
    exprs.addAll(Rels.refs(joined, newLeft + kept, newLeft + tail));
    int[] to = new int[Rels.width(joined)];
    for (int i = 0; i < exprs.size(); i++) {
      to[((RexInputRef) exprs.get(i)).getIndex()] = i;
    }
    return new Pulled(Rels.project(joined, exprs), permuted(conditions, to));
  }

  private @Nullable Pulled correlate(LogicalCorrelate c, CorrelationId id) {
    if (c.getJoinType() != JoinRelType.INNER && Rels.uses(c.getRight(), id)) {
      return null;
    }
    Pulled left = pull(c.getLeft(), id, false);
    Pulled right = pull(c.getRight(), id, false);
    if (left == null || right == null) {
      return null;
    }
    RelNode joined =
        LogicalCorrelate.create(
            left.rel(),
            right.rel(),
            List.of(),
            c.getCorrelationId(),
            c.getRequiredColumns(),
            c.getJoinType());
    int leftWidth = Rels.width(c.getLeft());
    int newLeft = Rels.width(left.rel());
    int tail = Rels.width(joined) - newLeft;
    int kept = Rels.width(c) - leftWidth;
    var up = new ArrayList<RexNode>(left.conditions());
    for (RexNode condition : right.conditions()) {
      up.add(Rels.shift(condition, newLeft));
    }
    return arranged(joined, leftWidth, newLeft, kept, tail, up);
  }

  private @Nullable Pulled aggregate(Aggregate a, CorrelationId id, boolean existence) {
    if (a.getGroupSet().isEmpty() || a.getGroupType() != Aggregate.Group.SIMPLE) {
      return null;
    }
    if (existence) {
      return pull(a.getInput(), id, true);
    }
    Keyed keyed = keyed(a, id);
    if (keyed == null) {
      return null;
    }
    int groups = a.getGroupCount();
    int keys = keyed.equalities().size();
    int calls = a.getAggCallList().size();
    RelNode out = keyed.aggregate();
    var exprs = new ArrayList<RexNode>(Rels.refs(out, 0, groups));
    exprs.addAll(Rels.refs(out, groups + keys, groups + keys + calls));
    exprs.addAll(Rels.refs(out, groups, groups + keys));
    RelNode projected = Rels.project(out, exprs);
    var conditions = new ArrayList<RexNode>();
    for (int i = 0; i < keys; i++) {
      conditions.add(equality(keyed.equalities().get(i), Rels.ref(projected, groups + calls + i)));
    }
    return new Pulled(projected, conditions);
  }

  private RexNode equality(Equality e, RexNode inner) {
    return Rels.bool(scope, e.call().getOperator(), List.of(e.outer(), inner));
  }

  /** An aggregate with the inner sides of the equalities as its last group keys. */
  private record Keyed(RelNode aggregate, List<Equality> equalities) {}

  private @Nullable Keyed keyed(Aggregate a, CorrelationId id) {
    Pulled below = pull(a.getInput(), id, false);
    if (below == null) {
      return null;
    }
    var equalities = new ArrayList<Equality>();
    for (RexNode c : below.conditions()) {
      Equality e = split(c, id);
      if (e == null) {
        return null;
      }
      equalities.add(e);
    }
    int width = Rels.width(below.rel());
    var exprs = new ArrayList<>(Rels.refs(below.rel(), 0, width));
    for (Equality e : equalities) {
      exprs.add(e.inner());
    }
    RelNode input = equalities.isEmpty() ? below.rel() : Rels.project(below.rel(), exprs);
    ImmutableBitSet group =
        a.getGroupSet().union(ImmutableBitSet.range(width, width + equalities.size()));
    return new Keyed(
        LogicalAggregate.create(input, List.of(), group, null, a.getAggCallList()), equalities);
  }

  private static @Nullable Equality split(RexNode c, CorrelationId id) {
    if (!(c instanceof RexCall call)
        || (call.getKind() != SqlKind.EQUALS && call.getKind() != SqlKind.IS_NOT_DISTINCT_FROM)) {
      return null;
    }
    RexNode a = call.getOperands().get(0);
    RexNode b = call.getOperands().get(1);
    if (Rels.refs(a).isEmpty() && !Rels.uses(b, id)) {
      return new Equality(a, b, call);
    }
    return Rels.refs(b).isEmpty() && !Rels.uses(a, id) ? new Equality(b, a, call) : null;
  }

  /**
   * A correlated aggregate without GROUP BY, which gives one row per outer row, as a left join.
   * What it gives over no rows: NULL, zero for counts; expressions over it are evaluated after the
   * join.
   */
  @Nullable Grouped grouped(RelNode left, RelNode right, CorrelationId id) {
    if (!enabled) {
      return null;
    }
    List<RexNode> values = Rels.refs(right, 0, Rels.width(right));
    RelNode at = right;
    while (!(at instanceof Aggregate)) {
      if (at instanceof Project p && plain(p)) {
        var next = new ArrayList<RexNode>();
        for (RexNode v : values) {
          next.add(Rels.substitute(v, p.getProjects()));
        }
        values = next;
        at = p.getInput();
      } else if (at instanceof OneRow o) {
        at = o.getInput();
      } else if (at instanceof Sort s && (s.fetch == null || atLeastOne(s)) && s.offset == null) {
        at = s.getInput();
      } else {
        return null;
      }
    }
    Aggregate a = (Aggregate) at;
    if (!a.getGroupSet().isEmpty() || a.getGroupType() != Aggregate.Group.SIMPLE) {
      return null;
    }
    for (AggregateCall c : a.getAggCallList()) {
      if (c.getAggregation() instanceof MillAggFunction f && isHypothetical(f)) {
        return null;
      }
    }
    Keyed keyed = keyed(a, id);
    if (keyed == null) {
      return null;
    }
    int width = Rels.width(left);
    int keys = keyed.equalities().size();
    var conditions = new ArrayList<RexNode>();
    for (int i = 0; i < keys; i++) {
      RexNode key = Rels.shift(Rels.ref(keyed.aggregate(), i), width);
      conditions.add(
          Rels.bind(
              equality(keyed.equalities().get(i), key), id, left.getRowType().getFieldList()));
    }
    RelNode joined =
        Rels.join(
            left, keyed.aggregate(), keys == 0 ? JoinRelType.INNER : JoinRelType.LEFT, conditions);
    var out = new ArrayList<RexNode>();
    for (RexNode v : values) {
      RexNode moved =
          v.accept(
              new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef ref) {
                  RexNode at = Rels.ref(joined, width + keys + ref.getIndex());
                  return isCount(a.getAggCallList().get(ref.getIndex())) ? orZero(at) : at;
                }
              });
      out.add(Rels.bind(moved, id, left.getRowType().getFieldList()));
    }
    return new Grouped(joined, out);
  }

  private RexNode orZero(RexNode count) {
    return rex.makeCall(
        count.getType(),
        MillOperators.COALESCE,
        List.of(
            count,
            rex.makeExactLiteral(
                BigDecimal.ZERO,
                rex.getTypeFactory().createTypeWithNullability(count.getType(), false))));
  }

  private static boolean isCount(AggregateCall c) {
    String name = c.getAggregation().getName();
    return name.startsWith("count(") || name.startsWith("regr_count(");
  }

  private static boolean isHypothetical(MillAggFunction f) {
    String name = f.getName();
    return f.directArgs() > 0
        && (name.startsWith("rank(")
            || name.startsWith("dense_rank(")
            || name.startsWith("percent_rank(")
            || name.startsWith("cume_dist("));
  }

  /** The rows as far as it matters whether there are any. */
  RelNode existence(RelNode rel) {
    return switch (rel) {
      case Project p when plain(p) -> existence(p.getInput());
      case Sort s when s.fetch == null && s.offset == null -> existence(s.getInput());
      case Aggregate a
          when !a.getGroupSet().isEmpty() && a.getGroupType() == Aggregate.Group.SIMPLE ->
          existence(a.getInput());
      default -> rel;
    };
  }

  /** Exactly one row, by a check where that is not certain. */
  RelNode oneRow(RelNode rel) {
    RelNode at = rel;
    while (at instanceof Project p) {
      at = p.getInput();
    }
    boolean certain =
        at instanceof OneRow
            || (at instanceof ConstantRows c && c.rows().size() == 1)
            || (at instanceof Aggregate a
                && a.getGroupSet().isEmpty()
                && a.getGroupType() == Aggregate.Group.SIMPLE);
    return certain ? rel : new OneRow(rel);
  }
}
