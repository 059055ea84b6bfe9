package io.millrace.sql.rule;

import io.millrace.sql.plan.rel.MillOperators;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * An order for chains of inner joins.
 *
 * <p>The chain is taken apart into its inputs and conjuncts. Columns that equalities connect are
 * one class; a comparison of one of them with a constant holds for all. Each input gets the
 * conjuncts over it alone. Then greedily: begin with the input that is guessed smallest, add the
 * connected one that makes the smallest result, an unconnected one only when there is no other. The
 * smaller side of each join stands right, where it is built. With n inputs and c conjuncts the cost
 * is n² c.
 */
final class JoinOrder {
  private static final int PARTS = 512;

  private final Pushdown pushdown;

  JoinOrder(Pushdown pushdown) {
    this.pushdown = pushdown;
  }

  private record Part(RelNode rel, int offset, int width) {
    ImmutableBitSet columns() {
      return ImmutableBitSet.range(offset, offset + width);
    }
  }

  RelNode order(Join join, List<RexNode> above) {
    var parts = new ArrayList<Part>();
    var conjuncts = new ArrayList<RexNode>(above);
    flatten(join, 0, parts, conjuncts);
    var volatileOnes = new ArrayList<RexNode>();
    conjuncts.removeIf(c -> !Rels.isStable(c) && volatileOnes.add(c));
    conjuncts.addAll(implied(conjuncts));
    var local = new ArrayList<List<RexNode>>();
    for (int i = 0; i < parts.size(); i++) {
      local.add(new ArrayList<>());
    }
    var across = new ArrayList<RexNode>();
    for (RexNode c : conjuncts) {
      int owner = owner(c, parts);
      if (owner >= 0) {
        local.get(owner).add(Rels.shift(c, -parts.get(owner).offset()));
      } else {
        across.add(c);
      }
    }
    var inputs = new ArrayList<RelNode>();
    double[] sizes = new double[parts.size()];
    for (int i = 0; i < parts.size(); i++) {
      inputs.add(pushdown.push(parts.get(i).rel(), local.get(i)));
      sizes[i] = Estimates.rows(inputs.get(i));
    }
    return Rels.filter(build(join, parts, inputs, sizes, across), volatileOnes);
  }

  private static void flatten(RelNode rel, int offset, List<Part> parts, List<RexNode> conjuncts) {
    if (rel instanceof Join j && j.getJoinType() == JoinRelType.INNER && parts.size() < PARTS) {
      flatten(j.getLeft(), offset, parts, conjuncts);
      flatten(j.getRight(), offset + Rels.width(j.getLeft()), parts, conjuncts);
      for (RexNode c : Rels.conjunctions(j.getCondition())) {
        conjuncts.add(Rels.shift(c, offset));
      }
    } else if (rel instanceof Filter f
        && f.getInput() instanceof Join j
        && j.getJoinType() == JoinRelType.INNER
        && Rels.isStable(f.getCondition())) {
      flatten(j, offset, parts, conjuncts);
      for (RexNode c : Rels.conjunctions(f.getCondition())) {
        conjuncts.add(Rels.shift(c, offset));
      }
    } else {
      parts.add(new Part(rel, offset, Rels.width(rel)));
    }
  }

  /** The part that a conjunct reads alone; the first for one that reads none; -1 for several. */
  private static int owner(RexNode c, List<Part> parts) {
    ImmutableBitSet refs = Rels.refs(c);
    if (refs.isEmpty()) {
      return 0;
    }
    int first = refs.nextSetBit(0);
    for (int i = 0; i < parts.size(); i++) {
      Part p = parts.get(i);
      if (first < p.offset() + p.width()) {
        return refs.length() <= p.offset() + p.width() ? i : -1;
      }
    }
    return -1;
  }

  // ---- what equalities imply ----

  private static List<RexNode> implied(List<RexNode> conjuncts) {
    var classOf = new HashMap<Integer, Set<Integer>>();
    var types = new HashMap<Integer, RexInputRef>();
    var known = new HashSet<RexNode>(conjuncts);
    for (RexNode c : conjuncts) {
      if (c instanceof RexCall call
          && call.getKind() == SqlKind.EQUALS
          && call.getOperands().get(0) instanceof RexInputRef a
          && call.getOperands().get(1) instanceof RexInputRef b
          && sameType(a, b)) {
        types.put(a.getIndex(), a);
        types.put(b.getIndex(), b);
        Set<Integer> one = classOf.computeIfAbsent(a.getIndex(), k -> new HashSet<>(Set.of(k)));
        Set<Integer> two = classOf.computeIfAbsent(b.getIndex(), k -> new HashSet<>(Set.of(k)));
        if (one != two) {
          one.addAll(two);
          for (int member : two) {
            classOf.put(member, one);
          }
        }
      }
    }
    if (classOf.isEmpty()) {
      return List.of();
    }
    var out = new ArrayList<RexNode>();
    for (RexNode c : conjuncts) {
      RexInputRef column = comparedWithConstant(c);
      Set<Integer> members = column == null ? null : classOf.get(column.getIndex());
      if (column == null || members == null) {
        continue;
      }
      for (int member : members) {
        if (member != column.getIndex()) {
          RexNode copy = moved(c, Objects.requireNonNull(types.get(member)));
          if (known.add(copy)) {
            out.add(copy);
          }
        }
      }
    }
    return out;
  }

  /** The same comparison of another column. */
  private static RexNode moved(RexNode c, RexInputRef column) {
    return c.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return column;
          }
        });
  }

  private static boolean sameType(RexInputRef a, RexInputRef b) {
    return a.getType().toString().equals(b.getType().toString());
  }

  private static @Nullable RexInputRef comparedWithConstant(RexNode c) {
    if (!(c instanceof RexCall call)) {
      return null;
    }
    boolean fits =
        Rels.flipped(call.getKind()) != null && call.getKind() != SqlKind.NOT_EQUALS
            || call.getOperator() == MillOperators.IN_LIST;
    ImmutableBitSet refs = Rels.refs(c);
    if (!fits || refs.cardinality() != 1) {
      return null;
    }
    for (RexNode o : call.getOperands()) {
      if (o instanceof RexInputRef ref) {
        return ref;
      }
    }
    return null;
  }

  // ---- the order itself ----

  private static RelNode build(
      Join join, List<Part> parts, List<RelNode> inputs, double[] sizes, List<RexNode> across) {
    int n = parts.size();
    boolean[] used = new boolean[n];
    int[] place = new int[Rels.width(join)];
    java.util.Arrays.fill(place, -1);
    var pending = new ArrayList<>(across);
    int first = smallest(sizes);
    RelNode current = inputs.get(first);
    double size = sizes[first];
    put(place, parts.get(first), 0);
    used[first] = true;
    for (int step = 1; step < n; step++) {
      int next = next(sizes, used, place, parts, pending);
      Part p = parts.get(next);
      boolean connected = connected(place, p, pending);
      double result = connected ? Math.max(size, sizes[next]) : size * sizes[next];
      boolean buildsNew = sizes[next] <= size;
      int currentWidth = Rels.width(current);
      if (buildsNew) {
        put(place, p, currentWidth);
      } else {
        for (int i = 0; i < place.length; i++) {
          place[i] = place[i] < 0 ? -1 : place[i] + p.width();
        }
        put(place, p, 0);
      }
      used[next] = true;
      var condition = new ArrayList<RexNode>();
      for (var it = pending.iterator(); it.hasNext(); ) {
        RexNode c = it.next();
        if (available(c, place)) {
          condition.add(Rels.permute(c, place));
          it.remove();
        }
      }
      RelNode left = buildsNew ? current : inputs.get(next);
      RelNode right = buildsNew ? inputs.get(next) : current;
      current = Rels.join(left, right, JoinRelType.INNER, condition);
      size = Math.max(1, result * Math.pow(0.5, Math.max(0, condition.size() - 1)));
    }
    boolean identity = true;
    var exprs = new ArrayList<RexNode>(place.length);
    for (int i = 0; i < place.length; i++) {
      identity &= place[i] == i;
      exprs.add(Rels.ref(current, place[i]));
    }
    return identity ? current : Rels.project(current, exprs, join.getRowType());
  }

  private static void put(int[] place, Part p, int at) {
    for (int i = 0; i < p.width(); i++) {
      place[p.offset() + i] = at + i;
    }
  }

  private static boolean available(RexNode c, int[] place) {
    for (int i : Rels.refs(c)) {
      if (place[i] < 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether an equality connects the part with what is there. */
  private static boolean connected(int[] place, Part p, List<RexNode> pending) {
    ImmutableBitSet columns = p.columns();
    for (RexNode c : pending) {
      if (c.getKind() == SqlKind.EQUALS || c.getKind() == SqlKind.IS_NOT_DISTINCT_FROM) {
        boolean touches = false;
        boolean rest = true;
        boolean meets = false;
        for (int i : Rels.refs(c)) {
          boolean own = columns.get(i);
          touches |= own;
          meets |= !own;
          rest &= own || place[i] >= 0;
        }
        if (touches && meets && rest) {
          return true;
        }
      }
    }
    return false;
  }

  private static int smallest(double[] sizes) {
    int best = 0;
    for (int i = 1; i < sizes.length; i++) {
      if (sizes[i] < sizes[best]) {
        best = i;
      }
    }
    return best;
  }

  private static int next(
      double[] sizes, boolean[] used, int[] place, List<Part> parts, List<RexNode> pending) {
    int best = -1;
    boolean bestConnected = false;
    for (int i = 0; i < sizes.length; i++) {
      if (used[i]) {
        continue;
      }
      boolean c = connected(place, parts.get(i), pending);
      if (best < 0 || (c && !bestConnected) || (c == bestConnected && sizes[i] < sizes[best])) {
        best = i;
        bestConnected = c;
      }
    }
    return best;
  }
}
