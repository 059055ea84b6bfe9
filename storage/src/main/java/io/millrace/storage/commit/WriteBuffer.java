package io.millrace.storage.commit;

import io.millrace.storage.EngineConfig;
import io.millrace.storage.region.Region;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import org.jspecify.annotations.Nullable;

/*
 * Bytes that rows in memory may take, over all regions. Taken at admission, given back when a flush
 * or a truncate has made the rows superfluous, or when the commit did not come to be.
 *
 * Over the hard limit a commit waits; whoever gives bytes back, and every flush that ends, well or
 * not, wakes all that wait, and they ask again. A commit larger than the limit passes when nothing
 * else is there.
 */
public final class WriteBuffer {
  private final long soft;
  private final long hard;
  private final long regionLimit;
  private final AtomicLong used = new AtomicLong();
  private final LongAccumulator peak = new LongAccumulator(Math::max, 0);
  private List<CompletableFuture<Void>> waiting = new ArrayList<>();
  private volatile @Nullable Throwable failure;

  public WriteBuffer(EngineConfig config) {
    soft = config.writeBufferBytes();
    hard = Math.max(soft, config.writeBufferHardBytes());
    regionLimit = config.regionWriteBufferBytes();
  }

  public long used() {
    return used.get();
  }

  /** The most that was ever used. */
  public long peak() {
    return peak.get();
  }

  /** Whether flushing should begin. */
  public boolean high() {
    return used.get() >= soft;
  }

  /** The size at which a region is flushed. */
  public long limit(Region region) {
    long own = region.options().writeBufferBytes();
    return own > 0 ? own : regionLimit;
  }

  /** Takes bytes if there is room for them. */
  public boolean tryTake(Region region, long bytes) {
    long mine = region.reserved();
    if (mine > 0 && mine + bytes > Math.max(2 * limit(region), limit(region) + (1 << 20))) {
      return false;
    }
    while (true) {
      long now = used.get();
      if (now > 0 && now + bytes > hard) {
        return false;
      }
      if (used.compareAndSet(now, now + bytes)) {
        peak.accumulate(now + bytes);
        return true;
      }
    }
  }

  /** Takes bytes whatever the limits say: rows that a replay found. */
  public void take(long bytes) {
    peak.accumulate(used.addAndGet(bytes));
  }

  public void give(long bytes) {
    used.addAndGet(-bytes);
    wake();
  }

  /** Completes when asking again may help. */
  public synchronized CompletableFuture<Void> changed() {
    var f = new CompletableFuture<Void>();
    waiting.add(f);
    return f;
  }

  /** Why flushing does not succeed; null if it does. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /** A flush has ended. */
  public void flushEnded(@Nullable Throwable error) {
    failure = error;
    wake();
  }

  private void wake() {
    List<CompletableFuture<Void>> all;
    synchronized (this) {
      all = waiting;
      waiting = new ArrayList<>();
    }
    for (CompletableFuture<Void> f : all) {
      f.complete(null);
    }
  }
}
