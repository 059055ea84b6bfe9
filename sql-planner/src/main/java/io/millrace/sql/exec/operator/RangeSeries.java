package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import org.jspecify.annotations.Nullable;

/** Tells where series begin in batches sorted by the leading key columns. */
final class RangeSeries {
  private final int keys;
  private final Runs runs = new Runs();
  private int run;
  private @Nullable Batch key;

  RangeSeries(int keys) {
    this.keys = keys;
  }

  /** Looks at a new batch. */
  void arrive(Batch b) {
    Vector[] columns = new Vector[keys];
    for (int k = 0; k < keys; k++) {
      columns[k] = b.column(k);
    }
    runs.find(columns, b.rows());
    run = 0;
  }

  /** Where the run of equal keys ends that a row is in; rows are asked for in order. */
  int end(int row) {
    while (runs.starts()[run + 1] <= row) {
      run++;
    }
    return runs.starts()[run + 1];
  }

  /** Whether a row belongs to the series begun last. */
  boolean continues(Batch b, int row) {
    Batch k = key;
    if (k == null) {
      return false;
    }
    for (int c = 0; c < keys; c++) {
      if (!b.column(c).same(row, k.column(c), 0)) {
        return false;
      }
    }
    return true;
  }

  void begin(Batch b, int row) {
    key = b.slice(row, 1);
  }

  /** The series' keys, as often as wanted. */
  java.util.List<Vector> repeated(int count) {
    Batch k = java.util.Objects.requireNonNull(key);
    int[] zeros = new int[count];
    var out = new java.util.ArrayList<Vector>(keys + 1);
    for (int c = 0; c < keys; c++) {
      out.add(k.column(c).take(zeros, count));
    }
    return out;
  }
}
