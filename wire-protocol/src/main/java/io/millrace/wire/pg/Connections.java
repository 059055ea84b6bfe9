package io.millrace.wire.pg;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The open connections: sockets, for shutting down, and sessions by process id, for cancelling and
 * for the limit. Thread-safe; nothing here waits.
 */
final class Connections {
  private volatile int maxSessions;
  private volatile int maxSockets;
  private final AtomicInteger entered = new AtomicInteger();
  private final AtomicInteger sockets = new AtomicInteger();
  private final Map<PgConnection, Boolean> open = new ConcurrentHashMap<>();
  private final Map<Integer, PgConnection> sessions = new ConcurrentHashMap<>();
  private final CompletableFuture<Void> empty = new CompletableFuture<>();
  private volatile boolean closing;

  Connections(int maxSessions) {
    limit(maxSessions);
  }

  /** Another limit for those that come from now on. */
  void limit(int sessionsAtMost) {
    maxSessions = sessionsAtMost;
    // Room for those that are only asking to cancel or have not said who they are.
    maxSockets = 2 * sessionsAtMost + 100;
  }

  /** Whether a new socket may stay. */
  boolean opened(PgConnection connection) {
    if (sockets.incrementAndGet() > maxSockets) {
      sockets.decrementAndGet();
      return false;
    }
    open.put(connection, true);
    return true;
  }

  void closed(PgConnection connection) {
    if (open.remove(connection) != null) {
      sockets.decrementAndGet();
      told();
    }
  }

  /** Whether there is room for one more session. */
  boolean enter() {
    if (entered.incrementAndGet() > maxSessions) {
      entered.decrementAndGet();
      return false;
    }
    return true;
  }

  void leave() {
    entered.decrementAndGet();
  }

  void register(int processId, PgConnection connection) {
    sessions.put(processId, connection);
  }

  void unregister(int processId, PgConnection connection) {
    sessions.remove(processId, connection);
  }

  /** Cancels the session's statement if the secret is the right one; silent otherwise. */
  void cancel(int processId, int secret) {
    PgConnection target = sessions.get(processId);
    if (target != null) {
      target.cancelIf(secret);
    }
  }

  int sessions() {
    return entered.get();
  }

  boolean closing() {
    return closing;
  }

  /** From now on nobody is let in; complete when the last socket is closed. */
  CompletableFuture<Void> close() {
    closing = true;
    told();
    return empty;
  }

  List<PgConnection> all() {
    return new ArrayList<>(open.keySet());
  }

  private void told() {
    if (closing && open.isEmpty()) {
      empty.complete(null);
    }
  }
}
