package io.millrace.sql.exec;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Takes all rows of a query whose demand is unbounded, or as many as are demanded at first.
 *
 * @param <T> what its end gives
 */
public final class RowCollector<T> implements QueryEngine.ResultSink {
  private final Consumer<Batch> rows;
  private final Supplier<T> end;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  private final boolean mayStop;

  private RowCollector(Consumer<Batch> rows, Supplier<T> end, boolean mayStop) {
    this.rows = rows;
    this.end = end;
    this.mayStop = mayStop;
  }

  /** Hands rows on as they come; the end gives their number. */
  public static RowCollector<Long> forEach(Consumer<Batch> rows) {
    var n = new long[1];
    return new RowCollector<>(
        part -> {
          n[0] += part.rows();
          rows.accept(part);
        },
        () -> n[0],
        false);
  }

  /**
   * Gathers rows in memory.
   *
   * @param limitBytes more than this fails with 53200
   */
  public static RowCollector<List<Batch>> gather(long limitBytes) {
    return gather(limitBytes, false);
  }

  /** The same for the rows that are demanded at first: there may be more. */
  public static RowCollector<List<Batch>> gatherFirst(long limitBytes) {
    return gather(limitBytes, true);
  }

  private static RowCollector<List<Batch>> gather(long limitBytes, boolean mayStop) {
    var batches = new ArrayList<Batch>();
    var bytes = new long[1];
    return new RowCollector<>(
        part -> {
          bytes[0] += part.byteSize();
          if (bytes[0] > limitBytes) {
            throw new MillraceException(
                    ErrorCode.OUT_OF_MEMORY,
                    "the rows of one statement need more than " + limitBytes + " bytes of memory")
                .withHint("Write in several statements, or raise query.memory_per_query.");
          }
          batches.add(part);
        },
        () -> batches,
        mayStop);
  }

  /** Completes when all rows were taken, or fails as the query does. */
  public CompletableFuture<T> result() {
    return result;
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
  public void suspended() {
    if (mayStop) {
      completed();
      return;
    }
    result.completeExceptionally(
        new MillraceException(ErrorCode.INTERNAL_ERROR, "a query without limit was suspended"));
  }

  @Override
  public void completed() {
    result.complete(end.get());
  }

  @Override
  public void failed(MillraceException error) {
    result.completeExceptionally(error);
  }
}
