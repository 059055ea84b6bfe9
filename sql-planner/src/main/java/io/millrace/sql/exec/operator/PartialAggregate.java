package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.AggregateCall;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * The first half of an aggregation that is done beside a scan, on the thread that reads: groups of
 * one partition, handed on as keys and partial states. It never spills: with too many groups, or
 * without memory, it hands on what it has and starts afresh; the second half merges.
 */
/** Aggregates one partition of a scan to partial states. */
final class PartialAggregate extends BaseOperator {
  /** So many fit the processor's cache. */
  private static final int MOST_GROUPS = 1 << 14;

  /** Where rows come from. */
  interface Feed {
    /** Adds some rows to the groups; null if it did, else what is to be passed on. */
    @Nullable Step feed(Grouping grouping, Slice slice);

    /** How many rows one feeding may add, about. */
    int rows();
  }

  private final Feed feed;
  private final PhysicalPlan.Aggregate plan;
  private final List<Integer> set;
  private Grouping grouping;
  private boolean inputDone;
  private boolean emitting;
  private int emitted;

  /** Over rows that come in batches. */
  PartialAggregate(Execution run, PhysicalPlan.Aggregate plan, Operator input) {
    this(run, plan, input, new Batches(run, plan, input));
  }

  /**
   * Over rows of a feed of its own.
   *
   * @param below what the feed reads, to be closed
   */
  PartialAggregate(Execution run, PhysicalPlan.Aggregate plan, Operator below, Feed feed) {
    super(run, below);
    this.feed = feed;
    this.plan = plan;
    var all = new ArrayList<Integer>();
    for (int i = 0; i < plan.keys().size(); i++) {
      all.add(i);
    }
    set = all;
    grouping = fresh();
  }

  /** Rows in batches of an operator. */
  private static final class Batches implements Feed {
    private final Operator input;
    private final Eval[][] args;
    private final @Nullable Eval[] filters;
    private int rows;

    Batches(Execution run, PhysicalPlan.Aggregate plan, Operator input) {
      this.input = input;
      int n = plan.calls().size();
      args = new Eval[n][];
      filters = new @Nullable Eval[n];
      for (int c = 0; c < n; c++) {
        AggregateCall call = plan.calls().get(c);
        args[c] = AggregateOperator.arguments(run, call);
        Expr f = call.filter();
        filters[c] = f == null ? null : run.exprs().compile(f);
      }
    }

    @Override
    public @Nullable Step feed(Grouping grouping, Slice slice) {
      Step s = input.step(slice);
      if (!(s instanceof Step.Out o)) {
        return s;
      }
      grouping.add(AggregateOperator.inputs(o.batch(), args, filters));
      rows = o.batch().rows();
      return null;
    }

    @Override
    public int rows() {
      return rows;
    }
  }

  /** Whether an aggregation can be done in halves. */
  static boolean possible(PhysicalPlan.Aggregate plan) {
    if (plan.ordered() || plan.groupingSets().size() > 1) {
      return false;
    }
    if (plan.groupingSets().size() == 1
        && plan.groupingSets().getFirst().size() != plan.keys().size()) {
      return false;
    }
    for (AggregateCall c : plan.calls()) {
      Expr f = c.filter();
      if (c.distinct()
          || !c.orderBy().isEmpty()
          || Volatile.any(c.args())
          || (f != null && Volatile.any(List.of(f)))) {
        return false;
      }
    }
    return true;
  }

  private Grouping fresh() {
    return new Grouping(run, plan, set, 0, Grouping.Role.PARTIAL);
  }

  @Override
  Step next(Slice slice) {
    while (true) {
      slice.check();
      if (emitting) {
        int n = Math.min(Batch.ROWS, grouping.groups() - emitted);
        if (n > 0) {
          Batch out = grouping.emitPartial(emitted, n);
          emitted += n;
          return new Step.Out(out);
        }
        grouping.close();
        grouping = fresh();
        memory.close();
        emitting = false;
        emitted = 0;
      }
      if (inputDone) {
        return Step.Signal.DONE;
      }
      Step s = feed.feed(grouping, slice);
      if (s == null) {
        long used = grouping.byteSize() + grouping.headroom(feed.rows());
        boolean room = used <= memory.reserved() || memory.tryReserve(used - memory.reserved());
        emitting = !room || grouping.groups() > MOST_GROUPS;
      } else if (s == Step.Signal.DONE) {
        inputDone = true;
        emitting = grouping.groups() > 0;
      } else {
        return s;
      }
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
  }

  @Override
  void release() {
    grouping.close();
  }
}
