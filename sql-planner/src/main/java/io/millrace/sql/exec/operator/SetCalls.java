package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Gather;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.SetKernel;
import io.millrace.sql.physical.Expr;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Set-returning calls for one input row, in step: each gives its rows in pieces, the shorter ones
 * are padded with NULLs until the longest has ended.
 */
/** Runs set-returning functions side by side. */
final class SetCalls {
  static final int CHUNK = 1024;

  private final Execution run;
  private final SetKernel[] kernels;
  private final Eval[][] args;
  private final SqlType[] types;
  private final boolean expand;
  private List<List<Vector>> values = new ArrayList<>();
  private final SetKernel.@Nullable Rows[] open;
  private boolean active;

  /**
   * @param expand records become a column per field
   */
  SetCalls(Execution run, List<Expr> calls, boolean expand) {
    this.run = run;
    this.expand = expand;
    int n = calls.size();
    kernels = new SetKernel[n];
    args = new Eval[n][];
    types = new SqlType[n];
    open = new SetKernel.@Nullable Rows[n];
    for (int i = 0; i < n; i++) {
      Expr call = calls.get(i);
      types[i] = call.type();
      if (call instanceof Expr.Call c && run.exprs().functions().isSet(c.function())) {
        args[i] = run.exprs().compileAll(c.args());
        List<SqlType> argTypes = c.args().stream().map(Expr::type).toList();
        kernels[i] = run.exprs().functions().set(c.function(), argTypes, c.type());
      } else {
        args[i] = run.exprs().compileAll(List.of(call));
        kernels[i] = SetCalls::oneRow;
      }
    }
  }

  /** An expression that returns no set stands for one row. */
  private static SetKernel.Rows oneRow(List<Vector> value, int row, EvalContext context) {
    var left = new ArrayDeque<Batch>();
    left.add(new Batch(columnsOf(value.getFirst().slice(row, 1)), 1));
    return _ -> left.poll();
  }

  private static List<Vector> columnsOf(Vector v) {
    if (!(v instanceof RecordVector record) || record.type().fields().isEmpty()) {
      return List.of(v);
    }
    return record.isNull(0)
        ? record.type().fields().stream().map(f -> Gather.nulls(f.type(), 1)).toList()
        : record.children();
  }

  /** Evaluates the arguments over the rows of an input batch. */
  void input(Rows rows) {
    values = new ArrayList<>();
    for (Eval[] a : args) {
      var v = new ArrayList<Vector>(a.length);
      for (Eval e : a) {
        v.add(e.eval(rows));
      }
      values.add(v);
    }
  }

  /** Starts the calls for a row of that input. */
  void open(int row) {
    for (int i = 0; i < kernels.length; i++) {
      open[i] = kernels[i].open(values.get(i), row, run.exprs().context());
    }
    active = true;
  }

  /** Columns of the next rows; null when all calls have ended. */
  @Nullable Batch next() {
    if (!active) {
      return null;
    }
    var parts = new ArrayList<List<Batch>>();
    int longest = 0;
    for (int i = 0; i < kernels.length; i++) {
      var mine = new ArrayList<Batch>();
      int n = 0;
      SetKernel.Rows r = open[i];
      while (r != null && n < CHUNK) {
        Batch b = r.next(CHUNK - n);
        if (b == null) {
          open[i] = null;
          r = null;
        } else if (b.rows() > 0) {
          mine.add(b);
          n += b.rows();
        } else {
          run.exprs().context().check().run();
        }
      }
      longest = Math.max(longest, n);
      parts.add(mine);
    }
    if (longest == 0) {
      active = false;
      return null;
    }
    var out = new ArrayList<Vector>();
    for (int i = 0; i < kernels.length; i++) {
      out.addAll(columns(types[i], parts.get(i), longest));
    }
    return new Batch(out, longest);
  }

  private List<Vector> columns(SqlType type, List<Batch> parts, int n) {
    boolean record = type.layout() == Layout.RECORD && !type.fields().isEmpty();
    var fieldTypes = new ArrayList<SqlType>();
    if (record) {
      type.fields().forEach(f -> fieldTypes.add(f.type()));
    } else {
      fieldTypes.add(type);
    }
    int have = 0;
    for (Batch b : parts) {
      have += b.rows();
    }
    var out = new ArrayList<Vector>();
    for (int f = 0; f < fieldTypes.size(); f++) {
      SqlType t = fieldTypes.get(f);
      var pieces = new ArrayList<Vector>();
      for (Batch b : parts) {
        pieces.add(b.column(f));
      }
      if (have < n) {
        pieces.add(Gather.nulls(t, n - have));
      }
      out.add(Gather.concat(t, pieces));
    }
    if (record && !expand) {
      long[] valid = null;
      if (have < n) {
        valid = new long[io.millrace.common.batch.Bits.words(n)];
        for (int i = 0; i < have; i++) {
          io.millrace.common.batch.Bits.set(valid, i);
        }
      }
      return List.of(new RecordVector(type, out, n, valid));
    }
    return out;
  }
}
