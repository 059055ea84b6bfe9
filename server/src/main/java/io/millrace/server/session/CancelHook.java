package io.millrace.server.session;

import io.millrace.common.error.MillraceException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who hears of a request to cancel the running statement. A statement of several steps, each with a
 * hook of its own, is cancelled also between two of them: the next hook hears of it at once.
 */
final class CancelHook {
  private @Nullable Consumer<MillraceException> hook;
  private @Nullable MillraceException asked;

  /** Sets who hears; null = nothing runs, and requests until then are void. */
  void set(@Nullable Consumer<MillraceException> next) {
    MillraceException reason;
    synchronized (this) {
      hook = next;
      if (next == null) {
        asked = null;
      }
      reason = asked;
    }
    if (next != null && reason != null) {
      next.accept(reason);
    }
  }

  /** Cancels what runs, if anything does. */
  void cancel(MillraceException reason) {
    Consumer<MillraceException> now;
    synchronized (this) {
      now = hook;
      if (now != null) {
        asked = reason;
      }
    }
    if (now != null) {
      now.accept(reason);
    }
  }
}
