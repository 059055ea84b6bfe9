package io.millrace.sql.plan.analyse;

import com.google.common.collect.ImmutableList;
import io.millrace.sql.plan.rel.MillAggFunction;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/** Lays the arguments of aggregates out below the aggregation and makes the calls over them. */
final class AggregateCalls {
  private final Rexes rexes;
  private final List<RexNode> lower;
  private final int keys;
  private final List<AggregateCall> calls = new ArrayList<>();

  /** Per aggregate its call, or the constant that it is. */
  private final List<@Nullable RexNode> constants = new ArrayList<>();

  private final List<Integer> places = new ArrayList<>();

  /**
   * @param lower expressions below, the keys first; grows
   */
  AggregateCalls(Rexes rexes, List<RexNode> lower, int keys) {
    this.rexes = rexes;
    this.lower = lower;
    this.keys = keys;
  }

  private int place(RexNode e) {
    int at = lower.indexOf(e);
    if (at < 0) {
      lower.add(e);
      at = lower.size() - 1;
    }
    return at;
  }

  /**
   * @param oneSet a plain GROUP BY, in which grouping() is 0
   */
  void prepare(Collector.Aggregate a, boolean oneSet) {
    if (a.function().id().signature().equals("grouping")) {
      for (RexNode arg : a.args()) {
        if (lower.indexOf(arg) < 0 || lower.indexOf(arg) >= keys) {
          throw Problems.error(
              io.millrace.common.error.ErrorCode.GROUPING_ERROR,
              0,
              "arguments to GROUPING must be grouping expressions of the associated query level");
        }
      }
      if (oneSet) {
        constants.add(rexes.int4(0));
        places.add(-1);
        return;
      }
    }
    var args = new ArrayList<Integer>();
    for (RexNode arg : a.args()) {
      args.add(place(arg));
    }
    RexNode filter = a.filter();
    int filterAt = filter == null ? -1 : place(rexes.test(SqlStdOperatorTable.IS_TRUE, filter));
    var order = new ArrayList<RelFieldCollation>();
    for (Collector.Key k : a.order()) {
      int at = place(k.rex());
      if (order.stream().noneMatch(c -> c.getFieldIndex() == at)) {
        order.add(Sorting.collation(at, k.descending(), k.nullsFirst()));
      }
    }
    RelCollation collation = order.isEmpty() ? RelCollations.EMPTY : RelCollations.of(order);
    MillAggFunction f = a.function();
    constants.add(null);
    places.add(calls.size());
    calls.add(
        AggregateCall.create(
            f,
            a.distinct(),
            false,
            false,
            ImmutableList.of(),
            args,
            filterAt,
            null,
            collation,
            rexes.relType(a.type()),
            "$a" + calls.size()));
  }

  List<AggregateCall> build() {
    return calls;
  }

  /** What stands for an aggregate above the aggregation. */
  RexNode result(int aggregate, RelNode rel) {
    RexNode constant = constants.get(aggregate);
    return constant != null ? constant : Rels.ref(rel, keys + places.get(aggregate));
  }
}
