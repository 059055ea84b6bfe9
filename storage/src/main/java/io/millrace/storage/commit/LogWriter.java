package io.millrace.storage.commit;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.EngineEnvironment.Point;
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.wal.LogRecord;
import io.millrace.storage.wal.LogStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Gives commits their place. Everything that is queued when it turns to its mailbox becomes one
 * group: each commit gets a position, its parts their sequences, one record; the group is handed to
 * the workers, written once and forced once, and then is durable. No timer: while one group is being
 * forced the next one gathers.
 *
 * With sync INTERVAL or NONE what is no rows (truncate, alter, staged files, range deletes) is
 * forced all the same: manifests follow it, and must not know of a commit over several regions that the log then loses.
 *
 * A commit that finds no room in the log (full disk) is refused before it gets a place. A failed
 * write or force poisons the log: what was in the group never becomes visible, later commits fail
 * with IO_ERROR until a restart.
 */
public final class LogWriter {
  private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);

  private sealed interface Message {
    record Commit(CommitTask task) implements Message {}

    record Force(CompletableFuture<Void> done) implements Message {}

    record Close(CompletableFuture<Void> done) implements Message {}
  }

  private final LogStore log;
  private final WalSync sync;
  private final Workers workers;
  private final Publisher publisher;
  private final EngineEnvironment environment;
  private final BiConsumer<CommitTask, Throwable> refuse;
  private final Consumer<Runnable> reserve;
  private final EngineMeters meters;
  private final Mailbox<Message> mailbox;
  private long position;
  private volatile @Nullable MillraceException poison;

  /**
   * Its parts, so that the constructor stays short.
   *
   * @param reserve runs what may use the disk's reserve
   */
  public record Parts(
      LogStore log,
      WalSync sync,
      Workers workers,
      Publisher publisher,
      EngineEnvironment environment,
      BiConsumer<CommitTask, Throwable> refuse,
      Consumer<Runnable> reserve,
      EngineMeters meters) {}

  public LogWriter(Parts parts, long lastPosition) {
    this.log = parts.log;
    this.sync = parts.sync;
    this.workers = parts.workers;
    this.publisher = parts.publisher;
    this.environment = parts.environment;
    this.refuse = parts.refuse;
    this.reserve = parts.reserve;
    this.meters = parts.meters;
    this.position = lastPosition;
    this.mailbox = new Mailbox<>(environment.serial("millrace-log"), this::handle);
  }

  void enqueue(CommitTask task) {
    mailbox.send(new Message.Commit(task));
  }

  /** Forces everything appended so far, whatever the sync mode. */
  public CompletableFuture<Void> force() {
    var done = new CompletableFuture<Void>();
    mailbox.send(new Message.Force(done));
    return done;
  }

  /** With sync INTERVAL: forces again and again, while the engine runs. */
  public void forceEvery(long micros) {
    var _ =
        environment
            .scheduler()
            .after(
                Math.max(1000, micros),
                () -> {
                  if (poison == null) {
                    mailbox.send(new Message.Force(new CompletableFuture<>()));
                    forceEvery(micros);
                  }
                });
  }

  /** Ends the log after everything that is queued. */
  public CompletableFuture<Void> close() {
    var done = new CompletableFuture<Void>();
    mailbox.send(new Message.Close(done));
    return done;
  }

  /** Why nothing can be written any more; null normally. */
  public @Nullable MillraceException poison() {
    return poison;
  }

  private void handle(List<Message> messages) {
    var group = new ArrayList<CommitTask>(messages.size());
    var forces = new ArrayList<CompletableFuture<Void>>();
    CompletableFuture<Void> closing = null;
    for (Message m : messages) {
      switch (m) {
        case Message.Commit(CommitTask task) -> {
          try {
            place(task, group);
          } catch (RuntimeException | Error e) {
            poison(e, group);
            refuse.accept(task, poisoned(e));
            group.clear();
          }
        }
        case Message.Force(CompletableFuture<Void> done) -> forces.add(done);
        case Message.Close(CompletableFuture<Void> done) -> closing = done;
      }
    }
    try {
      if (!group.isEmpty()) {
        publisher.add(group);
        workers.apply(group);
      }
      persist(group, !forces.isEmpty() || group.stream().anyMatch(CommitTask::reachesManifests));
    } catch (RuntimeException | Error e) {
      poison(e, group);
    }
    MillraceException p = poison;
    for (CompletableFuture<Void> f : forces) {
      if (p == null) {
        f.complete(null);
      } else {
        f.completeExceptionally(p);
      }
    }
    if (closing != null) {
      end(closing);
    }
  }

  private void place(CommitTask task, List<CommitTask> group) {
    MillraceException p = poison;
    if (p != null) {
      refuse.accept(task, p);
      return;
    }
    boolean logged = task.logBytes() > 0;
    if (logged) {
      try {
        if (task.isEvent()) {
          makeUrgentRoom(task);
        } else {
          log.ensureRoom(task.logBytes() + 12, false);
        }
      } catch (MillraceException e) {
        if (e.code() == ErrorCode.DISK_FULL) {
          refuse.accept(task, e);
          return;
        }
        throw e;
      }
    }
    task.setPosition(++position);
    for (CommitPart part : task.parts()) {
      part.setFirstSequence(part.region().takeSequences(part.rows(), part.floor()));
    }
    task.expect(workers.owners(task));
    group.add(task);
    meters.commits.increment();
    if (logged) {
      meters.logBytes.add(task.logBytes());
      log.stage(new LogRecord(position, task.logParts()));
    }
  }

  /** Events free space: they may use the reserve. */
  private void makeUrgentRoom(CommitTask task) {
    reserve.accept(() -> log.ensureRoom(task.logBytes() + 12, true));
  }

  private void persist(List<CommitTask> group, boolean forced) {
    if (poison != null) {
      return;
    }
    log.write();
    environment.reached(Point.BEFORE_FORCE);
    if (sync == WalSync.COMMIT || forced) {
      long begun = environment.clock().monotonicNanos();
      log.force();
      meters.logForces.increment();
      meters.logForceNanos.add(environment.clock().monotonicNanos() - begun);
    }
    environment.reached(Point.AFTER_FORCE);
    for (CommitTask t : group) {
      t.arrived();
    }
    publisher.advance();
  }

  private void poison(Throwable e, List<CommitTask> group) {
    LOG.error("the log cannot be written any more; writes are refused until a restart", e);
    MillraceException p = poisoned(e);
    poison = p;
    publisher.stop(p, group.isEmpty() ? position + 1 : group.getFirst().position());
    for (CommitTask t : group) {
      refuse.accept(t, p);
    }
  }

  /** Ends writing because a commit could not be applied. */
  public void fail(Throwable cause) {
    LOG.error("a commit could not be applied; writes are refused until a restart", cause);
    var p =
        new MillraceException(
            ErrorCode.INTERNAL_ERROR, "a commit could not be applied: " + cause, cause);
    poison = p;
    publisher.stop(p, 0);
  }

  private static MillraceException poisoned(Throwable e) {
    String what = e instanceof MillraceException m ? m.message() : "the log failed: " + e;
    return new MillraceException(ErrorCode.IO_ERROR, what, e)
        .withHint("Writes are refused until the server is restarted; reads go on.");
  }

  private void end(CompletableFuture<Void> done) {
    try {
      if (poison == null) {
        log.force();
      }
      log.close();
      done.complete(null);
    } catch (MillraceException e) {
      done.completeExceptionally(e);
    }
    poison = new MillraceException(ErrorCode.ADMIN_SHUTDOWN, "the region engine has stopped");
  }
}
