package io.millrace.sql.rule;

import io.millrace.sql.plan.rel.DistinctOn;
import io.millrace.sql.plan.rel.GapFill;
import io.millrace.sql.plan.rel.MillWindow;
import io.millrace.sql.plan.rel.ProjectSet;
import io.millrace.sql.plan.rel.RangeSelect;
import io.millrace.sql.plan.rel.Shared;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Minus;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Sends every condition as far down as it may go, in one walk from the root.
 *
 * <p>A walk carries the conjuncts that hold above a node. They pass projections (by substitution),
 * groupings and windows (over keys), sorts without limit and set operations; at joins they go to
 * the side whose columns they read, an outer join that they make pointless becomes an inner one,
 * and chains of inner joins are ordered by {@link JoinOrder}. Volatile conditions and conditions
 * over volatile expressions stay where they are. On the way projections over projections are merged
 * where no work is doubled by it.
 */
final class Pushdown {
  private final JoinOrder order;

  Pushdown(Estimates estimates) {
    this.order = new JoinOrder(this, estimates);
  }

  RelNode push(RelNode rel) {
    return push(rel, List.of());
  }

  RelNode push(RelNode rel, List<RexNode> conjuncts) {
    return switch (rel) {
      case Filter f -> filter(f, conjuncts);
      case Project p -> project(p, conjuncts);
      case Join j when j.getJoinType() == JoinRelType.INNER -> order.order(j, conjuncts);
      case Join j -> join(j, conjuncts);
      case LogicalCorrelate c -> correlate(c, conjuncts);
      case Aggregate a -> aggregate(a, conjuncts);
      case Union u -> everywhere(u, conjuncts);
      case Intersect i -> everywhere(i, conjuncts);
      case Minus m -> everywhere(m, conjuncts);
      case Sort s when s.fetch == null && s.offset == null -> through(s, conjuncts);
      case DistinctOn d -> keys(d, ImmutableBitSet.of(d.keys()), conjuncts);
      case MillWindow w -> keys(w, ImmutableBitSet.of(w.partitionBy()), conjuncts);
      case GapFill g -> keys(g, ImmutableBitSet.range(g.keys()), conjuncts);
      case RangeSelect r -> keys(r, ImmutableBitSet.range(r.keys()), conjuncts);
      case ProjectSet s -> projectSet(s, conjuncts);
      case Shared s -> Rels.with(s, List.of(push(s.getLeft()), push(s.getRight(), conjuncts)));
      default -> stop(rel, conjuncts);
    };
  }

  private RelNode stop(RelNode rel, List<RexNode> conjuncts) {
    var inputs = new ArrayList<RelNode>(rel.getInputs().size());
    for (RelNode input : rel.getInputs()) {
      inputs.add(push(input));
    }
    return Rels.filter(Rels.with(rel, inputs), conjuncts);
  }

  private RelNode filter(Filter f, List<RexNode> conjuncts) {
    List<RexNode> all = Disjunctions.factored(f, Rels.conjunctions(f.getCondition()));
    var volatileOnes = new ArrayList<RexNode>();
    var passing = new ArrayList<RexNode>();
    for (RexNode c : all) {
      (Rels.isStable(c) ? passing : volatileOnes).add(c);
    }
    if (volatileOnes.isEmpty()) {
      passing.addAll(conjuncts);
      return push(f.getInput(), passing);
    }
    RelNode below = push(f.getInput(), passing);
    volatileOnes.addAll(conjuncts);
    return Rels.filter(below, volatileOnes);
  }

  private RelNode project(Project p, List<RexNode> conjuncts) {
    var pass = new ArrayList<RexNode>();
    var stay = new ArrayList<RexNode>();
    for (RexNode c : conjuncts) {
      boolean stable = Rels.isStable(c);
      for (int i : Rels.refs(c)) {
        stable &= Rels.isStable(p.getProjects().get(i));
      }
      if (stable) {
        pass.add(Rels.substitute(c, p.getProjects()));
      } else {
        stay.add(c);
      }
    }
    RelNode input = push(p.getInput(), pass);
    RelNode out =
        input instanceof Project inner && merges(p, inner)
            ? merged(p, inner)
            : Rels.with(p, List.of(input));
    return Rels.filter(out, stay);
  }

  /** Whether every inner expression is trivial or used at most once. */
  private static boolean merges(Project outer, Project inner) {
    int[] uses = new int[inner.getProjects().size()];
    for (RexNode e : outer.getProjects()) {
      e.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitInputRef(RexInputRef ref) {
              uses[ref.getIndex()]++;
              return null;
            }
          });
    }
    for (int i = 0; i < uses.length; i++) {
      RexNode e = inner.getProjects().get(i);
      boolean trivial = e instanceof RexInputRef || e instanceof RexLiteral;
      if (!trivial && (uses[i] > 1 || !Rels.isStable(e))) {
        return false;
      }
    }
    return true;
  }

  private static RelNode merged(Project outer, Project inner) {
    var exprs = new ArrayList<RexNode>(outer.getProjects().size());
    for (RexNode e : outer.getProjects()) {
      exprs.add(Rels.substitute(e, inner.getProjects()));
    }
    return Rels.project(inner.getInput(), exprs, outer.getRowType());
  }

  private RelNode join(Join j, List<RexNode> conjuncts) {
    int width = Rels.width(j.getLeft());
    int total = width + Rels.width(j.getRight());
    ImmutableBitSet leftColumns = ImmutableBitSet.range(0, width);
    ImmutableBitSet rightColumns = ImmutableBitSet.range(width, total);
    JoinRelType type = simplified(j.getJoinType(), conjuncts, leftColumns, rightColumns);
    if (type == JoinRelType.INNER) {
      RelNode inner =
          Rels.join(j.getLeft(), j.getRight(), type, Rels.conjunctions(j.getCondition()));
      return push(inner, conjuncts);
    }
    var left = new ArrayList<RexNode>();
    var right = new ArrayList<RexNode>();
    var above = new ArrayList<RexNode>();
    boolean leftKept = !type.generatesNullsOnLeft();
    boolean rightKept = type.projectsRight() && !type.generatesNullsOnRight();
    for (RexNode c : conjuncts) {
      ImmutableBitSet refs = Rels.refs(c);
      if (!Rels.isStable(c)) {
        above.add(c);
      } else if (leftKept && leftColumns.contains(refs)) {
        left.add(c);
      } else if (rightKept && rightColumns.contains(refs) && !refs.isEmpty()) {
        right.add(Rels.shift(c, -width));
      } else {
        above.add(c);
      }
    }
    var condition = new ArrayList<RexNode>();
    boolean rightOfCondition =
        type == JoinRelType.LEFT || type == JoinRelType.SEMI || type == JoinRelType.ANTI;
    boolean leftOfCondition = type == JoinRelType.RIGHT || type == JoinRelType.SEMI;
    for (RexNode c : Disjunctions.factored(j, Rels.conjunctions(j.getCondition()))) {
      ImmutableBitSet refs = Rels.refs(c);
      boolean movable = Rels.isStable(c) && !refs.isEmpty();
      if (movable && rightOfCondition && rightColumns.contains(refs)) {
        right.add(Rels.shift(c, -width));
      } else if (movable && leftOfCondition && leftColumns.contains(refs)) {
        left.add(c);
      } else {
        condition.add(c);
      }
    }
    RelNode joined = Rels.join(push(j.getLeft(), left), push(j.getRight(), right), type, condition);
    return Rels.filter(joined, above);
  }

  private static JoinRelType simplified(
      JoinRelType type,
      List<RexNode> conjuncts,
      ImmutableBitSet leftColumns,
      ImmutableBitSet rightColumns) {
    if (!type.isOuterJoin()) {
      return type;
    }
    boolean rightRejected = false;
    boolean leftRejected = false;
    for (RexNode c : conjuncts) {
      rightRejected |= Rels.rejectsNull(c, rightColumns);
      leftRejected |= Rels.rejectsNull(c, leftColumns);
    }
    return switch (type) {
      case LEFT -> rightRejected ? JoinRelType.INNER : type;
      case RIGHT -> leftRejected ? JoinRelType.INNER : type;
      case FULL ->
          rightRejected && leftRejected
              ? JoinRelType.INNER
              : rightRejected ? JoinRelType.RIGHT : leftRejected ? JoinRelType.LEFT : type;
      default -> type;
    };
  }

  private RelNode correlate(LogicalCorrelate c, List<RexNode> conjuncts) {
    int width = Rels.width(c.getLeft());
    ImmutableBitSet leftColumns = ImmutableBitSet.range(0, width);
    ImmutableBitSet rightColumns = ImmutableBitSet.range(width, Rels.width(c));
    var left = new ArrayList<RexNode>();
    var right = new ArrayList<RexNode>();
    var above = new ArrayList<RexNode>();
    for (RexNode e : conjuncts) {
      ImmutableBitSet refs = Rels.refs(e);
      if (!Rels.isStable(e)) {
        above.add(e);
      } else if (leftColumns.contains(refs)) {
        left.add(e);
      } else if (c.getJoinType() == JoinRelType.INNER && rightColumns.contains(refs)) {
        right.add(Rels.shift(e, -width));
      } else {
        above.add(e);
      }
    }
    RelNode out =
        LogicalCorrelate.create(
            push(c.getLeft(), left),
            push(c.getRight(), right),
            List.of(),
            c.getCorrelationId(),
            c.getRequiredColumns(),
            c.getJoinType());
    return Rels.filter(out, above);
  }

  private RelNode aggregate(Aggregate a, List<RexNode> conjuncts) {
    var pass = new ArrayList<RexNode>();
    var stay = new ArrayList<RexNode>();
    int groups = a.getGroupCount();
    boolean simple = a.getGroupType() == Aggregate.Group.SIMPLE && groups > 0;
    int[] to = new int[Rels.width(a)];
    int at = 0;
    for (int column : a.getGroupSet()) {
      to[at++] = column;
    }
    for (RexNode c : conjuncts) {
      ImmutableBitSet refs = Rels.refs(c);
      if (simple && Rels.isStable(c) && refs.length() <= groups && !refs.isEmpty()) {
        pass.add(Rels.permute(c, to));
      } else {
        stay.add(c);
      }
    }
    return Rels.filter(Rels.with(a, List.of(push(a.getInput(), pass))), stay);
  }

  private RelNode everywhere(RelNode set, List<RexNode> conjuncts) {
    var pass = new ArrayList<RexNode>();
    var stay = new ArrayList<RexNode>();
    for (RexNode c : conjuncts) {
      (Rels.isStable(c) ? pass : stay).add(c);
    }
    var inputs = new ArrayList<RelNode>();
    for (RelNode input : set.getInputs()) {
      inputs.add(push(input, pass));
    }
    return Rels.filter(Rels.with(set, inputs), stay);
  }

  private RelNode through(RelNode rel, List<RexNode> conjuncts) {
    return Rels.with(rel, List.of(push(rel.getInput(0), conjuncts)));
  }

  /** Conditions over the given columns alone pass. */
  private RelNode keys(RelNode rel, ImmutableBitSet keys, List<RexNode> conjuncts) {
    var pass = new ArrayList<RexNode>();
    var stay = new ArrayList<RexNode>();
    for (RexNode c : conjuncts) {
      ImmutableBitSet refs = Rels.refs(c);
      (Rels.isStable(c) && !refs.isEmpty() && keys.contains(refs) ? pass : stay).add(c);
    }
    return Rels.filter(Rels.with(rel, List.of(push(rel.getInput(0), pass))), stay);
  }

  private RelNode projectSet(ProjectSet s, List<RexNode> conjuncts) {
    var pass = new ArrayList<RexNode>();
    var stay = new ArrayList<RexNode>();
    for (RexNode c : conjuncts) {
      boolean plain = Rels.isStable(c) && !Rels.refs(c).isEmpty();
      for (int i : Rels.refs(c)) {
        plain &= s.items().get(i) instanceof RexInputRef;
      }
      if (plain) {
        pass.add(Rels.substitute(c, s.items()));
      } else {
        stay.add(c);
      }
    }
    return Rels.filter(Rels.with(s, List.of(push(s.getInput(), pass))), stay);
  }
}
