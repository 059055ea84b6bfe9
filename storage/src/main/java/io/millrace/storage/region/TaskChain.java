package io.millrace.storage.region;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Runs tasks one after another on an executor; a task ends when its future does. */
public final class TaskChain {
  private final Executor executor;
  private CompletableFuture<?> tail = CompletableFuture.completedFuture(null);

  public TaskChain(Executor executor) {
    this.executor = executor;
  }

  /** Runs the task after all earlier ones, however they end. */
  public synchronized <T> CompletableFuture<T> submit(Supplier<CompletableFuture<T>> task) {
    CompletableFuture<T> next =
        tail.handle((_, _) -> null).thenComposeAsync(_ -> task.get(), executor);
    tail = next;
    return next;
  }
}
