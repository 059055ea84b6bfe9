package io.millrace.storage.sim;

import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import io.millrace.common.time.ManualClock;
import io.millrace.common.time.Scheduler;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.wal.LogFiles;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * One thread that takes, by a seeded chance, the next task of one of the queues: one queue per
 * serial executor, any order in the background. At the engine's points other queues may get a turn.
 */
public final class SimEnvironment implements EngineEnvironment {
  private static final class Lane {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean busy;
  }

  private record Timer(long atNanos, Runnable task) {}

  private final SimDisk disk;
  private final RandomGenerator random;
  private final ManualClock clock;
  private final Map<String, Lane> lanes = new HashMap<>();
  private final List<Lane> order = new ArrayList<>();
  private final List<Timer> timers = new ArrayList<>();
  private final List<Runnable> background = new ArrayList<>();
  private int depth;
  private Consumer<Point> onPoint = _ -> {};
  private boolean shuffled = true;

  public SimEnvironment(SimDisk disk, RandomGenerator random, ManualClock clock) {
    this.disk = disk;
    this.random = random;
    this.clock = clock;
  }

  /** Called at every point, before other queues get a turn. */
  public void onPoint(Consumer<Point> action) {
    onPoint = action;
  }

  /** Whether other queues may run at the engine's points. */
  public void shuffled(boolean yes) {
    shuffled = yes;
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public Scheduler scheduler() {
    return (delayMicros, task) -> {
      var t = new Timer(clock.monotonicNanos() + delayMicros * 1000, task);
      timers.add(t);
      return () -> timers.removeIf(other -> other == t);
    };
  }

  @Override
  public Executor serial(String name) {
    Lane lane = new Lane();
    lanes.put(name, lane);
    order.add(lane);
    return lane.tasks::addLast;
  }

  @Override
  public Executor background() {
    return background::add;
  }

  @Override
  public ObjectStore objects(Path directory) {
    return disk.objectStore();
  }

  @Override
  public LogFiles logFiles(Path directory) {
    return disk.logFiles();
  }

  @Override
  public AutoCloseable lock(Path directory) {
    return () -> {};
  }

  @Override
  public <T> T await(CompletableFuture<T> future) {
    runUntil(future);
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof MillraceException m) {
        throw m;
      }
      throw e;
    }
  }

  /** Runs tasks, and the clock when there are none, until the future is done. */
  public void runUntil(CompletableFuture<?> future) {
    for (int i = 0; !future.isDone(); i++) {
      if (!step()) {
        advance(100_000);
      }
      if (i > 1_000_000) {
        throw new AssertionError("nothing comes of it");
      }
    }
  }

  /** Runs at most that many tasks; returns whether any is left. */
  public boolean run(int steps) {
    for (int i = 0; i < steps; i++) {
      if (!step()) {
        return false;
      }
    }
    return true;
  }

  /** Lets time pass. */
  public void advance(long micros) {
    clock.advanceMicros(micros);
    long now = clock.monotonicNanos();
    for (Timer t : List.copyOf(timers)) {
      if (t.atNanos <= now && timers.remove(t)) {
        t.task.run();
      }
    }
  }

  /** Runs one task of one queue. */
  public boolean step() {
    var ready = new ArrayList<Lane>();
    for (Lane l : order) {
      if (!l.busy && !l.tasks.isEmpty()) {
        ready.add(l);
      }
    }
    int choices = ready.size() + background.size();
    if (choices == 0) {
      return false;
    }
    int pick = random.nextInt(choices);
    if (pick >= ready.size()) {
      background.remove(pick - ready.size()).run();
      return true;
    }
    Lane lane = ready.get(pick);
    lane.busy = true;
    try {
      lane.tasks.removeFirst().run();
    } finally {
      lane.busy = false;
    }
    return true;
  }

  @Override
  public void reached(Point point) {
    onPoint.accept(point);
    if (shuffled && depth < 3 && random.nextInt(3) == 0) {
      depth++;
      try {
        run(1 + random.nextInt(4));
      } finally {
        depth--;
      }
    }
  }

  @Override
  public void close() {
    lanes.clear();
    order.clear();
    timers.clear();
    background.clear();
  }
}
