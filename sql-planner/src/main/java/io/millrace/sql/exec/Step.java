package io.millrace.sql.exec;

import io.millrace.common.batch.Batch;

/** What one step of an operator gave. */
public sealed interface Step {
  /** Rows. */
  record Out(Batch batch) implements Step {}

  /** Nothing can be done until the wait is over. */
  record Blocked(Wait on) implements Step {}

  /** No rows. */
  enum Signal implements Step {
    /** The slice is used up, or nothing yet: call again. */
    AGAIN,
    /** No more rows ever. */
    DONE
  }
}
