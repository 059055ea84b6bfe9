package io.millrace.storage.commit;

import io.millrace.storage.CommitResult;
import io.millrace.storage.wal.LogPart;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/*
 * A commit on its way.
 *
 *   admission   every part's worker answers: admitted (a ticket), refused, or what to wait for. The
 *               last answer decides: all admitted → the log writer; else all tickets go back, and
 *               the commit fails or comes again when what it waits for is there.
 *   log         position and sequences are set, the record is staged.
 *   outstanding workers that have not applied it, and one more until it is durable. At nought the
 *               publisher may make it visible, in log order.
 */
public final class CommitTask {
  private final List<CommitPart> parts;
  private final CompletableFuture<CommitResult> result = new CompletableFuture<>();
  private final @Nullable Object gateOwner;
  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicInteger outstanding = new AtomicInteger();
  private final List<CommitPart> admitted = new ArrayList<>();
  private @Nullable Throwable refusal;
  private @Nullable CompletableFuture<Void> obstacle;
  private long deadlineNanos;
  private long position;
  private final AtomicBoolean slowed = new AtomicBoolean();

  CommitTask(List<CommitPart> parts, @Nullable Object gateOwner) {
    this.parts = List.copyOf(parts);
    this.gateOwner = gateOwner;
  }

  public List<CommitPart> parts() {
    return parts;
  }

  CompletableFuture<CommitResult> result() {
    return result;
  }

  /** Who has shut the gates of its regions; null for ordinary commits. */
  public @Nullable Object gateOwner() {
    return gateOwner;
  }

  /** True once: the commit is to wait a moment. */
  public boolean slowDown() {
    return slowed.compareAndSet(false, true);
  }

  void deadline(long nanos) {
    deadlineNanos = nanos;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  void begin() {
    admitted.clear();
    refusal = null;
    obstacle = null;
    unanswered.set(parts.size());
  }

  /** A worker's answer for one part; true for the last one. */
  boolean answer(
      CommitPart part, @Nullable Throwable refused, @Nullable CompletableFuture<Void> wait) {
    synchronized (this) {
      if (refused != null) {
        refusal = refused;
      } else if (wait != null) {
        obstacle = wait;
      } else {
        admitted.add(part);
      }
    }
    return unanswered.decrementAndGet() == 0;
  }

  synchronized List<CommitPart> admitted() {
    return List.copyOf(admitted);
  }

  synchronized @Nullable Throwable refusal() {
    return refusal;
  }

  synchronized @Nullable CompletableFuture<Void> obstacle() {
    return obstacle;
  }

  /** Whether it changes regions without rows. */
  boolean isEvent() {
    return switch (parts.getFirst().kind()) {
      case WRITE, STAGED, RANGE -> false;
      case TRUNCATE, ALTER, EXPIRE, EDIT -> true;
    };
  }

  /** Whether manifests follow it, which must not know of what the log then loses. */
  boolean reachesManifests() {
    return parts.stream().anyMatch(p -> p.kind() != LogPart.Kind.WRITE);
  }

  public long position() {
    return position;
  }

  void setPosition(long p) {
    position = p;
  }

  void expect(int workers) {
    outstanding.set(workers + 1);
  }

  /** A worker has applied it, or it has become durable. */
  public void arrived() {
    outstanding.decrementAndGet();
  }

  boolean complete() {
    return outstanding.get() == 0;
  }

  long logBytes() {
    long n = 0;
    for (CommitPart p : parts) {
      n += p.logBytes();
    }
    return n;
  }

  List<LogPart> logParts() {
    var out = new ArrayList<LogPart>(parts.size());
    for (CommitPart p : parts) {
      p.toLog(out);
    }
    return out;
  }
}
