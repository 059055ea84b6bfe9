package io.millrace.sql.exec.driver;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Permits to run. A query holds one while it works and gives it back whenever it is parked on
 * something outside (its client, a lock, a timer), so parked queries never keep others from
 * running. Those refused are woken in order, already holding the permit.
 */
/** A number of permits and the queries that wait for one. */
final class Admission {
  private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
  private final Set<Turn> holders = new HashSet<>();
  private final int permits;

  Admission(int permits) {
    this.permits = permits;
  }

  /** Whether it holds a permit now; otherwise it is queued and woken when it does. */
  synchronized boolean acquire(Turn turn) {
    if (holders.contains(turn)) {
      return true;
    }
    if (holders.size() < permits) {
      waiting.remove(turn);
      holders.add(turn);
      return true;
    }
    if (!waiting.contains(turn)) {
      waiting.add(turn);
    }
    return false;
  }

  void release(Turn turn) {
    @Nullable Turn next = null;
    synchronized (this) {
      waiting.remove(turn);
      if (holders.remove(turn)) {
        next = waiting.poll();
        if (next != null) {
          holders.add(next);
        }
      }
    }
    if (next != null) {
      next.wake();
    }
  }

  synchronized int held() {
    return holders.size();
  }
}
