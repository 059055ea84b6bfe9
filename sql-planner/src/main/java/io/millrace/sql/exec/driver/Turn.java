package io.millrace.sql.exec.driver;

import java.util.concurrent.atomic.AtomicInteger;

/*
 * A task that is run in turns by one thread at a time and parked in between.
 * IDLE -wake-> QUEUED -pool-> RUNNING -> (PARK) IDLE | (AGAIN) QUEUED | (DONE) ENDED. A wake while
 * RUNNING leaves NOTIFIED, so that a park after it turns into another turn: no wake is lost, and
 * spurious ones are harmless.
 */
/** Something that runs in turns. */
abstract class Turn {
  /** What a turn ended with. */
  enum Verdict {
    AGAIN,
    PARK,
    DONE
  }

  private static final int IDLE = 0;
  private static final int QUEUED = 1;
  private static final int RUNNING = 2;
  private static final int NOTIFIED = 3;
  private static final int ENDED = 4;

  private final LevelScheduler scheduler;
  private final AtomicInteger state = new AtomicInteger(IDLE);
  private long usedNanos;

  Turn(LevelScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Runs until there is nothing to do or the slice is over. */
  abstract Verdict turn();

  /** Level 0 is served most; by processor time used, unless overridden. */
  int level() {
    return LevelScheduler.levelOf(usedNanos);
  }

  final void used(long nanos) {
    usedNanos += nanos;
  }

  public final void wake() {
    while (true) {
      int s = state.get();
      switch (s) {
        case IDLE -> {
          if (state.compareAndSet(IDLE, QUEUED)) {
            scheduler.submit(this);
            return;
          }
        }
        case RUNNING -> {
          if (state.compareAndSet(RUNNING, NOTIFIED)) {
            return;
          }
        }
        default -> {
          return;
        }
      }
    }
  }

  /** Takes a parked task away from the pool for good: the caller now owns it. */
  final boolean seize() {
    return state.compareAndSet(IDLE, ENDED);
  }

  final boolean ended() {
    return state.get() == ENDED;
  }

  final void run() {
    if (!state.compareAndSet(QUEUED, RUNNING)) {
      return;
    }
    Verdict v = Verdict.DONE;
    boolean whole = false;
    try {
      v = turn();
      whole = true;
    } finally {
      if (!whole) {
        state.set(ENDED);
      }
    }
    switch (v) {
      case DONE -> state.set(ENDED);
      case AGAIN -> {
        state.set(QUEUED);
        scheduler.submit(this);
      }
      case PARK -> {
        if (!state.compareAndSet(RUNNING, IDLE)) {
          state.set(QUEUED);
          scheduler.submit(this);
        }
      }
    }
  }
}
