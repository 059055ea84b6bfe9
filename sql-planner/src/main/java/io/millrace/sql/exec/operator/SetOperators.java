package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Set-returning functions in FROM and in select lists. */
final class SetOperators {
  private SetOperators() {}

  /** Goes through input rows and the rows of their calls, and hands on batches of a fair size. */
  abstract static class Expanding extends BaseOperator {
    private final @Nullable Operator input;
    final SetCalls calls;
    private final List<SqlType> types;
    private @Nullable Batch batch;
    private boolean done;
    private int row;
    private boolean opened;
    private boolean any;
    private long ordinal;
    private final List<Batch> waiting = new ArrayList<>();
    private int waitingRows;

    Expanding(Execution run, @Nullable Operator input, SetCalls calls, List<SqlType> types) {
      super(run, input == null ? new Operator[0] : new Operator[] {input});
      this.input = input;
      this.calls = calls;
      this.types = types;
    }

    /** Output rows of one input row for some rows of its calls. */
    abstract Batch combine(Batch in, int row, Batch rows, long firstOrdinal);

    /** Output of an input row whose calls gave nothing; null = none. */
    abstract @Nullable Batch nothing(Batch in, int row);

    /** Called with each new input batch. */
    void begin(Batch in) {
      calls.input(input == null ? Rows.none(1) : Rows.of(in));
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
          if (input == null) {
            done = true;
            b = new Batch(List.of(), 1);
          } else {
            Step s = input.step(slice);
            if (s == Step.Signal.DONE) {
              done = true;
              continue;
            }
            if (!(s instanceof Step.Out o)) {
              return s;
            }
            b = o.batch();
          }
          batch = b;
          row = 0;
          opened = false;
          begin(b);
        }
        while (row < b.rows()) {
          if (!opened) {
            calls.open(row);
            opened = true;
            any = false;
            ordinal = 1;
          }
          Batch r = calls.next();
          if (r == null) {
            Batch none = any ? null : nothing(b, row);
            if (none != null) {
              keep(none);
            }
            row++;
            opened = false;
          } else {
            any = true;
            keep(combine(b, row, r, ordinal));
            ordinal += r.rows();
          }
          if (waitingRows >= SetCalls.CHUNK) {
            return flush();
          }
          if (slice.expired()) {
            return Step.Signal.AGAIN;
          }
        }
        batch = null;
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
  }

  static Vector repeat(Vector v, int row, int n) {
    int[] at = new int[n];
    Arrays.fill(at, row);
    return v.take(at, n);
  }

  /** ROWS FROM (…), LATERAL if there is an input. */
  static final class TableFunction extends Expanding {
    private final PhysicalPlan.TableFunction plan;
    private final int inputWidth;

    TableFunction(Execution run, PhysicalPlan.TableFunction plan, @Nullable Operator input) {
      super(run, input, new SetCalls(run, plan.calls(), true), plan.types());
      this.plan = plan;
      PhysicalPlan in = plan.input();
      inputWidth = in == null ? 0 : in.types().size();
    }

    @Override
    Batch combine(Batch in, int row, Batch rows, long firstOrdinal) {
      int n = rows.rows();
      var out = new ArrayList<Vector>(plan.types().size());
      for (int c = 0; c < inputWidth; c++) {
        out.add(repeat(in.column(c), row, n));
      }
      out.addAll(rows.columns());
      if (plan.ordinality()) {
        long[] o = new long[n];
        for (int i = 0; i < n; i++) {
          o[i] = firstOrdinal + i;
        }
        out.add(new LongVector(SqlType.INT8, o, n, null));
      }
      return new Batch(out, n);
    }

    @Override
    @Nullable Batch nothing(Batch in, int row) {
      if (!plan.outer() || plan.input() == null) {
        return null;
      }
      var out = new ArrayList<Vector>(plan.types().size());
      for (int c = 0; c < inputWidth; c++) {
        out.add(in.column(c).slice(row, 1));
      }
      for (int c = inputWidth; c < plan.types().size(); c++) {
        out.add(Gather.nulls(plan.types().get(c), 1));
      }
      return new Batch(out, 1);
    }
  }

  /** Set-returning calls of a select list beside plain expressions. */
  static final class ProjectSet extends Expanding {
    private final @Nullable Eval[] plain;
    private @Nullable Vector[] values = new @Nullable Vector[0];

    ProjectSet(Execution run, PhysicalPlan.ProjectSet plan, Operator input) {
      super(run, input, new SetCalls(run, sets(plan), false), plan.types());
      plain = new @Nullable Eval[plan.items().size()];
      for (int i = 0; i < plain.length; i++) {
        var item = plan.items().get(i);
        plain[i] = item.returnsSet() ? null : run.exprs().compile(item.expr());
      }
    }

    private static List<Expr> sets(PhysicalPlan.ProjectSet plan) {
      var out = new ArrayList<Expr>();
      for (var i : plan.items()) {
        if (i.returnsSet()) {
          out.add(i.expr());
        }
      }
      return out;
    }

    @Override
    void begin(Batch in) {
      super.begin(in);
      Rows rows = Rows.of(in);
      values = new @Nullable Vector[plain.length];
      for (int i = 0; i < plain.length; i++) {
        Eval e = plain[i];
        values[i] = e == null ? null : e.eval(rows);
      }
    }

    @Override
    Batch combine(Batch in, int row, Batch rows, long firstOrdinal) {
      int n = rows.rows();
      var out = new ArrayList<Vector>(plain.length);
      int set = 0;
      for (int i = 0; i < plain.length; i++) {
        Vector v = values[i];
        out.add(v == null ? rows.column(set++) : repeat(v, row, n));
      }
      return new Batch(out, n);
    }

    @Override
    @Nullable Batch nothing(Batch in, int row) {
      return null;
    }
  }
}
