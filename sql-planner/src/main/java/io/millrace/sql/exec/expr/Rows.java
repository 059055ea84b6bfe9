package io.millrace.sql.exec.expr;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import org.jspecify.annotations.Nullable;

/*
 * The rows that an expression sees: a batch, or a selection of one whose columns are gathered only
 * when asked for. Arms of CASE, COALESCE, AND and OR run over selections, so that rows that do not
 * reach them raise no errors and cost nothing.
 */
/** Input rows of an expression. */
public final class Rows {
  /** Gives columns when they are needed. */
  @FunctionalInterface
  public interface Source {
    Vector column(int index);
  }

  private static final Source NO_COLUMNS =
      index -> {
        throw new IllegalStateException("column " + index + " of an input without columns");
      };

  private final Source source;
  private final int rows;

  public Rows(Source source, int rows) {
    this.source = source;
    this.rows = rows;
  }

  public static Rows of(Batch batch) {
    return new Rows(batch::column, batch.rows());
  }

  /** Rows without columns, for expressions that read none. */
  public static Rows none(int rows) {
    return new Rows(NO_COLUMNS, rows);
  }

  public int rows() {
    return rows;
  }

  public Vector column(int index) {
    return source.column(index);
  }

  /** The rows at the given positions; the array must not change afterwards. */
  public Rows select(int[] positions, int count) {
    return new Rows(new Selected(source, positions, count), count);
  }

  private static final class Selected implements Source {
    private final Source base;
    private final int[] positions;
    private final int count;
    private @Nullable Vector[] taken = new @Nullable Vector[8];

    Selected(Source base, int[] positions, int count) {
      this.base = base;
      this.positions = positions;
      this.count = count;
    }

    @Override
    public Vector column(int index) {
      if (index >= taken.length) {
        taken = java.util.Arrays.copyOf(taken, index + 8);
      }
      Vector v = taken[index];
      if (v == null) {
        v = base.column(index).take(positions, count);
        taken[index] = v;
      }
      return v;
    }
  }
}
