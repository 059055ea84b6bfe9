package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.JoinType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/*
 * For each left row the right plan is opened anew with the row's values as parameters, so that scans
 * inside prune by them. SEMI, ANTI and LEFT_MARK stop at the first right row.
 */
/** Nested loops over a parameterised plan. */
final class CorrelateOperator extends BaseOperator {
  private final PhysicalPlan.Correlate plan;
  private final Operator left;
  private final Function<List<Vector>, Operator> right;
  private final List<SqlType> types;
  private @Nullable Batch batch;
  private int row;
  private @Nullable Operator inner;
  private boolean matched;
  private boolean done;
  private final List<Batch> waiting = new ArrayList<>();
  private int waitingRows;

  CorrelateOperator(
      Execution run,
      PhysicalPlan.Correlate plan,
      Operator left,
      Function<List<Vector>, Operator> right) {
    super(run, left);
    this.plan = plan;
    this.left = left;
    this.right = right;
    this.types = plan.types();
  }

  @Override
  Step next(Slice slice) {
    while (true) {
      slice.check();
      Batch b = batch;
      if (b == null) {
        if (done) {
          return waitingRows > 0 ? flush() : Step.Signal.DONE;
        }
        Step s = left.step(slice);
        if (s == Step.Signal.DONE) {
          done = true;
          continue;
        }
        if (!(s instanceof Step.Out o)) {
          return s;
        }
        batch = o.batch();
        row = 0;
        continue;
      }
      if (row == b.rows()) {
        batch = null;
        continue;
      }
      Operator r = inner;
      if (r == null) {
        var values = new ArrayList<Vector>();
        for (int c : plan.correlated()) {
          values.add(b.column(c).slice(row, 1));
        }
        r = right.apply(values);
        inner = r;
        matched = false;
      }
      Step s = r.step(slice);
      if (s instanceof Step.Out o) {
        if (o.batch().rows() > 0) {
          matched = true;
          if (plan.joinType() == JoinType.INNER || plan.joinType() == JoinType.LEFT) {
            keep(pair(b, o.batch()));
          } else {
            endRow(b, r);
          }
        }
      } else if (s == Step.Signal.DONE) {
        endRow(b, r);
      } else {
        return s;
      }
      if (waitingRows >= SetCalls.CHUNK) {
        return flush();
      }
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
  }

  private Batch pair(Batch b, Batch r) {
    var out = new ArrayList<Vector>(types.size());
    for (Vector v : b.columns()) {
      out.add(SetOperators.repeat(v, row, r.rows()));
    }
    out.addAll(r.columns());
    return new Batch(out, r.rows());
  }

  private void endRow(Batch b, Operator r) {
    r.close();
    inner = null;
    Batch one = b.slice(row, 1);
    row++;
    switch (plan.joinType()) {
      case LEFT -> {
        if (!matched) {
          var out = new ArrayList<Vector>(one.columns());
          for (SqlType t : plan.right().types()) {
            out.add(Gather.nulls(t, 1));
          }
          keep(new Batch(out, 1));
        }
      }
      case SEMI -> {
        if (matched) {
          keep(one);
        }
      }
      case ANTI, NULL_AWARE_ANTI -> {
        if (!matched) {
          keep(one);
        }
      }
      case LEFT_MARK -> {
        var out = new ArrayList<Vector>(one.columns());
        out.add(new BoolVector(SqlType.BOOL, new boolean[] {matched}, 1, null));
        keep(new Batch(out, 1));
      }
      case INNER, RIGHT, FULL -> {}
    }
  }

  private void keep(Batch b) {
    waiting.add(b);
    waitingRows += b.rows();
  }

  private Step flush() {
    Batch out = RowPages.concat(types, waiting);
    waiting.clear();
    waitingRows = 0;
    return new Step.Out(out);
  }

  @Override
  void release() {
    if (inner != null) {
      inner.close();
    }
  }
}
