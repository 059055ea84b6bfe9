package io.millrace.server.statement;

import io.millrace.common.error.MillraceException;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Gives a source to COPY, piece by piece, as a client would: the next piece when the last one was
 * taken. Runs in the session's order of tasks and lets other tasks in between.
 */
final class CopyPump {
  /** Pieces that are given in one go. */
  private static final int TURN = 64;

  private final SessionContext session;
  private final CopyRows rows;
  private final CopySource source;
  private final AtomicReference<@Nullable MillraceException> canceled = new AtomicReference<>();

  CopyPump(SessionContext session, CopyRows rows, CopySource source) {
    this.session = session;
    this.rows = rows;
    this.source = source;
  }

  void cancel(MillraceException reason) {
    canceled.compareAndSet(null, reason);
  }

  CompletableFuture<Outcome> start() {
    return Async.then(session, CompletableFuture.completedFuture(true), v -> run());
  }

  private CompletableFuture<Outcome> run() {
    for (int turn = 0; turn < TURN; turn++) {
      MillraceException reason = canceled.get();
      if (reason != null) {
        throw reason;
      }
      if (rows.satisfied()) {
        return rows.done();
      }
      CompletableFuture<?> taken = source.give();
      if (taken == null) {
        return Async.then(session, source.rest(), v -> rows.done());
      }
      if (!taken.isDone() || taken.isCompletedExceptionally()) {
        return Async.then(session, taken, v -> run());
      }
    }
    return Async.then(session, CompletableFuture.completedFuture(true), v -> run());
  }
}
