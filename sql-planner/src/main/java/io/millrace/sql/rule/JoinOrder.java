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
 * conjuncts over it alone, those that disjunctions say of it too. {@link JoinGraph} then finds the
 * order, and each conjunct stands where the last input it reads joins.
 */
final class JoinOrder {
  private static final int PARTS = 512;

  private final Pushdown pushdown;
  private final Estimates estimates;

  JoinOrder(Pushdown pushdown, Estimates estimates) {
    this.pushdown = pushdown;
    this.estimates = estimates;
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
        restrictions(join, c, parts, local);
      }
    }
    var inputs = new ArrayList<RelNode>();
    for (int i = 0; i < parts.size(); i++) {
      inputs.add(pushdown.push(parts.get(i).rel(), local.get(i)));
    }
    return Rels.filter(build(join, parts, inputs, across), volatileOnes);
  }

  /** What a disjunction over several parts says of each alone. */
  private static void restrictions(
      Join join, RexNode c, List<Part> parts, List<List<RexNode>> local) {
    if (c.getKind() != SqlKind.OR) {
      return;
    }
    for (int i = 0; i < parts.size(); i++) {
      Part p = parts.get(i);
      RexNode own = Disjunctions.over(join, c, p.columns());
      if (own != null) {
        local.get(i).add(Rels.shift(own, -p.offset()));
      }
    }
  }

  private static void flatten(RelNode rel, int offset, List<Part> parts, List<RexNode> conjuncts) {
    if (rel instanceof Join j && j.getJoinType() == JoinRelType.INNER && parts.size() < PARTS) {
      flatten(j.getLeft(), offset, parts, conjuncts);
      flatten(j.getRight(), offset + Rels.width(j.getLeft()), parts, conjuncts);
      for (RexNode c : Disjunctions.factored(j, Rels.conjunctions(j.getCondition()))) {
        conjuncts.add(Rels.shift(c, offset));
      }
    } else if (rel instanceof Filter f
        && f.getInput() instanceof Join j
        && j.getJoinType() == JoinRelType.INNER
        && Rels.isStable(f.getCondition())) {
      flatten(j, offset, parts, conjuncts);
      for (RexNode c : Disjunctions.factored(f, Rels.conjunctions(f.getCondition()))) {
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

  private RelNode build(Join join, List<Part> parts, List<RelNode> inputs, List<RexNode> across) {
    var graph = new JoinGraph(inputs.size());
    for (int i = 0; i < inputs.size(); i++) {
      graph.input(i, estimates.rows(inputs.get(i)), estimates.unfiltered(parts.get(i).rel()));
    }
    int[] partOf = new int[Rels.width(join)];
    for (int i = 0; i < parts.size(); i++) {
      Part p = parts.get(i);
      java.util.Arrays.fill(partOf, p.offset(), p.offset() + p.width(), i);
    }
    for (RexNode c : across) {
      condition(graph, c, partOf);
    }
    var built = new Build(parts, inputs, across, partOf);
    RelNode current = built.join(graph.order());
    int[] place = built.places(join);
    boolean identity = true;
    var exprs = new ArrayList<RexNode>(place.length);
    for (int i = 0; i < place.length; i++) {
      identity &= place[i] == i;
      exprs.add(Rels.ref(current, place[i]));
    }
    return identity ? current : Rels.project(current, exprs, join.getRowType());
  }

  private static void condition(JoinGraph graph, RexNode c, int[] partOf) {
    if ((c.getKind() == SqlKind.EQUALS || c.getKind() == SqlKind.IS_NOT_DISTINCT_FROM)
        && c instanceof RexCall call) {
      ImmutableBitSet left = readParts(call.getOperands().get(0), partOf);
      ImmutableBitSet right = readParts(call.getOperands().get(1), partOf);
      if (!left.isEmpty() && !right.isEmpty() && !left.intersects(right)) {
        graph.equality(left, right, column(call, 0), column(call, 1));
        return;
      }
    }
    graph.condition(readParts(c, partOf), Estimates.selectivity(c));
  }

  /** The column that an operand is; -1 for anything else. */
  private static int column(RexCall call, int operand) {
    return call.getOperands().get(operand) instanceof RexInputRef ref ? ref.getIndex() : -1;
  }

  private static ImmutableBitSet readParts(RexNode node, int[] partOf) {
    var out = ImmutableBitSet.builder();
    for (int column : Rels.refs(node)) {
      out.set(partOf[column]);
    }
    return out.build();
  }

  private record Pending(RexNode condition, ImmutableBitSet reads) {}

  /** Makes the tree for an order. */
  private static final class Build {
    private final List<Part> parts;
    private final List<RelNode> inputs;
    private final List<Pending> pending = new ArrayList<>();
    private final int[] partOf;

    /** Where each part's columns begin in the tree made last that has it. */
    private final int[] starts;

    Build(List<Part> parts, List<RelNode> inputs, List<RexNode> across, int[] partOf) {
      this.parts = parts;
      this.inputs = inputs;
      across.forEach(c -> pending.add(new Pending(c, readParts(c, partOf))));
      this.partOf = partOf;
      this.starts = new int[parts.size()];
    }

    RelNode join(JoinGraph.Tree tree) {
      return switch (tree) {
        case JoinGraph.Input i -> inputs.get(i.input());
        case JoinGraph.Pair p -> {
          RelNode left = join(p.left());
          RelNode right = join(p.right());
          int width = Rels.width(left);
          p.right().inputs().forEach(i -> starts[i] += width);
          yield Rels.join(left, right, JoinRelType.INNER, conditions(p.inputs()));
        }
      };
    }

    private List<RexNode> conditions(ImmutableBitSet there) {
      var out = new ArrayList<RexNode>();
      int[] places = places(partOf.length);
      for (var it = pending.iterator(); it.hasNext(); ) {
        Pending c = it.next();
        if (there.contains(c.reads())) {
          out.add(Rels.permute(c.condition(), places));
          it.remove();
        }
      }
      return out;
    }

    int[] places(Join join) {
      return places(Rels.width(join));
    }

    private int[] places(int width) {
      int[] out = new int[width];
      for (int i = 0; i < width; i++) {
        out[i] = starts[partOf[i]] + i - parts.get(partOf[i]).offset();
      }
      return out;
    }
  }
}
