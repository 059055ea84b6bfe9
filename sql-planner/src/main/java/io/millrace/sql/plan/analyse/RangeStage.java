package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.sql.plan.analyse.Scope.Entry;
import io.millrace.sql.plan.analyse.Scope.Field;
import io.millrace.sql.plan.rel.RangeSelect;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * The stage of a range query: in the place of grouping, with the align point in the place of the
 * rows' time.
 *
 * <p>The time is the time index of the first table of FROM that has one, followed through
 * sub-queries; where none can be found, the only timestamp that there is. BY defaults to that
 * table's primary key, as far as FROM shows it.
 */
final class RangeStage {
  private final Rexes rexes;
  private final Scope scope;
  private final RelNode from;
  private final Collector collector;
  private final Field time;
  private final int timeColumn;
  private final List<RexNode> keys = new ArrayList<>();

  /**
   * @param from the rows of FROM
   */
  RangeStage(Rexes rexes, Scope scope, RelNode from, Collector collector) {
    this.rexes = rexes;
    this.scope = scope;
    this.from = from;
    this.collector = collector;
    this.time = findTime();
    this.timeColumn = ((RexInputRef) time.rex()).getIndex();
  }

  private RangeClause clause() {
    return Objects.requireNonNull(collector.range);
  }

  // ---- the rows' time ----

  private Field findTime() {
    var found = new ArrayList<Field>();
    for (Entry e : scope.entries()) {
      for (Field f : e.fields()) {
        if (f.rex() instanceof RexInputRef ref && f.type().kind().isTimestamp()) {
          TimeColumns.Origin origin = TimeColumns.of(from, ref.getIndex());
          if (origin != null && origin.isTimeIndex()) {
            return f;
          }
          found.add(f);
        }
      }
    }
    if (found.size() == 1) {
      return found.getFirst();
    }
    throw Problems.error(
            found.isEmpty() ? ErrorCode.UNDEFINED_COLUMN : ErrorCode.AMBIGUOUS_COLUMN,
            clause().position(),
            found.isEmpty()
                ? "a query with ALIGN needs rows with a time"
                : "cannot tell which column is the time of the rows")
        .withHint(
            found.isEmpty()
                ? "Read from a table with a TIME INDEX, or select one timestamp in the subquery."
                : "Select the time index of a table, or only one timestamp, in the subquery.");
  }

  // ---- BY ----

  /** BY without expressions: the primary key. */
  void byPrimaryKey() {
    TimeColumns.Origin at = TimeColumns.of(from, timeColumn);
    if (at == null || !at.isTimeIndex()) {
      return;
    }
    for (int i = 0; i < from.getRowType().getFieldCount(); i++) {
      TimeColumns.Origin o = TimeColumns.of(from, i);
      if (o != null && o.scan() == at.scan() && o.isTag()) {
        by(Rels.ref(from, i));
      }
    }
  }

  void by(RexNode key) {
    if (!keys.contains(key)) {
      keys.add(key);
    }
  }

  // ---- the stage ----

  /** The node over the filtered rows, and how expressions over them are carried to it. */
  record Built(RelNode rel, RowRewriter to) {}

  /**
   * @param others what stands for windows and sets, which come later
   * @param ungrouped tells of a column that is neither key nor time
   */
  Built build(
      RelNode rows,
      ExpressionAnalyser expressions,
      IntFunction<RexNode> others,
      IntFunction<RuntimeException> ungrouped) {
    if (collector.aggregates.isEmpty()) {
      throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              clause().position(),
              "a query with ALIGN needs an aggregate function with RANGE")
          .withHint("For example, max(x) RANGE '10s'.");
    }
    var lower = new ArrayList<RexNode>(keys);
    lower.add(time.rex());
    int width = lower.size();
    var calls = new AggregateCalls(rexes, lower, width);
    for (Collector.Aggregate a : collector.aggregates) {
      calls.prepare(a, true);
    }
    var names = new ArrayList<String>();
    for (int i = 0; i < lower.size(); i++) {
      names.add("$r" + i);
    }
    RelNode input = Rels.project(rows, lower, names, scope.given());
    RelNode node = node(input, calls.build(), clause().grid(time.type(), expressions));
    var to =
        new RowRewriter(
            rexes.builder(),
            scope.given(),
            node.getRowType(),
            i -> {
              if (i >= Collector.WINDOWS) {
                return others.apply(i);
              }
              if (i >= Collector.AGGREGATES) {
                return calls.result(i - Collector.AGGREGATES, node);
              }
              int at = place(i);
              if (at < 0) {
                throw ungrouped.apply(i);
              }
              return Rels.ref(node, at);
            }) {
          @Override
          @Nullable RexNode whole(RexNode e) {
            int at = keys.indexOf(e);
            return at < 0 ? null : Rels.ref(node, at);
          }
        };
    return new Built(node, to);
  }

  private int place(int column) {
    if (column == timeColumn) {
      return keys.size();
    }
    for (int k = 0; k < keys.size(); k++) {
      if (keys.get(k) instanceof RexInputRef ref && ref.getIndex() == column) {
        return k;
      }
    }
    return -1;
  }

  private RelNode node(RelNode input, List<AggregateCall> calls, RangeSelect.Grid grid) {
    var items = new ArrayList<RangeSelect.Item>();
    var row = rexes.types().builder();
    row.addAll(input.getRowType().getFieldList().subList(0, keys.size() + 1));
    for (int i = 0; i < calls.size(); i++) {
      Collector.Range r = Objects.requireNonNull(collector.aggregates.get(i).range());
      items.add(new RangeSelect.Item(calls.get(i), r.span(), r.fill(), r.value()));
      row.add("$i" + i, rexes.relType(r.type()));
    }
    return new RangeSelect(input, keys.size(), items, grid, row.build());
  }
}
