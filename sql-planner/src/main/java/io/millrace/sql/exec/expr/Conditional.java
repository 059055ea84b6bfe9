package io.millrace.sql.exec.expr;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * CASE and COALESCE: arms run only over the rows that reach them, then the pieces are put together.
 */
final class Conditional {
  private Conditional() {}

  /** Values of disjoint sets of rows, collected arm by arm. */
  private static final class Pieces {
    private final SqlType type;
    private final int[] ids;
    private final List<Vector> pages = new ArrayList<>();

    Pieces(SqlType type, int rows) {
      this.type = type;
      ids = new int[rows];
      Arrays.fill(ids, -1);
    }

    /** Value j belongs to row rows[j]. */
    void add(Vector values, int[] rows, int count) {
      int page = pages.size();
      pages.add(values);
      for (int j = 0; j < count; j++) {
        ids[rows[j]] = Gather.id(page, j);
      }
    }

    Vector build() {
      return Gather.take(type, pages.toArray(new Vector[0]), ids, 0, ids.length);
    }
  }

  static final class Case extends Eval {
    private final Eval[] conditions;
    private final Eval[] values;
    private final @Nullable Eval otherwise;

    Case(SqlType type, Eval[] conditions, Eval[] values, @Nullable Eval otherwise) {
      super(type);
      this.conditions = conditions;
      this.values = values;
      this.otherwise = otherwise;
    }

    @Override
    public Vector eval(Rows in) {
      int n = in.rows();
      int[] open = Gather.identity(n);
      int left = n;
      var pieces = new Pieces(type(), n);
      for (int k = 0; k < conditions.length && left > 0; k++) {
        Rows rows = left == n ? in : in.select(Arrays.copyOf(open, left), left);
        int[] hits = new int[left];
        int m = conditions[k].filter(rows, hits);
        if (m == n) {
          return values[k].eval(in);
        }
        if (m == 0) {
          continue;
        }
        int[] at = new int[m];
        for (int j = 0; j < m; j++) {
          at[j] = open[hits[j]];
        }
        pieces.add(values[k].eval(in.select(at, m)), at, m);
        // What the arm did not take goes on to the next.
        int rest = 0;
        int h = 0;
        for (int j = 0; j < left; j++) {
          if (h < m && hits[h] == j) {
            h++;
          } else {
            open[rest++] = open[j];
          }
        }
        left = rest;
      }
      if (left > 0 && otherwise != null) {
        if (left == n) {
          return otherwise.eval(in);
        }
        pieces.add(otherwise.eval(in.select(open, left)), open, left);
      }
      return pieces.build();
    }
  }

  static final class Coalesce extends Eval {
    private final Eval[] args;

    Coalesce(SqlType type, Eval[] args) {
      super(type);
      this.args = args;
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
      Vector first = args[0].eval(in);
      if (!first.mayHaveNulls() || args.length == 1) {
        return first;
      }
      var pieces = new Pieces(type(), n);
      int[] open = Gather.identity(n);
      int left = n;
      Vector v = first;
      for (int k = 0; ; k++) {
        int[] rows = Arrays.copyOf(open, left);
        pieces.add(v, rows, left);
        int rest = 0;
        for (int j = 0; j < left; j++) {
          if (v.isNull(j)) {
            open[rest++] = rows[j];
          }
        }
        left = rest;
        if (left == 0 || k + 1 == args.length) {
          return pieces.build();
        }
        v = args[k + 1].eval(in.select(Arrays.copyOf(open, left), left));
      }
    }
  }
}
