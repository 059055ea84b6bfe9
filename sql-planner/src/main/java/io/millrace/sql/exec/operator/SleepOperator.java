package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.time.Scheduler;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.Wait;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.exec.function.Naps;
import io.millrace.sql.physical.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * pg_sleep and its kin. A kernel must not wait, so the waiting is done by this operator below the
 * one that has the calls: it adds up how long the calls of a batch ask to sleep, parks the driver
 * for so long, and hands the batch on; the kernels themselves then answer at once. Which rows reach
 * a call inside CASE, COALESCE, AND or OR is known only when the whole expression is evaluated: it
 * is once beforehand, in a context where the kernels add up what is asked of them.
 */
/** Holds each batch back for as long as calls of pg_sleep over it ask. */
final class SleepOperator extends BaseOperator {
  private final Operator input;
  private final List<Eval> arguments;
  private final List<Eval> rehearsed;
  private @Nullable Batch held;
  private @Nullable Wait wait;
  private Scheduler.@Nullable Cancellable timer;
  private long asked;

  private SleepOperator(Execution run, Operator input, Calls calls) {
    super(run, input);
    this.input = input;
    this.arguments =
        calls.plain.stream().map(c -> run.exprs().compile(c.args().getFirst())).toList();
    this.rehearsed =
        calls.conditional.stream().map(e -> run.exprs().withNaps(this::add).compile(e)).toList();
  }

  private void add(long micros) {
    asked = Math.min(Naps.MOST_MICROS, asked + micros);
  }

  /** The input itself if none of the expressions sleeps. */
  static Operator over(Execution run, Operator input, List<Expr> exprs) {
    Calls calls = Calls.of(exprs);
    return calls.none() ? input : new SleepOperator(run, input, calls);
  }

  /**
   * The calls of pg_sleep in expressions.
   *
   * @param plain those that every row reaches
   * @param conditional expressions with others
   */
  record Calls(List<Expr.Call> plain, List<Expr> conditional) {
    static Calls of(List<Expr> exprs) {
      var out = new Calls(new ArrayList<>(), new ArrayList<>());
      for (Expr e : exprs) {
        var found = new ArrayList<Expr.Call>();
        if (collect(e, false, found)) {
          out.conditional.add(e);
        } else {
          out.plain.addAll(found);
        }
      }
      return out;
    }

    boolean none() {
      return plain.isEmpty() && conditional.isEmpty();
    }
  }

  /** Whether there is a call that only some rows reach; others are found. */
  private static boolean collect(Expr e, boolean conditional, List<Expr.Call> found) {
    if (e instanceof Expr.Call c && sleeps(c)) {
      found.add(c);
      if (conditional) {
        return true;
      }
    }
    boolean below =
        conditional
            || e instanceof Expr.Case
            || e instanceof Expr.Coalesce
            || e instanceof Expr.And
            || e instanceof Expr.Or;
    boolean any = false;
    for (Expr part : Volatile.parts(e)) {
      any |= collect(part, below, found);
    }
    return any;
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
    asked = 0;
    Rows rows = Rows.of(batch);
    for (Eval argument : arguments) {
      Vector v = argument.eval(rows);
      for (int i = 0; i < batch.rows(); i++) {
        add(Naps.micros(v, i, run.clock()));
      }
    }
    for (Eval e : rehearsed) {
      var _ = e.eval(rows);
    }
    return asked;
  }
}
