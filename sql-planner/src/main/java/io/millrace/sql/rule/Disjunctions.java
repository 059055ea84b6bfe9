package io.millrace.sql.rule;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * What disjunctions say beside what they are.
 *
 * <p>What all alternatives have in common stands before them: (a AND b) OR (a AND c) is a AND (b OR
 * c), in three-valued logic too. And where every alternative says something of one input alone, the
 * disjunction of that holds for the input's rows already.
 */
final class Disjunctions {
  private Disjunctions() {}

  /** The conjuncts with what alternatives have in common taken out. */
  static List<RexNode> factored(RelNode scope, List<RexNode> conjuncts) {
    if (conjuncts.stream().noneMatch(c -> c.getKind() == SqlKind.OR)) {
      return conjuncts;
    }
    var out = new ArrayList<RexNode>();
    for (RexNode c : conjuncts) {
      if (c.getKind() == SqlKind.OR && Rels.isStable(c)) {
        factor(scope, c, out);
      } else {
        out.add(c);
      }
    }
    return out;
  }

  private static void factor(RelNode scope, RexNode or, List<RexNode> out) {
    List<Set<RexNode>> alternatives = alternatives(or);
    var common = new LinkedHashSet<RexNode>(alternatives.getFirst());
    alternatives.forEach(common::retainAll);
    if (common.isEmpty()) {
      out.add(or);
      return;
    }
    out.addAll(common);
    var rest = new ArrayList<RexNode>();
    for (Set<RexNode> a : alternatives) {
      a.removeAll(common);
      if (a.isEmpty()) {
        return;
      }
      rest.add(Rels.and(scope, List.copyOf(a)));
    }
    out.add(Rels.bool(scope, SqlStdOperatorTable.OR, rest));
  }

  private static List<Set<RexNode>> alternatives(RexNode or) {
    var out = new ArrayList<Set<RexNode>>();
    for (RexNode a : RelOptUtil.disjunctions(or)) {
      out.add(new LinkedHashSet<>(RelOptUtil.conjunctions(a)));
    }
    return out;
  }

  /** What a disjunction says of some columns alone; null if not every alternative does. */
  static @Nullable RexNode over(RelNode scope, RexNode condition, ImmutableBitSet columns) {
    if (condition.getKind() != SqlKind.OR || !Rels.isStable(condition)) {
      return null;
    }
    var out = new ArrayList<RexNode>();
    for (RexNode a : RelOptUtil.disjunctions(condition)) {
      var own = new ArrayList<RexNode>();
      for (RexNode c : RelOptUtil.conjunctions(a)) {
        ImmutableBitSet refs = Rels.refs(c);
        if (!refs.isEmpty() && columns.contains(refs)) {
          own.add(c);
        }
      }
      if (own.isEmpty()) {
        return null;
      }
      out.add(Rels.and(scope, own));
    }
    return Rels.bool(scope, SqlStdOperatorTable.OR, out);
  }
}
