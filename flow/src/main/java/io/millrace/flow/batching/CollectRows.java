package io.millrace.flow.batching;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.QueryEngine;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Hands a query's rows on as they come. */
final class CollectRows implements QueryEngine.ResultSink {
  private final Consumer<Batch> rows;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  CollectRows(Consumer<Batch> rows) {
    this.rows = rows;
  }

  CompletableFuture<Void> done() {
    return done;
  }

  @Override
  public boolean ready() {
    return true;
  }

  @Override
  public void rows(Batch batch, int from, int count) {
    rows.accept(batch.slice(from, count));
  }

  @Override
  public void suspended() {}

  @Override
  public void completed() {
    done.complete(null);
  }

  @Override
  public void failed(MillraceException error) {
    done.completeExceptionally(error);
  }
}
