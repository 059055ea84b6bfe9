package io.millrace.sql.exec.function;

import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import java.util.List;

/**
 * The states of one aggregate call for many groups, numbered from 0.
 *
 * <p>NULL arguments are passed as they are; the kernel skips them where the aggregate does. FILTER,
 * DISTINCT and ORDER BY are the caller's work: it leaves rows out (take) and, for ordered
 * aggregates, feeds each group's rows in order. Arguments of count(*) are an empty list. An
 * instance belongs to one thread at a time.
 */
public interface AggregateKernel {
  /** Makes groups [0, groups) exist; new ones are empty. */
  void ensureGroups(int groups);

  /** Row i goes into group groupIds[i], for rows [0, rows). */
  void accumulate(List<Vector> args, int rows, int[] groupIds, EvalContext context);

  /** Rows [from, to) go into one group; the fast path of sorted and clustered input. */
  void accumulateRun(List<Vector> args, int from, int to, int group, EvalContext context);

  /** Types of the vectors that hold a partial state, one value of each per group. */
  List<SqlType> stateTypes();

  /** The partial states of groups [from, from + count). */
  List<Vector> partial(int from, int count);

  /** Merges partial states: row i of the state vectors into group groupIds[i]. */
  void mergePartial(List<Vector> states, int rows, int[] groupIds, EvalContext context);

  /** Results of groups [from, from + count). */
  Vector finish(int from, int count, EvalContext context);

  /** Makes a group empty again, for window frames. */
  void reset(int group);

  /** Whether {@link #retract} is exact, so that sliding frames may take rows out again. */
  default boolean retractable() {
    return false;
  }

  /** Takes rows [from, to) out of a group that they were put into. */
  default void retract(List<Vector> args, int from, int to, int group, EvalContext context) {
    throw new UnsupportedOperationException("not retractable");
  }

  /** Bytes held. */
  long byteSize();

  /** Makes the states for one call. */
  @FunctionalInterface
  interface Factory {
    /**
     * @param direct one-row vectors: the direct arguments of ordered-set aggregates
     */
    AggregateKernel bind(List<SqlType> argumentTypes, SqlType resultType, List<Vector> direct);
  }
}
