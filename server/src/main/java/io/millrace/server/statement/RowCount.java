package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.QueryEngine;
import java.util.concurrent.CompletableFuture;

/** Counts the rows of a query over a table's times, and finds the bounds of those. */
final class RowCount implements QueryEngine.ResultSink {
  private final CompletableFuture<Counted> result = new CompletableFuture<>();
  private long rows;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;

  /**
   * What was counted.
   *
   * @param more there may be more rows than were asked for
   */
  record Counted(long rows, long minTime, long maxTime, boolean more) {}

  CompletableFuture<Counted> result() {
    return result;
  }

  @Override
  public boolean ready() {
    return true;
  }

  @Override
  public void rows(Batch batch, int from, int count) {
    rows += count;
    for (int i = from; i < from + count; i++) {
      long t =
          batch.column(0) instanceof LongVector l ? l.get(i) : ((IntVector) batch.column(0)).get(i);
      min = Math.min(min, t);
      max = Math.max(max, t);
    }
  }

  private void end(boolean more) {
    result.complete(new Counted(rows, min, max, more));
  }

  @Override
  public void suspended() {
    end(true);
  }

  @Override
  public void completed() {
    end(false);
  }

  @Override
  public void failed(MillraceException error) {
    result.completeExceptionally(error);
  }
}
