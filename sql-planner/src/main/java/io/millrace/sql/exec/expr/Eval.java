package io.millrace.sql.exec.expr;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;

/** A compiled expression. Belongs to one thread at a time: nodes keep caches and kernel state. */
public abstract class Eval {
  private final SqlType type;

  Eval(SqlType type) {
    this.type = type;
  }

  public final SqlType type() {
    return type;
  }

  /** One value per row. */
  public abstract Vector eval(Rows in);

  /** Whether it may be evaluated for rows that do not need it: it cannot fail and is cheap. */
  boolean safe() {
    return false;
  }

  /**
   * For boolean expressions: writes the positions of the rows where it is true, ascending, and
   * returns their number.
   */
  public int filter(Rows in, int[] out) {
    return positions((BoolVector) eval(in), in.rows(), out);
  }

  static int positions(BoolVector v, int rows, int[] out) {
    boolean[] b = v.values();
    int n = 0;
    if (v.mayHaveNulls()) {
      for (int i = 0; i < rows; i++) {
        if (b[i] && !v.isNull(i)) {
          out[n++] = i;
        }
      }
    } else {
      for (int i = 0; i < rows; i++) {
        out[n] = i;
        n += b[i] ? 1 : 0;
      }
    }
    return n;
  }
}
