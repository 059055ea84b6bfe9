package io.millrace.storage.commit;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.time.Scheduler;
import io.millrace.storage.KeyLocks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * Exclusive locks on keys, first come first served.
 *
 * A request takes its keys one after another and stops at the first that another owner has; so an
 * owner waits for one key at a time, and "who waits for whom" is a chain: owner → key it waits for
 * → the key's owner → … A request that would close the chain to itself is a deadlock and fails at
 * once. A key that is let go belongs to the first in its queue, whose request then goes on; its
 * next stop is checked in the same way, so no cycle can come to be unseen.
 *
 * Threads: one monitor for all; futures are completed outside it.
 */
public final class KeyLockTable implements KeyLocks {
  private final Scheduler scheduler;
  private final Map<KeyBytes, Entry> entries = new HashMap<>();

  public KeyLockTable(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  private static final class Transaction implements Owner {
    private final Set<KeyBytes> held = new HashSet<>();
    private final List<Request> requests = new ArrayList<>();
  }

  private static final class Entry {
    private Transaction holder;
    private final Deque<Request> queue = new ArrayDeque<>();

    Entry(Transaction holder) {
      this.holder = holder;
    }
  }

  private static final class Request {
    private final Transaction owner;
    private final List<KeyBytes> keys;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private int next;
    private @Nullable Entry waitsFor;
    private Scheduler.@Nullable Cancellable timer;

    Request(Transaction owner, List<KeyBytes> keys) {
      this.owner = owner;
      this.keys = keys;
    }
  }

  @Override
  public Owner newOwner() {
    return new Transaction();
  }

  @Override
  public CompletableFuture<Void> lock(
      Owner owner, RegionId region, Batch keys, long timeoutMicros) {
    var wanted = new ArrayList<KeyBytes>(keys.rows());
    for (int i = 0; i < keys.rows(); i++) {
      wanted.add(KeyBytes.of(region, keys, i));
    }
    var request = new Request((Transaction) owner, wanted);
    var done = new ArrayList<Runnable>();
    synchronized (this) {
      request.owner.requests.add(request);
      proceed(request, done, timeoutMicros < 0);
      if (request.waitsFor != null && timeoutMicros > 0) {
        request.timer = scheduler.after(timeoutMicros, () -> expire(request));
      }
    }
    done.forEach(Runnable::run);
    return request.done;
  }

  /** Takes keys until one is another's. */
  private void proceed(Request r, List<Runnable> done, boolean noWait) {
    while (r.next < r.keys.size()) {
      KeyBytes key = r.keys.get(r.next);
      Entry e = entries.get(key);
      if (e == null) {
        entries.put(key, new Entry(r.owner));
        r.owner.held.add(key);
      } else if (e.holder != r.owner) {
        if (noWait) {
          fail(
              r,
              new MillraceException(ErrorCode.LOCK_NOT_AVAILABLE, "could not obtain lock on row"),
              done);
        } else if (wouldDeadlock(r.owner, e)) {
          fail(
              r,
              new MillraceException(ErrorCode.DEADLOCK_DETECTED, "deadlock detected")
                  .withHint("See server log for query details."),
              done);
        } else {
          r.waitsFor = e;
          e.queue.addLast(r);
        }
        return;
      }
      r.next++;
    }
    finish(r);
    done.add(() -> r.done.complete(null));
  }

  private static boolean wouldDeadlock(Transaction asking, Entry entry) {
    var seen = new HashSet<Transaction>();
    var open = new ArrayDeque<Transaction>();
    open.add(entry.holder);
    while (!open.isEmpty()) {
      Transaction t = open.removeFirst();
      if (t == asking) {
        return true;
      }
      if (seen.add(t)) {
        for (Request r : t.requests) {
          Entry e = r.waitsFor;
          if (e != null) {
            open.add(e.holder);
          }
        }
      }
    }
    return false;
  }

  private static void finish(Request r) {
    r.waitsFor = null;
    r.owner.requests.remove(r);
    Scheduler.Cancellable t = r.timer;
    if (t != null) {
      t.cancel();
    }
  }

  private static void fail(Request r, MillraceException why, List<Runnable> done) {
    Entry e = r.waitsFor;
    if (e != null) {
      e.queue.remove(r);
    }
    finish(r);
    done.add(() -> r.done.completeExceptionally(why));
  }

  private void expire(Request r) {
    var done = new ArrayList<Runnable>();
    synchronized (this) {
      if (r.waitsFor != null) {
        fail(
            r,
            new MillraceException(
                ErrorCode.LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout"),
            done);
      }
    }
    done.forEach(Runnable::run);
  }

  @Override
  public void releaseAll(Owner owner) {
    var t = (Transaction) owner;
    var done = new ArrayList<Runnable>();
    synchronized (this) {
      for (Request r : List.copyOf(t.requests)) {
        fail(
            r,
            new MillraceException(
                ErrorCode.QUERY_CANCELED, "canceling statement due to user request"),
            done);
      }
      Set<KeyBytes> held = t.held.isEmpty() ? Set.of() : new HashSet<>(t.held);
      t.held.clear();
      for (KeyBytes key : held) {
        pass(key, done);
      }
    }
    done.forEach(Runnable::run);
  }

  /** Gives a key that is let go to the first that waits for it. */
  private void pass(KeyBytes key, List<Runnable> done) {
    Entry e = entries.get(key);
    if (e == null) {
      return;
    }
    Request r = e.queue.pollFirst();
    if (r == null) {
      entries.remove(key);
      return;
    }
    e.holder = r.owner;
    r.owner.held.add(key);
    r.waitsFor = null;
    r.next++;
    proceed(r, done, false);
  }
}
