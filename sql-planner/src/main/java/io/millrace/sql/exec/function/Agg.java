package io.millrace.sql.exec.function;

import io.millrace.common.batch.Vector;
import java.util.List;

/** What aggregate states have in common: growing by groups and going row by row. */
abstract class Agg implements AggregateKernel {
  private int capacity;

  /** Makes room for so many groups; called with growing numbers. */
  abstract void grow(int newCapacity);

  /** Takes in one row. */
  abstract void add(List<Vector> args, int row, int group, EvalContext context);

  @Override
  public final void ensureGroups(int groups) {
    if (groups > capacity) {
      capacity = Math.max(groups, capacity == 0 ? Math.max(4, groups) : capacity * 2);
      grow(capacity);
    }
  }

  @Override
  public void accumulate(List<Vector> args, int rows, int[] groupIds, EvalContext context) {
    for (int i = 0; i < rows; i++) {
      add(args, i, groupIds[i], context);
    }
  }

  @Override
  public void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext context) {
    for (int i = from; i < to; i++) {
      add(args, i, group, context);
    }
  }
}
