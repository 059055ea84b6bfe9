package io.millrace.common.batch;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows as columns of equal length, normally 4,096 and at most 16,384 of them. Immutable.
 *
 * @param columns one vector per column, each of {@code rows} values
 */
public record Batch(List<Vector> columns, int rows) {
  /** The usual number of rows. */
  public static final int ROWS = 4096;

  public Batch {
    columns = List.copyOf(columns);
  }

  public Vector column(int i) {
    return columns.get(i);
  }

  public int width() {
    return columns.size();
  }

  public long byteSize() {
    long n = 32;
    for (Vector v : columns) {
      n += v.byteSize();
    }
    return n;
  }

  public Batch take(int[] positions, int count) {
    var out = new ArrayList<Vector>(columns.size());
    for (Vector v : columns) {
      out.add(v.take(positions, count));
    }
    return new Batch(out, count);
  }

  public Batch slice(int from, int count) {
    if (from == 0 && count == rows) {
      return this;
    }
    var out = new ArrayList<Vector>(columns.size());
    for (Vector v : columns) {
      out.add(v.slice(from, count));
    }
    return new Batch(out, count);
  }

  /** The columns at the given places, in that order. */
  public Batch project(int... places) {
    var out = new ArrayList<Vector>(places.length);
    for (int p : places) {
      out.add(columns.get(p));
    }
    return new Batch(out, rows);
  }
}
