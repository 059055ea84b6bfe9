package io.millrace.storage.commit;

import io.millrace.common.id.RegionId;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.EngineEnvironment.Point;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/*
 * Makes commits visible in log order. A commit is ready when it is durable and every worker has
 * applied its part; whoever brings the last of these calls advance, which publishes the ready head
 * of the queue under one lock, and then tells the callers, in order, by whichever thread holds the
 * telling. No thread of its own, no hop.
 */
public final class Publisher {
  private final SnapshotClock clock;
  private final EngineEnvironment environment;
  private final BiConsumer<CommitTask, CommitPart> events;
  private final Deque<CommitTask> queue = new ArrayDeque<>();
  private final Deque<Runnable> notices = new ArrayDeque<>();
  private final List<Waiter> waiters = new ArrayList<>();
  private boolean telling;
  private @Nullable Throwable broken;

  private record Waiter(long position, CompletableFuture<Void> reached) {}

  /**
   * A publisher.
   *
   * @param events applies a truncate or alter to its region, while the clock is odd
   */
  public Publisher(
      SnapshotClock clock,
      EngineEnvironment environment,
      BiConsumer<CommitTask, CommitPart> events) {
    this.clock = clock;
    this.environment = environment;
    this.events = events;
  }

  /** Queues commits in log order, before anybody can apply them. */
  synchronized void add(List<CommitTask> group) {
    queue.addAll(group);
  }

  /** Publishes what has become ready. */
  public void advance() {
    synchronized (this) {
      while (!queue.isEmpty() && queue.getFirst().complete()) {
        publish(queue.removeFirst());
      }
      if (telling || notices.isEmpty()) {
        return;
      }
      telling = true;
    }
    tell();
  }

  private void publish(CommitTask task) {
    clock.publish(
        task.position(),
        () -> {
          for (CommitPart p : task.parts()) {
            switch (p.kind()) {
              case WRITE -> {}
              case TRUNCATE, ALTER, EXPIRE, STAGED, EDIT, RANGE -> events.accept(task, p);
            }
          }
          for (CommitPart p : task.parts()) {
            if (p.rows() > 0) {
              p.region().setCommitted(p.lastSequence());
            }
          }
        });
    notices.addLast(() -> finish(task));
    for (int i = waiters.size() - 1; i >= 0; i--) {
      Waiter w = waiters.get(i);
      if (w.position <= task.position()) {
        waiters.remove(i);
        notices.addLast(() -> w.reached.complete(null));
      }
    }
  }

  private void tell() {
    while (true) {
      Runnable next;
      synchronized (this) {
        next = notices.pollFirst();
        if (next == null) {
          telling = false;
          return;
        }
      }
      environment.reached(Point.BEFORE_NOTICE);
      next.run();
    }
  }

  private static void finish(CommitTask task) {
    Map<RegionId, Long> last = new HashMap<>();
    for (CommitPart p : task.parts()) {
      p.region().tickets().leave(p);
      last.put(p.region().id(), p.rows() > 0 ? p.lastSequence() : p.region().committed());
    }
    task.result().complete(new CommitResult(task.position(), Map.copyOf(last)));
  }

  /** Completes when the commit at the position is visible; fails when it never will be. */
  public CompletableFuture<Void> whenPublished(long position) {
    synchronized (this) {
      Throwable b = broken;
      if (position <= clock.published()) {
        return CompletableFuture.completedFuture(null);
      }
      if (b != null && (queue.isEmpty() || queue.getLast().position() < position)) {
        return CompletableFuture.failedFuture(b);
      }
      var f = new CompletableFuture<Void>();
      waiters.add(new Waiter(position, f));
      return f;
    }
  }

  /** Commits from the position on will never be visible: they, and who waits for them, fail. */
  void stop(Throwable why, long fromPosition) {
    var lost = new ArrayList<CommitTask>();
    var disappointed = new ArrayList<Waiter>();
    synchronized (this) {
      broken = why;
      while (!queue.isEmpty() && queue.getLast().position() >= fromPosition) {
        lost.add(queue.removeLast());
      }
      for (Waiter w : List.copyOf(waiters)) {
        if (w.position >= fromPosition) {
          waiters.remove(w);
          disappointed.add(w);
        }
      }
    }
    for (CommitTask t : lost) {
      for (CommitPart p : t.parts()) {
        p.region().tickets().leave(p);
      }
      t.result().completeExceptionally(why);
    }
    for (Waiter w : disappointed) {
      w.reached.completeExceptionally(why);
    }
  }
}
