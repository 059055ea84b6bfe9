package io.millrace.sql.rule;

import io.millrace.sql.plan.rel.ConstantRows;
import io.millrace.sql.plan.rel.MillOperators;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/** Guesses of row counts from shape alone: plans do not depend on data, execution looks closer. */
final class Estimates {
  private Estimates() {}

  static double rows(RelNode rel) {
    return switch (rel) {
      case TableScan t -> t.getTable().getRowCount();
      case ConstantRows c -> c.rows().size();
      case Values v -> v.getTuples().size();
      case OneRow o -> 1;
      case Filter f -> Math.max(1, rows(f.getInput()) * selectivity(f.getCondition()));
      case Aggregate a ->
          a.getGroupCount() == 0 ? 1 : Math.max(1, Math.pow(rows(a.getInput()), 0.6));
      case Sort s when s.fetch instanceof RexLiteral ->
          Math.min(rows(s.getInput()), RexLiteral.intValue(s.fetch));
      case Sort s when s.fetch != null -> Math.min(rows(s.getInput()), 100);
      case Join j -> join(j);
      case Union u -> {
        double sum = 0;
        for (RelNode i : u.getInputs()) {
          sum += rows(i);
        }
        yield sum;
      }
      default -> rel.getInputs().isEmpty() ? 1_000 : rows(rel.getInput(0));
    };
  }

  private static double join(Join j) {
    double left = rows(j.getLeft());
    double right = rows(j.getRight());
    boolean keyed = false;
    for (RexNode c : Rels.conjunctions(j.getCondition())) {
      keyed |= c.getKind() == SqlKind.EQUALS || c.getKind() == SqlKind.IS_NOT_DISTINCT_FROM;
    }
    return switch (j.getJoinType()) {
      case SEMI, ANTI -> Math.max(1, left / 2);
      case LEFT_MARK -> left;
      default -> keyed ? Math.max(left, right) : left * right;
    };
  }

  static double selectivity(RexNode condition) {
    double out = 1;
    for (RexNode c : Rels.conjunctions(condition)) {
      out *= conjunct(c);
    }
    return out;
  }

  private static double conjunct(RexNode c) {
    if (!(c instanceof RexCall call)) {
      return 0.5;
    }
    return switch (call.getKind()) {
      case EQUALS -> 0.005;
      case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> 0.3;
      case IS_NULL -> 0.05;
      case OR -> {
        double none = 1;
        for (RexNode o : call.getOperands()) {
          none *= 1 - selectivity(o);
        }
        yield 1 - none;
      }
      default ->
          call.getOperator() == MillOperators.IN_LIST
              ? Math.min(0.5, 0.005 * (call.getOperands().size() - 1))
              : 0.5;
    };
  }
}
