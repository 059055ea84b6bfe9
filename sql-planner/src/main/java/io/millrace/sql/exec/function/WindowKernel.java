package io.millrace.sql.exec.function;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.PhysicalPlan.Frame.Exclude;
import java.util.List;

/** A window function over one whole partition. Aggregates in windows are AggregateKernels. */
@FunctionalInterface
public interface WindowKernel {
  Vector apply(Partition partition, EvalContext context);

  /**
   * The rows of a partition in window order.
   *
   * @param args argument values of all rows
   * @param peerStart per row: first row of its peer group
   * @param peerEnd per row: end (exclusive) of its peer group
   * @param frameStart per row: first row of its frame
   * @param frameEnd per row: end (exclusive) of its frame; not above frameStart = empty
   * @param exclude what the frame leaves out
   */
  record Partition(
      List<Vector> args,
      int rows,
      int[] peerStart,
      int[] peerEnd,
      int[] frameStart,
      int[] frameEnd,
      Exclude exclude) {}

  /** Makes a kernel for one call. */
  @FunctionalInterface
  interface Factory {
    WindowKernel bind(List<SqlType> argumentTypes, SqlType resultType);
  }
}
