package io.millrace.storage.meter;

import io.millrace.storage.EngineEnvironment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/*
 * How much of the disk and the processor background work may have.
 *
 * A token bucket of bytes a second, filled by time and at most one second full. Flushes take what
 * they need and never wait, for writes may wait for them; what they took is missing to compactions,
 * which wait until the bucket is not empty.
 *
 * Besides, compactions give way, a little at every piece of I/O: to a flush that runs, some
 * milliseconds; to readers, as long as they themselves have worked since (so at most half of their
 * time), unless so many runs have piled up that writes suffer from it. Every wait is bounded: a
 * compaction always goes on.
 */
public final class IoBudget {
  private static final long FLUSH_PAUSE_MICROS = 5_000;
  private static final long READER_PAUSE_MICROS = 10_000;
  private static final long SLICE_MICROS = 50_000;

  private final EngineEnvironment environment;
  private final long bytesPerSecond;
  private final AtomicInteger flushes = new AtomicInteger();
  private final AtomicInteger readers = new AtomicInteger();
  private final LongAdder waitedMicros = new LongAdder();
  private double tokens;
  private long filledAt;
  private volatile boolean stopped;

  /**
   * A budget.
   *
   * @param bytesPerSecond 0 = no limit
   */
  public IoBudget(EngineEnvironment environment, long bytesPerSecond) {
    this.environment = environment;
    this.bytesPerSecond = bytesPerSecond;
    this.tokens = bytesPerSecond;
    this.filledAt = environment.clock().monotonicNanos();
  }

  /** Nobody waits any more. */
  public void stop() {
    stopped = true;
  }

  /** Runs a flush, which compactions give way to, and adds the time it took. */
  public <T> T flush(Supplier<T> work, LongAdder nanos) {
    long begun = environment.clock().monotonicNanos();
    flushes.incrementAndGet();
    try {
      return work.get();
    } finally {
      flushes.decrementAndGet();
      nanos.add(environment.clock().monotonicNanos() - begun);
    }
  }

  public void readBegins() {
    readers.incrementAndGet();
  }

  public void readEnds() {
    readers.decrementAndGet();
  }

  /** Time that compactions have waited. */
  public double waitedSeconds() {
    return waitedMicros.sum() / 1e6;
  }

  /** A flush reads or writes bytes. */
  void flush(long bytes) {
    take(bytes);
  }

  /** Takes bytes and says how long to wait until the bucket is not empty, in microseconds. */
  private synchronized long take(long bytes) {
    if (bytesPerSecond <= 0) {
      return 0;
    }
    long now = environment.clock().monotonicNanos();
    tokens = Math.min(bytesPerSecond, tokens + (now - filledAt) / 1e9 * bytesPerSecond);
    filledAt = now;
    tokens -= bytes;
    return tokens >= 0 ? 0 : (long) (-tokens / bytesPerSecond * 1e6);
  }

  /** A compaction of its own thread. */
  final class Worker {
    private final boolean urgent;
    private long worksSince;

    /** A job; an urgent one does not give way to readers. */
    Worker(boolean urgent) {
      this.urgent = urgent;
      this.worksSince = environment.clock().monotonicNanos();
    }

    /** Reads or writes bytes. */
    void use(long bytes) {
      long wait = take(bytes);
      if (flushes.get() > 0) {
        wait = Math.max(wait, FLUSH_PAUSE_MICROS);
      } else if (!urgent && readers.get() > 0) {
        long worked = (environment.clock().monotonicNanos() - worksSince) / 1000;
        wait = Math.max(wait, Math.min(worked, READER_PAUSE_MICROS));
      }
      if (wait > 0) {
        rest(wait);
        worksSince = environment.clock().monotonicNanos();
      }
    }

    private void rest(long micros) {
      waitedMicros.add(micros);
      for (long left = micros; left > 0 && !stopped; left -= SLICE_MICROS) {
        environment.pause(Math.min(left, SLICE_MICROS));
      }
    }
  }

  /** A compaction's share. */
  Worker worker(boolean urgent) {
    return new Worker(urgent);
  }
}
