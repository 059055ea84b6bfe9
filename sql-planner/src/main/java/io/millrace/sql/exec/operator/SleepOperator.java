package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Scheduler;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.Wait;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.physical.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * pg_sleep and its kin. A kernel must not wait, so the waiting is done by this operator below the
 * one that has the calls: it adds up how long the calls of a batch ask to sleep, parks the driver
 * for so long, and hands the batch on; the kernels themselves then answer at once. A call that only
 * some rows would reach (CASE, COALESCE, AND, OR) cannot be told beforehand and is refused.
 */
/** Holds each batch back for as long as calls of pg_sleep over it ask. */
final class SleepOperator extends BaseOperator {
  private static final long MOST_MICROS = Long.MAX_VALUE / 16;
  private static final long DAY_MICROS = 86_400_000_000L;

  private final Operator input;
  private final List<Nap> naps;
  private @Nullable Batch held;
  private @Nullable Wait wait;
  private Scheduler.@Nullable Cancellable timer;

  private record Nap(String function, Eval argument) {}

  private SleepOperator(Execution run, Operator input, List<Expr.Call> calls) {
    super(run, input);
    this.input = input;
    this.naps =
        calls.stream()
            .map(c -> new Nap(c.function().signature(), run.exprs().compile(c.args().getFirst())))
            .toList();
  }

  /** The input itself if none of the expressions sleeps. */
  static Operator over(Execution run, Operator input, List<Expr> exprs) {
    List<Expr.Call> calls = calls(exprs);
    return calls.isEmpty() ? input : new SleepOperator(run, input, calls);
  }

  static List<Expr.Call> calls(List<Expr> exprs) {
    var found = new ArrayList<Expr.Call>();
    for (Expr e : exprs) {
      collect(e, false, found);
    }
    return found;
  }

  private static void collect(Expr e, boolean conditional, List<Expr.Call> found) {
    if (e instanceof Expr.Call c && sleeps(c)) {
      if (conditional) {
        throw new MillraceException(
            ErrorCode.FEATURE_NOT_SUPPORTED,
            "pg_sleep inside CASE, COALESCE, AND or OR is not supported");
      }
      found.add(c);
    }
    boolean below =
        conditional
            || e instanceof Expr.Case
            || e instanceof Expr.Coalesce
            || e instanceof Expr.And
            || e instanceof Expr.Or;
    for (Expr part : Volatile.parts(e)) {
      collect(part, below, found);
    }
  }

  private static boolean sleeps(Expr.Call call) {
    return call.function().signature().startsWith("pg_sleep");
  }

  @Override
  Step next(Slice slice) {
    slice.check();
    Batch b = held;
    if (b != null) {
      Wait w = wait;
      if (w != null && !w.stage().toCompletableFuture().isDone()) {
        return new Step.Blocked(w);
      }
      held = null;
      return new Step.Out(b);
    }
    Step s = input.step(slice);
    if (!(s instanceof Step.Out o)) {
      return s;
    }
    long micros = asked(o.batch());
    if (micros <= 0) {
      return s;
    }
    held = o.batch();
    var over = new CompletableFuture<Void>();
    timer = run.tasks().after(micros, () -> over.complete(null));
    var w = new Wait(over);
    wait = w;
    return new Step.Blocked(w);
  }

  @Override
  void release() {
    if (timer != null) {
      timer.cancel();
    }
  }

  private long asked(Batch batch) {
    long sum = 0;
    Rows rows = Rows.of(batch);
    for (Nap nap : naps) {
      Vector v = nap.argument.eval(rows);
      for (int i = 0; i < batch.rows(); i++) {
        long one = v.isNull(i) ? 0 : micros(v, i);
        sum = Math.min(MOST_MICROS, sum + Math.clamp(one, 0, MOST_MICROS));
      }
    }
    return sum;
  }

  private long micros(Vector v, int row) {
    return switch (v) {
      case DoubleVector seconds -> (long) (seconds.get(row) * 1e6);
      case IntervalVector i ->
          (i.months()[row] * 30L + i.days()[row]) * DAY_MICROS + i.micros()[row];
      case LongVector until -> until.values()[row] - run.clock().wallMicros();
      default -> throw new IllegalArgumentException("pg_sleep of " + v.type());
    };
  }
}
