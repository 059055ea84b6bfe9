package io.millrace.storage;

import io.millrace.common.batch.Vector;
import io.millrace.common.text.TextMatch;

/** A conjunct over one column. NULL satisfies none but {@link IsNull}. */
public sealed interface ColumnPredicate {
  int columnId();

  /** Comparison with a constant, a one-row vector of the column's layout, not NULL. */
  record Compare(int columnId, Op op, Vector constant) implements ColumnPredicate {}

  /** The value is one of the vector's (sorted, distinct, not NULL). */
  record In(int columnId, Vector values) implements ColumnPredicate {}

  record IsNull(int columnId) implements ColumnPredicate {}

  record IsNotNull(int columnId) implements ColumnPredicate {}

  /** The text matches. */
  record Text(int columnId, TextMatch match) implements ColumnPredicate {}

  /** Comparison operators. */
  enum Op {
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE
  }
}
