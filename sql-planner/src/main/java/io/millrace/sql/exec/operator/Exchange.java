package io.millrace.sql.exec.operator;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.Operator;
import io.millrace.sql.exec.Slice;
import io.millrace.sql.exec.Step;
import io.millrace.sql.exec.Wait;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Producers on other threads, one consumer, two batches of room per producer. A producer without
 * room parks and is woken when one of its batches is taken; a consumer without batches blocks on a
 * future that the next batch, error or end completes.
 */
/** Joins the output of operators that run on other threads. */
public final class Exchange implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final int ROOM = 2;

  /** What a consumer waits for: work of the same query, so its permit is kept. */
  public static final class InnerWait extends CompletableFuture<Void> {}

  private final Object lock = new Object();
  private final List<Producer> producers = new ArrayList<>();
  private final ArrayDeque<Item> items = new ArrayDeque<>();
  private final Supplier<@Nullable Operator> sources;
  private int running;
  private @Nullable MillraceException error;
  private @Nullable InnerWait waiting;
  private boolean closed;

  private record Item(Batch batch, Producer from) {}

  /**
   * @param sources gives one operator after the other, null when there are no more; called from any
   *     producer's thread
   */
  Exchange(Supplier<@Nullable Operator> sources) {
    this.sources = sources;
  }

  /** Starts the producers; {@code ended} runs after the last turn of each. */
  void start(Tasks tasks, int count, Runnable ended) {
    synchronized (lock) {
      running = count;
    }
    for (int i = 0; i < count; i++) {
      var p = new Producer(ended);
      Tasks.Task task = tasks.start(p);
      boolean stop;
      synchronized (lock) {
        producers.add(p);
        p.task = task;
        stop = closed;
      }
      if (stop) {
        task.stop();
      }
    }
  }

  Step next() {
    Item item;
    Tasks.Task wake;
    synchronized (lock) {
      if (error != null) {
        throw error;
      }
      item = items.poll();
      if (item == null) {
        if (running == 0) {
          return Step.Signal.DONE;
        }
        InnerWait w = waiting;
        if (w == null || w.isDone()) {
          w = new InnerWait();
          waiting = w;
        }
        return new Step.Blocked(new Wait(w));
      }
      item.from.queued--;
      wake = item.from.task;
    }
    if (wake != null) {
      wake.wakeUp();
    }
    return new Step.Out(item.batch);
  }

  private void tell(@Nullable InnerWait w) {
    if (w != null) {
      w.complete(null);
    }
  }

  private final class Producer implements Tasks.Body {
    private final Runnable ended;
    private @Nullable Operator source;
    private int queued;
    private Tasks.@Nullable Task task;
    private boolean over;

    Producer(Runnable ended) {
      this.ended = ended;
    }

    @Override
    public Tasks.Outcome run(Slice slice) {
      try {
        return produce(slice);
      } catch (MillraceException e) {
        return fail(e);
      } catch (StackOverflowError e) {
        return fail(
            new MillraceException(
                ErrorCode.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded", e));
      } catch (OutOfMemoryError e) {
        return fail(new MillraceException(ErrorCode.OUT_OF_MEMORY, "out of memory", e));
      } catch (RuntimeException | Error e) {
        LOG.error("a part of a query failed by a defect", e);
        return fail(new MillraceException(ErrorCode.INTERNAL_ERROR, "internal error: " + e, e));
      }
    }

    private Tasks.Outcome produce(Slice slice) {
      while (true) {
        slice.check();
        synchronized (lock) {
          if (closed || error != null) {
            return end();
          }
          if (queued >= ROOM) {
            return Tasks.Outcome.PARK;
          }
        }
        Operator s = source;
        if (s == null) {
          s = sources.get();
          if (s == null) {
            return end();
          }
          source = s;
        }
        Step step = s.step(slice);
        if (step instanceof Step.Out o) {
          if (o.batch().rows() > 0) {
            InnerWait w;
            synchronized (lock) {
              items.add(new Item(o.batch(), this));
              queued++;
              w = waiting;
              waiting = null;
            }
            tell(w);
          }
        } else if (step == Step.Signal.DONE) {
          s.close();
          source = null;
        } else if (step instanceof Step.Blocked b) {
          Tasks.Task t;
          synchronized (lock) {
            t = task;
          }
          if (t == null) {
            return Tasks.Outcome.AGAIN;
          }
          b.on().stage().whenComplete((_, _) -> t.wakeUp());
          return Tasks.Outcome.PARK;
        }
        if (slice.expired()) {
          return Tasks.Outcome.AGAIN;
        }
      }
    }

    private Tasks.Outcome fail(MillraceException e) {
      synchronized (lock) {
        if (error == null) {
          error = e;
        }
      }
      return end();
    }

    private Tasks.Outcome end() {
      InnerWait w = null;
      synchronized (lock) {
        if (!over) {
          over = true;
          running--;
          w = waiting;
          waiting = null;
        }
      }
      tell(w);
      return Tasks.Outcome.DONE;
    }

    @Override
    public void close() {
      try {
        if (source != null) {
          source.close();
          source = null;
        }
      } finally {
        end();
        ended.run();
      }
    }
  }

  /** Stops the producers; those that run end at their next check. */
  @Override
  public void close() {
    List<Tasks.Task> stop = new ArrayList<>();
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
      items.clear();
      for (Producer p : producers) {
        if (p.task != null) {
          stop.add(p.task);
        }
      }
    }
    stop.forEach(Tasks.Task::stop);
  }
}
