package io.millrace.server.session;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.wire.Backend;
import io.millrace.wire.RowEncoder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a query's rows to the client. The wire may take fewer rows than offered; the rest waits
 * here and goes first. While the query runs its thread owns this object; once it has ended or is
 * suspended, the session's serial tasks do.
 */
final class StreamSink implements QueryEngine.ResultSink {
  /** How a run of the query ended. */
  enum End {
    SUSPENDED,
    COMPLETED
  }

  private final Backend backend;
  private final RowEncoder encoder;
  private final Consumer<End> ended;
  private final Consumer<MillraceException> failed;
  private @Nullable Batch rest;
  private int restFrom;
  private int restCount;
  private long sent;

  StreamSink(
      Backend backend,
      RowEncoder encoder,
      Consumer<End> ended,
      Consumer<MillraceException> failed) {
    this.backend = backend;
    this.encoder = encoder;
    this.ended = ended;
    this.failed = failed;
  }

  @Override
  public boolean ready() {
    return drain() && backend.ready();
  }

  /** Sends what is left over; false if the window closed before all of it was sent. */
  boolean drain() {
    Batch b = rest;
    if (b == null) {
      return true;
    }
    if (!backend.ready()) {
      return false;
    }
    int taken = backend.dataRows(encoder, b, restFrom, restCount);
    if (taken == restCount) {
      rest = null;
      return true;
    }
    restFrom += taken;
    restCount -= taken;
    return false;
  }

  @Override
  public void rows(Batch batch, int from, int count) {
    int taken = backend.dataRows(encoder, batch, from, count);
    sent += count;
    if (taken < count) {
      rest = batch;
      restFrom = from + taken;
      restCount = count - taken;
    }
  }

  /** Rows of the present Execute; starts the next count. */
  long takeCount() {
    long n = sent;
    sent = 0;
    return n;
  }

  @Override
  public void suspended() {
    ended.accept(End.SUSPENDED);
  }

  @Override
  public void completed() {
    ended.accept(End.COMPLETED);
  }

  @Override
  public void failed(MillraceException error) {
    failed.accept(error);
  }
}
