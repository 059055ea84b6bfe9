package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan.SortKey;
import java.util.ArrayList;
import java.util.List;

/** ORDER BY: keys that are not columns are added as such, and left out again. */
final class SortOperator extends BaseOperator {
  private final Operator input;
  private final int width;
  private final Eval[] extra;
  private final Sorter sorter;
  private boolean inputDone;
  private boolean ready;

  SortOperator(Execution run, Operator input, List<SqlType> types, List<SortKey> sortKeys) {
    super(run, input);
    this.input = input;
    width = types.size();
    var all = new ArrayList<>(types);
    var keys = new ArrayList<Sorter.Key>();
    var added = new ArrayList<Expr>();
    for (SortKey k : sortKeys) {
      int at;
      if (k.expr() instanceof Expr.Column c) {
        at = c.index();
      } else {
        at = all.size();
        all.add(k.expr().type());
        added.add(k.expr());
      }
      keys.add(new Sorter.Key(at, k.descending(), k.nullsFirst()));
    }
    extra = run.exprs().compileAll(added);
    sorter = new Sorter(all, keys, run.memory(), run.temp(), run.exprs().context().check());
  }

  @Override
  Step next(Slice slice) {
    while (!inputDone) {
      Step s = input.step(slice);
      if (s instanceof Step.Out o) {
        sorter.add(withKeys(o.batch(), extra));
      } else if (s == Step.Signal.DONE) {
        inputDone = true;
      } else {
        return s;
      }
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
    if (!ready) {
      if (!sorter.finish(slice)) {
        return Step.Signal.AGAIN;
      }
      ready = true;
      stats().peak(sorter.peak());
      if (sorter.spilledFiles() > 0) {
        stats().remark("external merge, " + sorter.spilledFiles() + " runs on disk");
      }
    }
    Batch b = sorter.next();
    return b == null ? Step.Signal.DONE : new Step.Out(firstColumns(b, width));
  }

  static Batch withKeys(Batch b, Eval[] extra) {
    if (extra.length == 0) {
      return b;
    }
    Rows rows = Rows.of(b);
    var all = new ArrayList<Vector>(b.columns());
    for (Eval e : extra) {
      all.add(e.eval(rows));
    }
    return new Batch(all, b.rows());
  }

  static Batch firstColumns(Batch b, int width) {
    return b.width() == width ? b : new Batch(b.columns().subList(0, width), b.rows());
  }

  @Override
  void release() {
    sorter.close();
  }
}
