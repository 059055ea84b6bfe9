package io.millrace.sql.exec.driver;

import io.millrace.common.time.Clock;
import java.util.ArrayDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/*
 * The statement pool: a few threads, five levels of tasks by the processor time they have used.
 * Each level has a virtual time, its used time divided by its share (16:8:4:2:1); the non-empty
 * level with the least virtual time is served. A level that wakes up starts at the clock of the
 * levels at work, so that idleness earns no credit. Every queued task has one ticket in the
 * executor; a ticket runs whichever task is first now. Nothing here waits.
 */
/** Runs turns on a fixed number of threads with multi-level fair shares. */
public final class LevelScheduler implements AutoCloseable {
  private static final int LEVELS = 5;
  private static final long[] UP_TO_NANOS = {1_000_000L, 10_000_000L, 100_000_000L, 1_000_000_000L};

  private final Clock clock;
  private final ExecutorService executor;
  private final Object lock = new Object();
  private final ArrayDeque<Runnable>[] queues;
  private final long[] virtual = new long[LEVELS];
  private final int threads;
  private boolean closed;

  @SuppressWarnings({"unchecked", "rawtypes"})
  public LevelScheduler(int threads, Clock clock) {
    this.threads = threads;
    this.clock = clock;
    var number = new AtomicInteger();
    executor =
        Executors.newFixedThreadPool(
            threads,
            r -> {
              var t = new Thread(r, "query-" + number.incrementAndGet());
              t.setDaemon(true);
              return t;
            });
    queues = new ArrayDeque[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
      queues[i] = new ArrayDeque<>();
    }
  }

  int threads() {
    return threads;
  }

  static int levelOf(long usedNanos) {
    int l = 0;
    while (l < UP_TO_NANOS.length && usedNanos > UP_TO_NANOS[l]) {
      l++;
    }
    return l;
  }

  void submit(Turn turn) {
    enqueue(
        turn.level(),
        () -> {
          long t = clock.monotonicNanos();
          try {
            turn.run();
          } finally {
            turn.used(clock.monotonicNanos() - t);
          }
        });
  }

  /** A short task, served before queries that have used time. */
  public void execute(Runnable task) {
    enqueue(0, task);
  }

  private void enqueue(int level, Runnable task) {
    synchronized (lock) {
      if (closed) {
        return;
      }
      if (queues[level].isEmpty()) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < LEVELS; i++) {
          if (!queues[i].isEmpty()) {
            least = Math.min(least, virtual[i]);
          }
        }
        if (least != Long.MAX_VALUE) {
          virtual[level] = Math.max(virtual[level], least);
        }
      }
      queues[level].add(task);
    }
    try {
      executor.execute(this::next);
    } catch (RejectedExecutionException e) {
      if (!isClosed()) {
        throw e;
      }
    }
  }

  private boolean isClosed() {
    synchronized (lock) {
      return closed;
    }
  }

  private void next() {
    Runnable task = null;
    int level = 0;
    synchronized (lock) {
      long least = Long.MAX_VALUE;
      for (int i = 0; i < LEVELS; i++) {
        if (!queues[i].isEmpty() && virtual[i] < least) {
          least = virtual[i];
          level = i;
        }
      }
      if (least != Long.MAX_VALUE) {
        task = queues[level].poll();
      }
    }
    run(task, level);
  }

  private void run(@Nullable Runnable task, int level) {
    if (task == null) {
      return;
    }
    long t = clock.monotonicNanos();
    try {
      task.run();
    } finally {
      long used = clock.monotonicNanos() - t;
      synchronized (lock) {
        // Level i has a share of 16 >> i, so its time runs 1 << i times as fast.
        virtual[level] += Math.max(1, used) << level;
      }
    }
  }

  /** Stops taking tasks and drops those that wait. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      for (ArrayDeque<Runnable> q : queues) {
        q.clear();
      }
    }
    executor.shutdown();
  }
}
