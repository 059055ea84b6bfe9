package io.millrace.storage.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Messages to one owner, handled one batch at a time on its executor: everything that is there when
 * the owner turns to them. Sending never waits.
 */
public final class Mailbox<M> {
  private final ConcurrentLinkedQueue<M> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final Executor executor;
  private final Consumer<List<M>> owner;

  public Mailbox(Executor executor, Consumer<List<M>> owner) {
    this.executor = executor;
    this.owner = owner;
  }

  public void send(M message) {
    queue.add(message);
    if (scheduled.compareAndSet(false, true)) {
      executor.execute(this::run);
    }
  }

  private void run() {
    var batch = new ArrayList<M>();
    for (M m = queue.poll(); m != null; m = queue.poll()) {
      batch.add(m);
    }
    try {
      if (!batch.isEmpty()) {
        owner.accept(batch);
      }
    } finally {
      scheduled.set(false);
      if (!queue.isEmpty() && scheduled.compareAndSet(false, true)) {
        executor.execute(this::run);
      }
    }
  }
}
