package io.millrace.sql.exec.operator;

import io.millrace.common.batch.RangedBatch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.function.StepFunction;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.AggregateCall;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Aggregation that goes by runs over the rows of a scan where they stand in cached blocks. It is
 * possible where keys and arguments are columns of the scan, or keys are steps of a column, such as
 * date_trunc of the time: then nothing is computed per row that could fail for a row that the scan
 * leaves out, rows need no copying, and each stretch of a key is found at once.
 */
/** Feeds a partial aggregation from one partition of a scan by runs. */
final class ScanGroups implements PartialAggregate.Feed {
  /**
   * A key.
   *
   * @param column of the scan
   * @param call of the column that makes the key; null = the column itself
   */
  private record Key(int column, SqlType type, Expr.@Nullable Call call) {}

  /** What an aggregation over projections of a scan comes to, one for all partitions. */
  record Shape(List<Key> keys, int[][] args, List<PhysicalPlan> between) {
    /**
     * The shape of an aggregation; null if it cannot be fed so.
     *
     * @param between what stands between the scan and the aggregation, from the scan on
     */
    static @Nullable Shape of(
        Execution run, PhysicalPlan.Aggregate plan, List<PhysicalPlan> between) {
      var keys = new ArrayList<Key>();
      for (int k : plan.keys()) {
        Key key = key(run, new Expr.Column(k, plan.input().types().get(k)), between);
        if (key == null) {
          return null;
        }
        keys.add(key);
      }
      int[][] args = new int[plan.calls().size()][];
      for (int c = 0; c < args.length; c++) {
        AggregateCall call = plan.calls().get(c);
        int[] mine = new int[Grouping.isGrouping(call) ? 0 : call.args().size()];
        for (int i = 0; i < mine.length; i++) {
          Expr e = traced(call.args().get(i), between);
          if (!(e instanceof Expr.Column column)) {
            return null;
          }
          mine[i] = column.index();
        }
        if (call.filter() != null) {
          return null;
        }
        args[c] = mine;
      }
      return new Shape(keys, args, between);
    }

    private static @Nullable Key key(Execution run, Expr.Column c, List<PhysicalPlan> between) {
      Expr e = traced(c, between);
      if (e instanceof Expr.Column column) {
        return new Key(column.index(), c.type(), null);
      }
      return e instanceof Expr.Call call && run.exprs().steps(call) != null
          ? new Key(column(call), c.type(), call)
          : null;
    }

    private static int column(Expr.Call call) {
      for (Expr arg : call.args()) {
        if (arg instanceof Expr.Column c) {
          return c.index();
        }
      }
      throw new IllegalStateException("a step of no column");
    }

    /** What a column comes to in terms of the scan's columns; null if not seen through. */
    private static @Nullable Expr traced(Expr e, List<PhysicalPlan> between) {
      Expr at = e;
      for (PhysicalPlan b : between.reversed()) {
        if (!(b instanceof PhysicalPlan.Project p)) {
          return null;
        }
        if (at instanceof Expr.Column c) {
          at = p.exprs().get(c.index());
        } else if (at instanceof Expr.Call call) {
          at = replaced(call, p);
        } else {
          return null;
        }
      }
      return at;
    }

    private static Expr replaced(Expr.Call call, PhysicalPlan.Project p) {
      var args = new ArrayList<Expr>();
      for (Expr arg : call.args()) {
        args.add(arg instanceof Expr.Column c ? p.exprs().get(c.index()) : arg);
      }
      return new Expr.Call(call.function(), call.type(), args, call.strict(), call.volatility());
    }
  }

  private final Execution run;
  private final Shape shape;
  private final TableScanOperator.Partition partition;
  private final StretchRuns runs;
  private int rows;

  ScanGroups(Execution run, Shape shape, TableScanOperator.Partition partition) {
    this.run = run;
    this.shape = shape;
    this.partition = partition;
    @Nullable StepFunction[] steps = new @Nullable StepFunction[shape.keys().size()];
    for (int k = 0; k < steps.length; k++) {
      Expr.Call call = shape.keys().get(k).call();
      steps[k] = call == null ? null : run.exprs().steps(call);
    }
    runs = new StretchRuns(steps);
  }

  @Override
  public @Nullable Step feed(Grouping grouping, Slice slice) {
    long start = run.clock().monotonicNanos();
    RangedBatch in = partition.ranges(slice);
    if (in == null) {
      return Step.Signal.DONE;
    }
    rows = in.rows();
    if (rows == 0) {
      return Step.Signal.AGAIN;
    }
    for (PhysicalPlan b : shape.between()) {
      run.shared().stats(b).out(rows, run.clock().monotonicNanos() - start);
    }
    int width = shape.keys().size();
    Vector[] columns = new Vector[width];
    for (int k = 0; k < width; k++) {
      columns[k] = in.batch().column(shape.keys().get(k).column());
    }
    runs.find(in, columns);
    Vector[] keys = new Vector[width];
    for (int k = 0; k < width; k++) {
      keys[k] = runs.key(k, columns[k], shape.keys().get(k).type());
    }
    var args = new ArrayList<List<Vector>>(shape.args().length);
    for (int[] mine : shape.args()) {
      var of = new ArrayList<Vector>(mine.length);
      for (int c : mine) {
        of.add(in.batch().column(c));
      }
      args.add(of);
    }
    grouping.addRuns(keys, runs.count(), runs.from(), runs.to(), args);
    return null;
  }

  @Override
  public int rows() {
    return rows;
  }
}
