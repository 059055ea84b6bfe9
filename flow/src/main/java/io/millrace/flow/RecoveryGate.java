package io.millrace.flow;

import java.util.concurrent.CompletableFuture;

/** Opens once all flows known to metadata are there and their holds are re-made. A latch. */
final class RecoveryGate {
  private final CompletableFuture<Void> opened = new CompletableFuture<>();

  void open() {
    opened.complete(null);
  }

  boolean isOpen() {
    return opened.isDone();
  }

  CompletableFuture<Void> opened() {
    return opened.copy();
  }
}
