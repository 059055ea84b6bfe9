package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.ByteSink;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Gives a file to COPY, piece by piece, as a client would: the next piece when the last one was
 * taken. Runs in the session's order of tasks and lets other tasks in between.
 */
final class CopyFileReader {
  private static final int PIECE = 1 << 18;

  /** Pieces that are read in one go. */
  private static final int TURN = 64;

  private final SessionContext session;
  private final SessionContext.CopyHandler handler;
  private final String name;
  private final InputStream in;

  /** Null unless the lines are JSON. */
  private final @Nullable JsonLines json;

  private final byte[] piece = new byte[PIECE];
  private final AtomicReference<@Nullable MillraceException> canceled = new AtomicReference<>();

  CopyFileReader(
      SessionContext session,
      SessionContext.CopyHandler handler,
      Path file,
      CopyFile copy,
      @Nullable JsonLines json) {
    this.session = session;
    this.handler = handler;
    this.name = copy.name();
    this.json = json;
    try {
      in = copy.compression().reading(Files.newInputStream(file));
    } catch (IOException e) {
      throw failed(e);
    }
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
      int n = read();
      if (n < 0) {
        return end();
      }
      CompletableFuture<?> taken = give(n);
      if (!taken.isDone() || taken.isCompletedExceptionally()) {
        return Async.then(session, taken, v -> run());
      }
    }
    return Async.then(session, CompletableFuture.completedFuture(true), v -> run());
  }

  private int read() {
    try {
      return in.read(piece, 0, PIECE);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private CompletableFuture<?> give(int n) {
    if (json == null) {
      return handler.data(piece, 0, n);
    }
    ByteSink rows = json.translate(piece, n);
    return handler.data(rows.array(), 0, rows.position());
  }

  private CompletableFuture<Outcome> end() {
    if (json == null) {
      return handler.done();
    }
    ByteSink rows = json.rest();
    return Async.then(session, handler.data(rows.array(), 0, rows.position()), v -> handler.done());
  }

  private MillraceException failed(IOException e) {
    return new MillraceException(
        ErrorCode.IO_ERROR, "could not read file \"" + name + "\": " + e.getMessage(), e);
  }

  void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
