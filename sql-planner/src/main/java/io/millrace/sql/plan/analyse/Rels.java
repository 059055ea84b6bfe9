package io.millrace.sql.plan.analyse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexVisitorImpl;

/** Makes relational nodes, with the correlation variables that their sub-queries use. */
final class Rels {
  private Rels() {}

  static RelNode filter(RelNode input, RexNode condition, Set<CorrelationId> given) {
    return LogicalFilter.create(
        input,
        io.millrace.sql.rule.Rels.flat(condition, input.getCluster().getRexBuilder()),
        ImmutableSet.copyOf(variables(List.of(condition), given)));
  }

  static RelNode project(
      RelNode input, List<? extends RexNode> exprs, List<String> names, Set<CorrelationId> given) {
    return LogicalProject.create(
        input,
        ImmutableList.of(),
        exprs,
        OutputNames.distinct(names),
        ImmutableSet.copyOf(variables(exprs, given)));
  }

  /** All columns of the input, then some more. */
  static RelNode append(RelNode input, List<RexNode> more, Set<CorrelationId> given) {
    if (more.isEmpty()) {
      return input;
    }
    var exprs = new ArrayList<RexNode>(identity(input));
    exprs.addAll(more);
    var names = new ArrayList<>(input.getRowType().getFieldNames());
    for (int i = 0; i < more.size(); i++) {
      names.add("$x" + i);
    }
    return project(input, exprs, names, given);
  }

  static List<RexNode> identity(RelNode input) {
    var exprs = new ArrayList<RexNode>();
    for (int i = 0; i < input.getRowType().getFieldCount(); i++) {
      exprs.add(ref(input, i));
    }
    return exprs;
  }

  static RexInputRef ref(RelNode input, int i) {
    return new RexInputRef(i, input.getRowType().getFieldList().get(i).getType());
  }

  /** Those of the level's variables that sub-queries in the expressions use. */
  static Set<CorrelationId> variables(List<? extends RexNode> exprs, Set<CorrelationId> given) {
    var used = new LinkedHashSet<CorrelationId>();
    if (given.isEmpty()) {
      return used;
    }
    for (RexNode e : exprs) {
      e.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitSubQuery(RexSubQuery sub) {
              used.addAll(RelOptUtil.getVariablesUsed(sub.rel));
              return super.visitSubQuery(sub);
            }
          });
    }
    used.retainAll(given);
    return used;
  }

  static boolean hasSubQuery(RexNode e) {
    boolean[] found = new boolean[1];
    e.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitSubQuery(RexSubQuery sub) {
            found[0] = true;
            return null;
          }

          @Override
          public Void visitFieldAccess(org.apache.calcite.rex.RexFieldAccess access) {
            found[0] = true;
            return null;
          }
        });
    return found[0];
  }
}
