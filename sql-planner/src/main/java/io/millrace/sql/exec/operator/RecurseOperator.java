package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/*
 * WITH RECURSIVE: rounds. A round's rows go out and into the work table of the next round, for which
 * the step plan is opened anew; with UNION a row goes on only the first time it is seen.
 */
/** Runs a plan over its own output until nothing is new. */
final class RecurseOperator extends BaseOperator {
  private final PhysicalPlan.Recurse plan;
  private final Supplier<Operator> step;
  private final @Nullable KeyEncoder encoder;
  private final @Nullable GroupTable seen;
  private Operator current;
  private BatchBuffer next;
  private @Nullable BatchBuffer work;

  RecurseOperator(
      Execution run, PhysicalPlan.Recurse plan, Operator seed, Supplier<Operator> step) {
    super(run);
    this.plan = plan;
    this.step = step;
    current = seed;
    encoder = plan.distinct() ? new KeyEncoder(plan.types()) : null;
    seen = encoder == null ? null : new GroupTable(encoder.width());
    next = new BatchBuffer(plan.types(), run.memory(), run.temp());
  }

  @Override
  Step next(Slice slice) {
    while (true) {
      slice.check();
      Step s = current.step(slice);
      if (s instanceof Step.Out o) {
        Batch b = fresh(o.batch());
        if (b.rows() > 0) {
          next.add(b);
          return new Step.Out(b);
        }
      } else if (s == Step.Signal.DONE) {
        if (next.rows() == 0) {
          return s;
        }
        current.close();
        if (work != null) {
          work.close();
        }
        work = next;
        next = new BatchBuffer(plan.types(), run.memory(), run.temp());
        run.shared().setWork(plan.id(), work);
        current = step.get();
      } else {
        return s;
      }
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
  }

  private Batch fresh(Batch b) {
    KeyEncoder e = encoder;
    GroupTable t = seen;
    if (e == null || t == null || b.rows() == 0) {
      return b;
    }
    int n = b.rows();
    int w = e.width();
    memory.reserve(n * (w * 8L + 32));
    long[] words = new long[n * w];
    e.encode(b.columns().toArray(new Vector[0]), Gather.identity(n), n, words, true);
    int[] at = new int[n];
    int m = 0;
    for (int i = 0; i < n; i++) {
      int before = t.size();
      at[m] = i;
      m += t.lookup(words, i * w, true) == before ? 1 : 0;
    }
    memory.resize(t.byteSize() + e.byteSize());
    return m == n ? b : b.take(at, m);
  }

  @Override
  void release() {
    run.shared().setWork(plan.id(), null);
    current.close();
    next.close();
    if (work != null) {
      work.close();
    }
  }
}
