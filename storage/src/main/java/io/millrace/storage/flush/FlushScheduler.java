package io.millrace.storage.flush;

import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.commit.WriteBuffer;
import io.millrace.storage.region.Region;
import io.millrace.storage.wal.LogStore;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to flush: a region that is full, the largest one when all together are, one whose
 * oldest row is old, and the one that keeps the log from being trimmed when that is long or the
 * disk is full. Each region has at most one flush of this origin at a time.
 */
public final class FlushScheduler {
  private static final long TICK_MICROS = 500_000;
  private final EngineConfig config;
  private final EngineEnvironment environment;
  private final WriteBuffer buffer;
  private final Supplier<Collection<Region>> regions;
  private final Flusher flusher;
  private final ManifestEditor manifests;
  private final LogStore log;
  private final Ballast ballast;
  private final long logLimit;
  private final Set<Region> flushing = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;

  /**
   * What it works with.
   *
   * @param logLimit bytes of the log from which on who needs its oldest segment is flushed
   */
  public record Parts(
      WriteBuffer buffer,
      Supplier<Collection<Region>> regions,
      Flusher flusher,
      ManifestEditor manifests,
      LogStore log,
      Ballast ballast,
      long logLimit) {}

  public FlushScheduler(EngineConfig config, EngineEnvironment environment, Parts parts) {
    this.config = config;
    this.environment = environment;
    this.buffer = parts.buffer;
    this.regions = parts.regions;
    this.flusher = parts.flusher;
    this.manifests = parts.manifests;
    this.log = parts.log;
    this.ballast = parts.ballast;
    this.logLimit = parts.logLimit;
  }

  public void start() {
    environment.background().execute(ballast::take);
    next();
  }

  public void stop() {
    stopped = true;
  }

  private void next() {
    if (!stopped) {
      environment
          .scheduler()
          .after(TICK_MICROS, () -> environment.background().execute(this::tick));
    }
  }

  private void tick() {
    if (stopped) {
      return;
    }
    try {
      long now = environment.clock().monotonicNanos();
      for (Region r : regions.get()) {
        long since = r.since();
        if (since != Long.MAX_VALUE && (now - since) / 1000 >= longest(r)) {
          flush(r, "interval");
        } else if (!r.pending().isEmpty()) {
          settle(r);
        }
      }
      if (buffer.high()) {
        flushLargest();
      }
      if (log.bytes() > logLimit || log.full()) {
        flushOldest();
      }
      ballast.take();
    } finally {
      next();
    }
  }

  /** How long rows may stay in memory. */
  private long longest(Region r) {
    long own = r.options().files().flushMicros();
    return own > 0 ? own : config.autoFlushMicros();
  }

  private void settle(Region r) {
    var done =
        r.chain()
            .submit(
                () -> {
                  manifests.settle(r);
                  return CompletableFuture.<@Nullable Void>completedFuture(null);
                });
    done.exceptionally(_ -> null);
  }

  /** A region has grown. */
  public void grown(Region r) {
    if (r.reserved() >= buffer.limit(r)) {
      flush(r, "size");
    } else if (buffer.high()) {
      flushLargest();
    }
  }

  /** A commit waits for room. */
  public void stalled(Region r) {
    if (r.reserved() >= buffer.limit(r)) {
      flush(r, "size");
    } else {
      flushLargest();
    }
  }

  private void flushLargest() {
    Region largest = null;
    long most = 0;
    for (Region r : regions.get()) {
      long n = r.reserved();
      if (n > most && !flushing.contains(r)) {
        most = n;
        largest = r;
      }
    }
    if (largest != null) {
      flush(largest, "memory");
    }
  }

  /** Flushes who needs the log's oldest segment. */
  private void flushOldest() {
    long end = log.oldestSegmentEnd();
    for (Region r : regions.get()) {
      if (r.pinnedPosition() <= end) {
        flush(r, "log size");
      }
    }
  }

  private void flush(Region r, String reason) {
    if (r.state() != Region.State.DROPPED && r.state() != Region.State.DAMAGED && flushing.add(r)) {
      var done = flusher.flush(r, reason).whenComplete((_, _) -> flushing.remove(r));
      done.exceptionally(_ -> null);
    }
  }
}
