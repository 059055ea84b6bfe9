package io.millrace.sql.exec.operator;

import io.millrace.common.time.Scheduler;
import io.millrace.sql.exec.Slice;

/** How an operator gets work done on other threads of the pool. */
public interface Tasks {
  int threads();

  /** Starts a task of this query. */
  Task start(Body body);

  /** Runs something short after so long. */
  Scheduler.Cancellable after(long micros, Runnable task);

  /** What a turn of a task ended with. */
  enum Outcome {
    AGAIN,
    /** Nothing to do until woken. */
    PARK,
    DONE
  }

  /** Work done in turns by one thread at a time. Must not throw. */
  interface Body {
    Outcome run(Slice slice);

    /** Called once, after the last turn. */
    void close();
  }

  /** A started task. */
  interface Task {
    void wakeUp();

    /** Ends it at its next turn, or at once if it is parked. */
    void stop();
  }
}
