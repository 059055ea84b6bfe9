package io.millrace.server.statement;

import io.millrace.server.session.SessionContext;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Going on in a session's order of tasks when something is done. */
final class Async {
  private Async() {}

  /** Applies the next step in the session's order of tasks; its failures fail the result. */
  static <A, B> CompletableFuture<B> then(
      SessionContext session, CompletableFuture<A> first, Function<A, CompletableFuture<B>> next) {
    var out = new CompletableFuture<B>();
    var _ =
        first.whenComplete(
            (value, failure) ->
                session.serial(
                    () -> {
                      if (failure != null) {
                        out.completeExceptionally(failure);
                        return;
                      }
                      try {
                        pass(next.apply(value), out);
                      } catch (RuntimeException | Error e) {
                        out.completeExceptionally(e);
                      }
                    }));
    return out;
  }

  /** As {@link #then} with a step that gives its value at once. */
  static <A, B> CompletableFuture<B> map(
      SessionContext session, CompletableFuture<A> first, Function<A, B> next) {
    return then(session, first, a -> CompletableFuture.completedFuture(next.apply(a)));
  }

  private static <B> void pass(CompletableFuture<B> from, CompletableFuture<B> to) {
    var _ =
        from.whenComplete(
            (b, failure) -> {
              if (failure != null) {
                to.completeExceptionally(failure);
              } else {
                to.complete(b);
              }
            });
  }
}
