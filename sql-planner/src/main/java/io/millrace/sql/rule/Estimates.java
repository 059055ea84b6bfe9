package io.millrace.sql.rule;

import io.millrace.sql.plan.rel.ConstantRows;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.plan.rel.MillTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/**
 * Guesses of row counts: of stored tables what the engine knows of them, all else by rules of thumb
 * (values are not looked at: a plan serves all values of its shape).
 */
final class Estimates {
  private final TableStatistics statistics;

  Estimates(TableStatistics statistics) {
    this.statistics = statistics;
  }

  private double stored(TableScan scan) {
    MillTable table = scan.getTable().unwrap(MillTable.class);
    long known = table == null ? -1 : statistics.rows(table.info());
    return known < 0 ? scan.getTable().getRowCount() : Math.max(1, known);
  }

  /** The rows of what an input is taken from, before conditions: as many values a key has. */
  double unfiltered(RelNode rel) {
    return switch (rel) {
      case Filter f -> unfiltered(f.getInput());
      case Project p -> unfiltered(p.getInput());
      case Sort s when s.fetch == null -> unfiltered(s.getInput());
      case Join j when !j.getJoinType().projectsRight() -> unfiltered(j.getLeft());
      case Join j -> Math.max(unfiltered(j.getLeft()), unfiltered(j.getRight()));
      case Aggregate a -> groups(a, unfiltered(a.getInput()));
      default -> rel.getInputs().isEmpty() ? rows(rel) : unfiltered(rel.getInput(0));
    };
  }

  double rows(RelNode rel) {
    return switch (rel) {
      case TableScan t -> stored(t);
      case ConstantRows c -> c.rows().size();
      case Values v -> v.getTuples().size();
      case OneRow o -> 1;
      case Filter f -> Math.max(1, rows(f.getInput()) * selectivity(f.getCondition()));
      case Aggregate a -> groups(a, rows(a.getInput()));
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

  private static double groups(Aggregate a, double rows) {
    return a.getGroupCount() == 0 ? 1 : Math.max(1, Math.pow(rows, 0.6));
  }

  private double join(Join j) {
    double left = rows(j.getLeft());
    double right = rows(j.getRight());
    boolean keyed = false;
    for (RexNode c : Rels.conjunctions(j.getCondition())) {
      keyed |= c.getKind() == SqlKind.EQUALS || c.getKind() == SqlKind.IS_NOT_DISTINCT_FROM;
    }
    return switch (j.getJoinType()) {
      case SEMI, ANTI -> Math.max(1, left / 2);
      case LEFT_MARK -> left;
      case LEFT -> Math.max(left, matches(j, keyed, left * right));
      case RIGHT -> Math.max(right, matches(j, keyed, left * right));
      case FULL -> Math.max(left + right, matches(j, keyed, left * right));
      default -> Math.max(1, matches(j, keyed, left * right));
    };
  }

  /** Pairs that a condition with an equality leaves: a key has as many values as its table rows. */
  private double matches(Join j, boolean keyed, double pairs) {
    return keyed ? pairs / Math.min(unfiltered(j.getLeft()), unfiltered(j.getRight())) : pairs;
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
