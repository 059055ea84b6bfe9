package io.millrace.server.statement;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where the rows of COPY FROM come from, piece by piece. */
interface CopySource extends AutoCloseable {
  /** Hands on a piece; completes when the next may be; null when there is none. */
  @Nullable CompletableFuture<?> give();

  /** Hands on what was kept back for the end. */
  CompletableFuture<?> rest();

  @Override
  void close();
}
