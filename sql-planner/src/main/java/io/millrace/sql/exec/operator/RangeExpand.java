package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.expr.Eval;
import io.millrace.sql.exec.expr.Rows;
import io.millrace.sql.physical.Expr;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives each row once per window that it is in, with the window's align point; for items with
 * shorter windows than the longest a column tells whether the row is in theirs too.
 */
final class RangeExpand extends BaseOperator {
  /**
   * What comes out: the input's columns, the align point, and the columns that tell.
   *
   * @param time the rows' time
   */
  record Shape(RangeGrid grid, Expr time, List<SqlType> input) {
    /** The column that tells whether a row is in an item's window; null if all rows are. */
    Expr.@Nullable Column within(int item) {
      int at = input.size() + 1;
      long[] ranges = grid.ranges();
      for (int i = 0; i < item; i++) {
        at += ranges[i] < ranges[grid.longest()] ? 1 : 0;
      }
      return ranges[item] < ranges[grid.longest()] ? new Expr.Column(at, SqlType.BOOL) : null;
    }

    List<SqlType> types() {
      var out = new ArrayList<>(input);
      out.add(grid.time());
      for (int i = 0; i < grid.ranges().length; i++) {
        if (within(i) != null) {
          out.add(SqlType.BOOL);
        }
      }
      return out;
    }
  }

  private final Operator input;
  private final RangeGrid grid;
  private final Eval time;
  private @Nullable Batch batch;
  private long[] points = new long[0];

  /** How far each row is behind the align point. */
  private long[] behind = new long[0];

  private int[] rows = new int[0];
  private int count;

  RangeExpand(Execution run, Shape shape, Operator input) {
    super(run, input);
    this.input = input;
    this.grid = shape.grid();
    this.time = run.exprs().compile(shape.time());
  }

  @Override
  Step next(Slice slice) {
    while (true) {
      slice.check();
      Batch b = batch;
      if (b != null) {
        keep();
        if (count > 0) {
          Batch out = expand(b);
          for (int i = 0; i < count; i++) {
            points[i]--;
            behind[i] += grid.align();
          }
          return new Step.Out(out);
        }
        batch = null;
      }
      Step s = input.step(slice);
      if (!(s instanceof Step.Out o)) {
        return s;
      }
      start(o.batch());
      if (slice.expired()) {
        return Step.Signal.AGAIN;
      }
    }
  }

  private void start(Batch b) {
    Vector t = time.eval(Rows.of(b));
    long[] values = ((LongVector) t).values();
    if (rows.length < b.rows()) {
      rows = new int[b.rows()];
      points = new long[b.rows()];
      behind = new long[b.rows()];
    }
    count = 0;
    for (int i = 0; i < b.rows(); i++) {
      if (!t.isNull(i) && !RangeGrid.infinite(values[i])) {
        rows[count] = i;
        points[count] = grid.point(values[i]);
        behind[count] = values[i] - grid.time(points[count]);
        count++;
      }
    }
    batch = b;
  }

  /** Only rows that are still in the longest window. */
  private void keep() {
    long longest = grid.ranges()[grid.longest()];
    int n = 0;
    for (int i = 0; i < count; i++) {
      if (behind[i] < longest) {
        rows[n] = rows[i];
        points[n] = points[i];
        behind[n] = behind[i];
        n++;
      }
    }
    count = n;
  }

  private Batch expand(Batch b) {
    var out = new ArrayList<>(b.take(rows, count).columns());
    long[] at = new long[count];
    for (int i = 0; i < count; i++) {
      at[i] = grid.time(points[i]);
    }
    out.add(new LongVector(grid.time(), at, count, null));
    long longest = grid.ranges()[grid.longest()];
    for (long range : grid.ranges()) {
      if (range < longest) {
        boolean[] within = new boolean[count];
        for (int i = 0; i < count; i++) {
          within[i] = behind[i] < range;
        }
        out.add(new BoolVector(SqlType.BOOL, within, count, null));
      }
    }
    return new Batch(out, count);
  }
}
