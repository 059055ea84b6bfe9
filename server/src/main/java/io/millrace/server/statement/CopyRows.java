package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.server.session.SessionContext;
import java.util.concurrent.CompletableFuture;

/** Takes the rows of COPY FROM, as bytes or as batches. */
interface CopyRows extends SessionContext.CopyHandler {
  /** Takes rows; completes when the next may come. */
  CompletableFuture<?> rows(Batch batch);

  /** Whether as many rows as were asked for have come. */
  boolean satisfied();
}
