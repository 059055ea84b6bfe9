package io.millrace.wire.pg.auth;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long a wrong password is left unanswered: 100 ms, doubled with each failure from the same
 * address up to 5 s; a right one, or a minute without failures, starts anew. Thread-safe.
 */
public final class LoginThrottle {
  private static final long FIRST_MILLIS = 100;
  private static final long MOST_MILLIS = 5_000;
  private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Addresses that are remembered; the oldest are forgotten first. */
  private static final int ADDRESSES = 10_000;

  private record Failures(int count, long lastNanos) {}

  private final LongSupplier nanos;
  private final Map<InetAddress, Failures> byAddress = new LinkedHashMap<>();

  /**
   * @param nanos a clock that never goes back
   */
  public LoginThrottle(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Notes a failure; milliseconds to wait before it is told. */
  public synchronized long failed(@Nullable SocketAddress from) {
    InetAddress address = from instanceof InetSocketAddress i ? i.getAddress() : null;
    if (address == null) {
      return FIRST_MILLIS;
    }
    long now = nanos.getAsLong();
    Failures before = byAddress.remove(address);
    int count = before == null || now - before.lastNanos > FORGET_NANOS ? 0 : before.count;
    if (byAddress.size() >= ADDRESSES) {
      byAddress.remove(byAddress.keySet().iterator().next());
    }
    byAddress.put(address, new Failures(count + 1, now));
    return Math.min(MOST_MILLIS, FIRST_MILLIS << Math.min(count, 10));
  }

  /** Notes that somebody came in. */
  public synchronized void succeeded(@Nullable SocketAddress from) {
    if (from instanceof InetSocketAddress i && !byAddress.isEmpty()) {
      byAddress.remove(i.getAddress());
    }
  }
}
