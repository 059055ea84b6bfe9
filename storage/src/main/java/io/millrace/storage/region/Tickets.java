package io.millrace.storage.region;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/*
 * What a region has admitted and not yet published, and the gate before it.
 *
 * A commit's part holds a ticket from admission to publication or refusal. Whoever needs the region
 * for itself (ALTER, TRUNCATE, DROP) shuts the gate, which completes when the last ticket is back;
 * the others wait before the gate without holding a ticket of any region, so nothing can deadlock.
 *
 * Threads: any; the monitor is held for a few instructions only.
 */
public final class Tickets<T> {
  private final Set<T> inFlight = new LinkedHashSet<>();
  private @Nullable Object gateOwner;
  private @Nullable CompletableFuture<Void> drained;
  private CompletableFuture<Void> opened = CompletableFuture.completedFuture(null);
  private final List<Waiter<T>> waiters = new ArrayList<>();

  private record Waiter<T>(T part, CompletableFuture<Void> gone) {}

  /** Takes a ticket, or says what to wait for. */
  public synchronized @Nullable CompletableFuture<Void> enter(T part, @Nullable Object owner) {
    if (gateOwner != null && gateOwner != owner) {
      return opened;
    }
    inFlight.add(part);
    return null;
  }

  /** A part in flight for which the test holds; completes when its ticket is back. */
  public synchronized @Nullable CompletableFuture<Void> find(Predicate<T> test) {
    for (T part : inFlight) {
      if (test.test(part)) {
        var gone = new CompletableFuture<Void>();
        waiters.add(new Waiter<>(part, gone));
        return gone;
      }
    }
    return null;
  }

  /** Gives a ticket back. */
  public void leave(T part) {
    var done = new ArrayList<CompletableFuture<Void>>();
    synchronized (this) {
      if (!inFlight.remove(part)) {
        return;
      }
      for (Iterator<Waiter<T>> i = waiters.iterator(); i.hasNext(); ) {
        Waiter<T> w = i.next();
        if (w.part == part) {
          i.remove();
          done.add(w.gone);
        }
      }
      CompletableFuture<Void> d = drained;
      if (inFlight.isEmpty() && d != null) {
        drained = null;
        done.add(d);
      }
    }
    for (CompletableFuture<Void> f : done) {
      f.complete(null);
    }
  }

  /**
   * Shuts the gate for all but the owner; completes when no ticket is out. If another owner has it,
   * completes with false: try again when that one is done.
   */
  public synchronized CompletableFuture<Boolean> shut(Object owner) {
    if (gateOwner != null) {
      return opened.thenApply(_ -> false);
    }
    gateOwner = owner;
    opened = new CompletableFuture<>();
    if (inFlight.isEmpty()) {
      return CompletableFuture.completedFuture(true);
    }
    var d = new CompletableFuture<Void>();
    drained = d;
    return d.thenApply(_ -> true);
  }

  /** Opens the gate that the owner has shut; no effect otherwise. */
  public void open(Object owner) {
    CompletableFuture<Void> o;
    synchronized (this) {
      if (gateOwner != owner) {
        return;
      }
      gateOwner = null;
      o = opened;
    }
    o.complete(null);
  }
}
