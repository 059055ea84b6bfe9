package io.millrace.sql.exec.expr;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.ScalarKernel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls of kernels, columns, and calls over constants that are evaluated once. */
final class Call extends Eval {
  private final ScalarKernel kernel;
  private final Eval[] args;
  private final boolean strict;
  private final EvalContext context;

  Call(SqlType type, ScalarKernel kernel, Eval[] args, boolean strict, EvalContext context) {
    super(type);
    this.kernel = kernel;
    this.args = args;
    this.strict = strict;
    this.context = context;
  }

  @Override
  public Vector eval(Rows in) {
    int n = in.rows();
    if (n == 0) {
      return Gather.nulls(type(), 0);
    }
    var vectors = new ArrayList<Vector>(args.length);
    for (Eval a : args) {
      if (strict && a instanceof Const c && c.isNull()) {
        return Gather.nulls(type(), n);
      }
      vectors.add(a.eval(in));
    }
    context.check().run();
    return kernel.apply(vectors, n, context);
  }

  /** A column of the input. */
  static final class Column extends Eval {
    private final int index;

    Column(int index, SqlType type) {
      super(type);
      this.index = index;
    }

    int index() {
      return index;
    }

    @Override
    boolean safe() {
      return true;
    }

    @Override
    public Vector eval(Rows in) {
      return in.column(index);
    }
  }

  /** An expression over constants only that does not change within the query: evaluated once. */
  static final class Once extends Eval {
    private final Eval inner;
    private @Nullable Const value;

    Once(Eval inner) {
      super(inner.type());
      this.inner = inner;
    }

    @Override
    public Vector eval(Rows in) {
      if (in.rows() == 0) {
        return Gather.nulls(type(), 0);
      }
      Const c = value;
      if (c == null) {
        c = new Const(type(), inner.eval(Rows.none(1)));
        value = c;
      }
      return c.eval(in);
    }
  }

  static List<SqlType> types(Eval[] args) {
    var out = new ArrayList<SqlType>(args.length);
    for (Eval a : args) {
      out.add(a.type());
    }
    return out;
  }
}
