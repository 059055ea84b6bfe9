package io.millrace.sql.exec.expr;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import org.jspecify.annotations.Nullable;

/** AND, OR, NOT and IS NULL. */
final class Logic {
  private Logic() {}

  /*
   * AND and OR are one algorithm: a value that equals the dominant one (false for AND) decides a
   * row. Arguments that cannot fail run over all rows; others only over the rows left undecided.
   */
  static final class Junction extends Eval {
    private final Eval[] args;
    private final boolean dominant;

    Junction(Eval[] args, boolean dominant) {
      super(SqlType.BOOL);
      this.args = args;
      this.dominant = dominant;
    }

    @Override
    boolean safe() {
      for (Eval a : args) {
        if (!a.safe()) {
          return false;
        }
      }
      return true;
    }

    @Override
    public Vector eval(Rows in) {
      int n = in.rows();
      boolean[] decided = new boolean[n];
      long @Nullable [] valid = null;
      for (int k = 0; k < args.length; k++) {
        Eval arg = args[k];
        if (k == 0 || arg.safe()) {
          var v = (BoolVector) arg.eval(in);
          boolean[] b = v.values();
          if (v.mayHaveNulls()) {
            if (valid == null) {
              valid = Bits.allSet(n);
            }
            for (int i = 0; i < n; i++) {
              if (v.isNull(i)) {
                Bits.clear(valid, i);
              } else if (b[i] == dominant) {
                decided[i] = true;
              }
            }
          } else {
            for (int i = 0; i < n; i++) {
              decided[i] |= b[i] == dominant;
            }
          }
          continue;
        }
        int[] open = new int[n];
        int m = 0;
        for (int i = 0; i < n; i++) {
          open[m] = i;
          m += decided[i] ? 0 : 1;
        }
        if (m == 0) {
          break;
        }
        var v = (BoolVector) arg.eval(m == n ? in : in.select(open, m));
        for (int j = 0; j < m; j++) {
          int i = open[j];
          if (v.isNull(j)) {
            if (valid == null) {
              valid = Bits.allSet(n);
            }
            Bits.clear(valid, i);
          } else if (v.values()[j] == dominant) {
            decided[i] = true;
          }
        }
      }
      for (int i = 0; i < n; i++) {
        if (decided[i] && valid != null) {
          Bits.set(valid, i);
        }
        decided[i] = decided[i] == dominant;
      }
      return new BoolVector(SqlType.BOOL, decided, n, valid);
    }

    @Override
    public int filter(Rows in, int[] out) {
      if (dominant) {
        return super.filter(in, out);
      }
      int n = args[0].filter(in, out);
      int[] inner = new int[n];
      for (int k = 1; k < args.length && n > 0; k++) {
        if (n == in.rows()) {
          n = args[k].filter(in, out);
          if (inner.length < n) {
            inner = new int[n];
          }
          continue;
        }
        int m = args[k].filter(in.select(java.util.Arrays.copyOf(out, n), n), inner);
        for (int j = 0; j < m; j++) {
          out[j] = out[inner[j]];
        }
        n = m;
      }
      return n;
    }
  }

  static final class Not extends Eval {
    private final Eval arg;

    Not(Eval arg) {
      super(SqlType.BOOL);
      this.arg = arg;
    }

    @Override
    boolean safe() {
      return arg.safe();
    }

    @Override
    public Vector eval(Rows in) {
      var v = (BoolVector) arg.eval(in);
      int n = in.rows();
      boolean[] out = new boolean[n];
      boolean[] b = v.values();
      for (int i = 0; i < n; i++) {
        out[i] = !b[i];
      }
      return new BoolVector(SqlType.BOOL, out, n, v.validity());
    }
  }

  static final class IsNull extends Eval {
    private final Eval arg;
    private final boolean negated;

    IsNull(Eval arg, boolean negated) {
      super(SqlType.BOOL);
      this.arg = arg;
      this.negated = negated;
    }

    @Override
    boolean safe() {
      return arg.safe();
    }

    @Override
    public Vector eval(Rows in) {
      Vector v = arg.eval(in);
      int n = in.rows();
      boolean[] out = new boolean[n];
      if (v instanceof RecordVector r) {
        for (int i = 0; i < n; i++) {
          out[i] = record(r, i);
        }
      } else if (v.mayHaveNulls()) {
        for (int i = 0; i < n; i++) {
          out[i] = v.isNull(i) != negated;
        }
      } else if (negated) {
        java.util.Arrays.fill(out, true);
      }
      return new BoolVector(SqlType.BOOL, out, n, null);
    }

    /** All fields NULL, or negated: none NULL. */
    private boolean record(RecordVector r, int i) {
      if (r.isNull(i)) {
        return !negated;
      }
      for (Vector c : r.children()) {
        if (c.isNull(i) == negated) {
          return false;
        }
      }
      return true;
    }
  }
}
