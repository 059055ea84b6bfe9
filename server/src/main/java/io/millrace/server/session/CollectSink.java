package io.millrace.server.session;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.QueryEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Gathers a query's rows in memory, up to a limit of bytes. */
public final class CollectSink implements QueryEngine.ResultSink {
  private final List<Batch> batches = new ArrayList<>();
  private final CompletableFuture<List<Batch>> result = new CompletableFuture<>();
  private final long limitBytes;
  private long bytes;

  /**
   * @param limitBytes more than this fails with 53200
   */
  public CollectSink(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Completes with all rows, or fails. */
  public CompletableFuture<List<Batch>> result() {
    return result;
  }

  @Override
  public boolean ready() {
    return true;
  }

  @Override
  public void rows(Batch batch, int from, int count) {
    Batch part = batch.slice(from, count);
    bytes += part.byteSize();
    if (bytes > limitBytes) {
      throw new MillraceException(
              ErrorCode.OUT_OF_MEMORY,
              "the rows of one statement need more than " + limitBytes + " bytes of memory")
          .withHint("Write in several statements, or raise query.memory_per_query.");
    }
    batches.add(part);
  }

  @Override
  public void suspended() {
    result.completeExceptionally(
        new MillraceException(ErrorCode.INTERNAL_ERROR, "a query without limit was suspended"));
  }

  @Override
  public void completed() {
    result.complete(batches);
  }

  @Override
  public void failed(MillraceException error) {
    result.completeExceptionally(error);
  }
}
