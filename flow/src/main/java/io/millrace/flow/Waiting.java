package io.millrace.flow;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits, on the flows' own threads. */
final class Waiting {
  private static final long WAIT_SECONDS = 120;

  private Waiting() {}

  static <T> T await(CompletableFuture<T> f) {
    try {
      return f.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw error(e);
    } catch (TimeoutException e) {
      throw new MillraceException(
          ErrorCode.QUERY_CANCELED, "a step of the flow engine took longer than two minutes", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.ADMIN_SHUTDOWN, "interrupted", e);
    }
  }

  /** What went wrong, out of its wrappings. */
  static MillraceException error(Throwable e) {
    Throwable c = e;
    while ((c instanceof CompletionException || c instanceof ExecutionException)
        && c.getCause() != null) {
      c = c.getCause();
    }
    return c instanceof MillraceException m
        ? m
        : new MillraceException(ErrorCode.INTERNAL_ERROR, "internal error: " + c, c);
  }
}
