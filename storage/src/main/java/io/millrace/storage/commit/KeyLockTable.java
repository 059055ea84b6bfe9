package io.millrace.storage.commit;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Scheduler;
import io.millrace.storage.KeyLocks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * Locks on keys and on whole tables, first come first served. A key has one holder, or several that
 * share it; tables have one.
 *
 * A request for keys takes them one after another and stops at the first that another owner has. A
 * request for a table waits until no other owner has a key of it; meanwhile owners that have none
 * queue behind it, and those that have some go on, for it is they whom it waits for. A key that is
 * let go belongs to the first in its queue, whose request then goes on; if that one shares, so do
 * those behind it that share. Who shares a key and wants it alone waits for the others that share
 * it, before all in the queue.
 *
 * Who waits for whom is a graph over owners: a request waits for the holders of its key, for the
 * holder of its table, for all who have keys of the table that it wants, and for those before it in
 * the table's queue. A request that is about to wait and would close a circle is a deadlock and
 * fails at once. An owner that gets something goes through the same check at its next stop, so no
 * circle can come to be unseen.
 *
 * Threads: one monitor for all; futures are completed outside it.
 */
public final class KeyLockTable implements KeyLocks {
  /** An owner with so many keys of a table gets the table. */
  private static final int MANY_KEYS = 200_000;

  private final Scheduler scheduler;
  private final int manyKeys;
  private final Map<KeyBytes, Entry> entries = new HashMap<>();
  private final Map<TableId, Table> tables = new HashMap<>();

  public KeyLockTable(Scheduler scheduler) {
    this(scheduler, MANY_KEYS);
  }

  KeyLockTable(Scheduler scheduler, int manyKeys) {
    this.scheduler = scheduler;
    this.manyKeys = manyKeys;
  }

  private static final class Transaction implements Owner {
    /** In the order in which it got them. */
    private final Set<KeyBytes> held = new LinkedHashSet<>();

    /** Tables of which it has keys, how many, or all. */
    private final Map<Table, Integer> tables = new HashMap<>();

    /** Tables that it has as a whole, in the order in which it got them. */
    private final Set<Table> whole = new LinkedHashSet<>();

    private final List<Request> requests = new ArrayList<>();
  }

  private record Counts(int keys, int tables) implements Mark {}

  /** A key that somebody has. */
  private static final class Entry {
    /** One, or several that share it. */
    private final Set<Transaction> holders = new LinkedHashSet<>(2);

    private boolean shared;
    private final Deque<Request> queue = new ArrayDeque<>(2);

    Entry(Transaction holder, boolean shared) {
      holders.add(holder);
      this.shared = shared;
    }

    /** Whether an owner has it as strongly as that. */
    boolean has(Transaction t, boolean sharing) {
      return holders.contains(t) && (sharing || !shared);
    }

    /** Whether an owner that has not may have it now. */
    boolean open(Transaction t, boolean sharing) {
      return sharing ? shared && queue.isEmpty() : holders.size() == 1 && holders.contains(t);
    }

    void give(Transaction t, boolean sharing) {
      holders.add(t);
      shared = sharing;
    }

    /** For whom a request waits: all that have it, but for itself. */
    List<Transaction> others(Transaction t) {
      var out = new ArrayList<>(holders);
      out.remove(t);
      return out;
    }
  }

  /** A table of which somebody has keys. */
  private static final class Table {
    private final TableId id;
    private final Set<Transaction> holders = new LinkedHashSet<>();
    private @Nullable Transaction exclusive;
    private final Deque<Request> queue = new ArrayDeque<>();

    Table(TableId id) {
      this.id = id;
    }

    /** Whether a request for all of it can have it. */
    boolean freeFor(Transaction t) {
      return holders.isEmpty() || (holders.size() == 1 && holders.contains(t));
    }

    /** Whether somebody has all of it, or is the next to. */
    boolean shutTo(Transaction t) {
      if (exclusive != null) {
        return exclusive != t;
      }
      return !holders.contains(t) && queue.stream().anyMatch(r -> r.whole);
    }

    boolean unused() {
      return holders.isEmpty() && exclusive == null && queue.isEmpty();
    }
  }

  private static final class Request {
    private final Transaction owner;
    private final Table table;
    private final boolean whole;
    private final boolean sharing;
    private final List<KeyBytes> keys;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private int next;
    private @Nullable Entry waitsFor;
    private boolean waitsForTable;
    private Scheduler.@Nullable Cancellable timer;

    Request(Transaction owner, Table table, boolean whole, boolean sharing, List<KeyBytes> keys) {
      this.owner = owner;
      this.table = table;
      this.whole = whole;
      this.sharing = sharing;
      this.keys = keys;
    }

    boolean waits() {
      return waitsFor != null || waitsForTable;
    }
  }

  @Override
  public Owner newOwner() {
    return new Transaction();
  }

  @Override
  public CompletableFuture<Void> lock(
      Owner owner, RegionId region, Batch keys, long timeoutMicros) {
    return keys(owner, region, keys, false, timeoutMicros);
  }

  @Override
  public CompletableFuture<Void> lockShared(
      Owner owner, RegionId region, Batch keys, long timeoutMicros) {
    return keys(owner, region, keys, true, timeoutMicros);
  }

  private CompletableFuture<Void> keys(
      Owner owner, RegionId region, Batch keys, boolean sharing, long timeoutMicros) {
    var wanted = new ArrayList<KeyBytes>(keys.rows());
    for (int i = 0; i < keys.rows(); i++) {
      wanted.add(KeyBytes.of(region, keys, i));
    }
    return start((Transaction) owner, region.table(), wanted, false, sharing, timeoutMicros);
  }

  @Override
  public boolean tryLock(Owner owner, RegionId region, Batch keys, int row, boolean shared) {
    var t = (Transaction) owner;
    KeyBytes key = KeyBytes.of(region, keys, row);
    synchronized (this) {
      Table table = tables.get(region.table());
      if (table != null && table.shutTo(t)) {
        return false;
      }
      if (table != null && table.exclusive == t) {
        return true;
      }
      Entry e = entries.get(key);
      if (e != null && !e.has(t, shared) && !e.open(t, shared)) {
        return false;
      }
      take(t, tables.computeIfAbsent(region.table(), Table::new), key, shared);
      return true;
    }
  }

  @Override
  public CompletableFuture<Void> lockTable(Owner owner, TableId table, long timeoutMicros) {
    return start((Transaction) owner, table, List.of(), true, false, timeoutMicros);
  }

  private CompletableFuture<Void> start(
      Transaction owner,
      TableId id,
      List<KeyBytes> keys,
      boolean all,
      boolean sharing,
      long timeoutMicros) {
    var done = new ArrayList<Runnable>();
    Request request;
    synchronized (this) {
      Table table = tables.computeIfAbsent(id, Table::new);
      boolean whole = all || owner.tables.getOrDefault(table, 0) + keys.size() > manyKeys;
      request = new Request(owner, table, whole, sharing, whole ? List.of() : keys);
      owner.requests.add(request);
      proceed(request, done, timeoutMicros < 0);
      if (request.waits() && timeoutMicros > 0) {
        request.timer = scheduler.after(timeoutMicros, () -> expire(request));
      }
    }
    done.forEach(Runnable::run);
    return request.done;
  }

  /** Takes the table, or keys until one is another's. */
  private void proceed(Request r, List<Runnable> done, boolean noWait) {
    Table t = r.table;
    if (t.exclusive == r.owner) {
      finish(r, done);
      return;
    }
    if (r.whole ? !(t.freeFor(r.owner) && t.exclusive == null) : t.shutTo(r.owner)) {
      if (!refused(r, done, noWait, tableBlockers(r, t.queue), "relation")) {
        r.waitsForTable = true;
        t.queue.addLast(r);
      }
      return;
    }
    if (r.whole) {
      t.exclusive = r.owner;
      r.owner.whole.add(t);
      count(r.owner, t, 0);
      finish(r, done);
      return;
    }
    takeKeys(r, done, noWait);
  }

  private void takeKeys(Request r, List<Runnable> done, boolean noWait) {
    while (r.next < r.keys.size()) {
      KeyBytes key = r.keys.get(r.next);
      Entry e = entries.get(key);
      if (e != null && !e.has(r.owner, r.sharing) && !e.open(r.owner, r.sharing)) {
        if (!refused(r, done, noWait, keyBlockers(r, e), "row")) {
          r.waitsFor = e;
          if (e.holders.contains(r.owner)) {
            e.queue.addFirst(r);
          } else {
            e.queue.addLast(r);
          }
        }
        return;
      }
      take(r.owner, r.table, key, r.sharing);
      r.next++;
    }
    finish(r, done);
  }

  /** Gives an owner a key that is free for it, or leaves it to it. */
  private void take(Transaction t, Table table, KeyBytes key, boolean sharing) {
    Entry e = entries.get(key);
    if (e == null) {
      entries.put(key, new Entry(t, sharing));
    } else if (!e.has(t, sharing)) {
      e.give(t, sharing);
    }
    if (t.held.add(key)) {
      count(t, table, 1);
    }
  }

  /** Whom a request for a key waits for: its holders, and those in the queue before it. */
  private static Collection<Transaction> keyBlockers(Request r, Entry e) {
    var out = new HashSet<Transaction>(e.others(r.owner));
    if (!e.holders.contains(r.owner)) {
      for (Request b : e.queue) {
        if (b == r) {
          break;
        }
        out.add(b.owner);
      }
    }
    out.remove(r.owner);
    return out;
  }

  private static void count(Transaction owner, Table table, int more) {
    owner.tables.merge(table, more, Integer::sum);
    table.holders.add(owner);
  }

  /** Fails the request if it must not wait, or would wait for itself. */
  private boolean refused(
      Request r,
      List<Runnable> done,
      boolean noWait,
      Collection<Transaction> blockers,
      String what) {
    if (noWait) {
      String message = "could not obtain lock on " + what;
      fail(r, new MillraceException(ErrorCode.LOCK_NOT_AVAILABLE, message), done);
      return true;
    }
    if (wouldDeadlock(r.owner, blockers)) {
      fail(
          r,
          new MillraceException(ErrorCode.DEADLOCK_DETECTED, "deadlock detected")
              .withHint("See server log for query details."),
          done);
      return true;
    }
    return false;
  }

  /** Whom a request for a table, or one that finds it shut, waits for. */
  private static Collection<Transaction> tableBlockers(Request r, Collection<Request> before) {
    var out = new HashSet<Transaction>();
    Table t = r.table;
    if (t.exclusive != null) {
      out.add(t.exclusive);
    }
    if (r.whole) {
      out.addAll(t.holders);
    }
    for (Request b : before) {
      if (b == r) {
        break;
      }
      if (b.whole || r.whole) {
        out.add(b.owner);
      }
    }
    out.remove(r.owner);
    return out;
  }

  private static boolean wouldDeadlock(Transaction asking, Collection<Transaction> blockers) {
    var seen = new HashSet<Transaction>();
    var open = new ArrayDeque<>(blockers);
    while (!open.isEmpty()) {
      Transaction t = open.removeFirst();
      if (t == asking) {
        return true;
      }
      if (seen.add(t)) {
        for (Request r : t.requests) {
          Entry e = r.waitsFor;
          if (e != null) {
            open.addAll(keyBlockers(r, e));
          } else if (r.waitsForTable) {
            open.addAll(tableBlockers(r, r.table.queue));
          }
        }
      }
    }
    return false;
  }

  private void finish(Request r, List<Runnable> done) {
    end(r);
    done.add(() -> r.done.complete(null));
  }

  private void end(Request r) {
    r.waitsFor = null;
    r.waitsForTable = false;
    r.owner.requests.remove(r);
    Scheduler.Cancellable t = r.timer;
    if (t != null) {
      t.cancel();
    }
    if (r.table.unused()) {
      tables.remove(r.table.id);
    }
  }

  private void fail(Request r, MillraceException why, List<Runnable> done) {
    Entry e = r.waitsFor;
    boolean first = e != null && e.queue.peekFirst() == r;
    if (e != null) {
      e.queue.remove(r);
    }
    boolean queued = r.table.queue.remove(r);
    end(r);
    done.add(() -> r.done.completeExceptionally(why));
    if (queued) {
      advance(r.table, done);
    }
    if (e != null && first) {
      serve(e, r.keys.get(r.next), done);
    }
  }

  private void expire(Request r) {
    var done = new ArrayList<Runnable>();
    synchronized (this) {
      if (r.waits()) {
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
  public synchronized Mark mark(Owner owner) {
    var t = (Transaction) owner;
    return new Counts(t.held.size(), t.whole.size());
  }

  @Override
  public void releaseAll(Owner owner) {
    releaseSince(owner, new Counts(0, 0));
  }

  @Override
  public void releaseSince(Owner owner, Mark mark) {
    var t = (Transaction) owner;
    var counts = (Counts) mark;
    var done = new ArrayList<Runnable>();
    synchronized (this) {
      for (Request r : List.copyOf(t.requests)) {
        fail(
            r,
            new MillraceException(
                ErrorCode.QUERY_CANCELED, "canceling statement due to user request"),
            done);
      }
      release(t, counts, done);
    }
    done.forEach(Runnable::run);
  }

  /** Takes from the owner what it got last, then lets others have it. */
  private void release(Transaction t, Counts kept, List<Runnable> done) {
    List<KeyBytes> keys = t.held.stream().skip(kept.keys).toList();
    List<Table> wholes = t.whole.stream().skip(kept.tables).toList();
    var touched = new LinkedHashSet<>(wholes);
    keys.forEach(t.held::remove);
    for (KeyBytes key : keys) {
      Table table = tables.get(key.region().table());
      if (table != null) {
        t.tables.merge(table, -1, Integer::sum);
        touched.add(table);
      }
    }
    for (Table x : wholes) {
      t.whole.remove(x);
      x.exclusive = null;
    }
    for (Table x : touched) {
      if (t.tables.getOrDefault(x, 0) == 0 && x.exclusive != t) {
        t.tables.remove(x);
        x.holders.remove(t);
      }
    }
    for (KeyBytes key : keys) {
      pass(t, key, done);
    }
    for (Table x : touched) {
      advance(x, done);
    }
  }

  /** Gives a key that an owner lets go to the first that wait for it. */
  private void pass(Transaction from, KeyBytes key, List<Runnable> done) {
    Entry e = entries.get(key);
    if (e == null) {
      return;
    }
    e.holders.remove(from);
    serve(e, key, done);
  }

  /** Gives a key to those at the head of its queue that may have it. */
  private void serve(Entry e, KeyBytes key, List<Runnable> done) {
    var served = new ArrayList<Request>();
    while (true) {
      Request r = e.queue.peekFirst();
      boolean may =
          r != null
              && (e.holders.isEmpty()
                  || (r.sharing ? e.shared : e.holders.size() == 1 && e.holders.contains(r.owner)));
      if (r == null || !may) {
        break;
      }
      e.queue.removeFirst();
      e.give(r.owner, r.sharing);
      if (r.owner.held.add(key)) {
        count(r.owner, r.table, 1);
      }
      r.waitsFor = null;
      r.next++;
      served.add(r);
    }
    if (e.holders.isEmpty()) {
      entries.remove(key);
    }
    for (Request r : served) {
      takeKeys(r, done, false);
    }
  }

  /** Lets those go on that wait for a table and need not any more. */
  private void advance(Table t, List<Runnable> done) {
    while (true) {
      Request r = t.queue.peekFirst();
      boolean may =
          r != null
              && (t.exclusive == null || t.exclusive == r.owner)
              && (!r.whole || t.freeFor(r.owner));
      if (r == null || !may) {
        break;
      }
      t.queue.removeFirst();
      r.waitsForTable = false;
      proceed(r, done, false);
    }
    if (t.unused()) {
      tables.remove(t.id, t);
    }
  }
}
