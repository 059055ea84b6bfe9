package io.millrace.server.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.QueryEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PieceSinkTest {
  private static final int ROWS = 100;

  /** Pieces given away, and when each is done. */
  private final List<List<Batch>> pieces = new ArrayList<>();

  private final List<CompletableFuture<Void>> ends = new ArrayList<>();
  private final PieceSink sink =
      new PieceSink(2 * batch(0).byteSize(), Integer.MAX_VALUE, this::away);
  private final Query query = new Query(sink);

  private CompletableFuture<?> away(List<Batch> rows) {
    pieces.add(rows);
    var end = new CompletableFuture<Void>();
    ends.add(end);
    return end;
  }

  private static Batch batch(int number) {
    long[] values = new long[ROWS];
    values[0] = number;
    return new Batch(List.of(new LongVector(SqlType.INT8, values, ROWS, null)), ROWS);
  }

  private static List<Long> numbers(List<Batch> rows) {
    return rows.stream().map(b -> ((LongVector) b.column(0)).get(0)).toList();
  }

  /** Offers batches while the sink takes them; how many it took. */
  private int offer(int from, int to) {
    int n = from;
    while (n < to && sink.ready()) {
      sink.rows(batch(n++), 0, ROWS);
    }
    return n;
  }

  @Test
  void fullPiecesGoAwayInOrderAndTheLastIsKept() {
    sink.drive(query);
    assertThat(offer(0, 10)).isEqualTo(4);
    assertThat(pieces).hasSize(1);
    assertThat(numbers(pieces.getFirst())).containsExactly(0L, 1L);
    ends.getFirst().complete(null);
    assertThat(query.wakes).isOne();
    assertThat(offer(4, 5)).isEqualTo(5);
    assertThat(numbers(pieces.get(1))).containsExactly(2L, 3L, 4L);
    assertThat(offer(5, 6)).isEqualTo(6);
    sink.completed();
    assertThat(sink.result()).isNotDone();
    ends.get(1).complete(null);
    assertThat(numbers(sink.result().join())).containsExactly(5L);
    assertThat(sink.rowCount()).isEqualTo(6 * ROWS);
  }

  @Test
  void aPieceThatFailsEndsTheQuery() {
    sink.drive(query);
    offer(0, 2);
    ends.getFirst().completeExceptionally(new MillraceException(ErrorCode.DISK_FULL, "full"));
    assertThat(query.cancelled).isNotNull();
    assertThat(sink.result())
        .failsWithin(java.time.Duration.ZERO)
        .withThrowableOfType(java.util.concurrent.ExecutionException.class)
        .withMessageContaining("full");
  }

  @Test
  void aQueryThatFailsWaitsForThePieceOnItsWay() {
    sink.drive(query);
    offer(0, 2);
    sink.failed(new MillraceException(ErrorCode.QUERY_CANCELED, "stop"));
    assertThat(sink.result()).isNotDone();
    ends.getFirst().complete(null);
    assertThat(sink.result()).isCompletedExceptionally();
  }

  private static final class Query implements QueryEngine.Query {
    private final PieceSink sink;
    private int wakes;
    private @Nullable MillraceException cancelled;

    Query(PieceSink sink) {
      this.sink = sink;
    }

    @Override
    public void demand(long rows) {}

    @Override
    public void wake() {
      wakes++;
    }

    @Override
    public void cancel(MillraceException reason) {
      cancelled = reason;
      sink.failed(reason);
    }

    @Override
    public void close() {}

    @Override
    public QueryEngine.ExecutionProfile profile() {
      return new QueryEngine.ExecutionProfile(List.of(), 0);
    }
  }
}
