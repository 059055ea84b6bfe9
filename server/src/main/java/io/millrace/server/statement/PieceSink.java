package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.QueryEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/*
 * A query's rows in pieces. A full piece is given away, and the next is gathered meanwhile; when that
 * is full too before the first is done, the query waits. So at most two pieces are in memory.
 *
 * Threads: the query's calls come one at a time; the end of a piece may come on any other thread.
 */
/** Gathers a query's rows and gives them away piece by piece, all but the last. */
final class PieceSink implements QueryEngine.ResultSink {
  private final long pieceBytes;
  private final int pieceRows;
  private final Function<List<Batch>, CompletableFuture<?>> away;
  private final CompletableFuture<List<Batch>> result = new CompletableFuture<>();
  private List<Batch> piece = new ArrayList<>();
  private long bytes;
  private int inPiece;
  private long rows;
  private CompletableFuture<?> given = CompletableFuture.completedFuture(null);
  private QueryEngine.@Nullable Query query;

  /**
   * A sink.
   *
   * @param pieceRows a piece is full with so many rows, however small they are
   * @param away takes full pieces, one at a time
   */
  PieceSink(long pieceBytes, int pieceRows, Function<List<Batch>, CompletableFuture<?>> away) {
    this.pieceBytes = pieceBytes;
    this.pieceRows = pieceRows;
    this.away = away;
  }

  /** Lets the query run to its end. */
  void drive(QueryEngine.Query running) {
    synchronized (this) {
      query = running;
    }
    running.demand(Long.MAX_VALUE);
  }

  /** The last piece; completes, also with a failure, when all others are done with. */
  CompletableFuture<List<Batch>> result() {
    return result;
  }

  /** Rows of all pieces; after the end. */
  synchronized long rowCount() {
    return rows;
  }

  private boolean full() {
    return bytes >= pieceBytes || inPiece >= pieceRows;
  }

  @Override
  public synchronized boolean ready() {
    return !full() || given.isDone();
  }

  @Override
  public void rows(Batch batch, int from, int count) {
    CompletableFuture<?> done;
    synchronized (this) {
      Batch part = batch.slice(from, count);
      piece.add(part);
      bytes += part.byteSize();
      inPiece += count;
      rows += count;
      if (!full() || !given.isDone()) {
        return;
      }
      done = giveAway();
    }
    var _ = done.whenComplete((v, failure) -> goOn(failure));
  }

  private CompletableFuture<?> giveAway() {
    List<Batch> full = piece;
    piece = new ArrayList<>();
    bytes = 0;
    inPiece = 0;
    given = away.apply(full);
    return given;
  }

  private void goOn(@Nullable Throwable failure) {
    QueryEngine.Query q;
    synchronized (this) {
      q = query;
    }
    if (q == null) {
      return;
    }
    if (failure == null) {
      q.wake();
    } else {
      q.cancel(error(failure));
    }
  }

  private static MillraceException error(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException c && c.getCause() != null ? c.getCause() : failure;
    return cause instanceof MillraceException m
        ? m
        : new MillraceException(ErrorCode.INTERNAL_ERROR, "rows could not be written", cause);
  }

  @Override
  public void suspended() {
    failed(new MillraceException(ErrorCode.INTERNAL_ERROR, "a query without limit was suspended"));
  }

  @Override
  public void completed() {
    List<Batch> last;
    CompletableFuture<?> before;
    synchronized (this) {
      last = piece;
      before = given;
    }
    var _ =
        before.whenComplete(
            (v, failure) -> {
              if (failure == null) {
                result.complete(last);
              } else {
                result.completeExceptionally(failure);
              }
            });
  }

  @Override
  public void failed(MillraceException error) {
    CompletableFuture<?> before;
    synchronized (this) {
      before = given;
    }
    var _ = before.whenComplete((v, failure) -> result.completeExceptionally(error));
  }
}
