package io.millrace.common.time;

/** Runs tasks later. The simulation's runs them when its clock gets there. */
public interface Scheduler {
  /** Runs the task after the delay, on the scheduler's own thread: it must hand real work on. */
  Cancellable after(long delayMicros, Runnable task);

  /** A scheduled task. */
  interface Cancellable {
    void cancel();
  }
}
