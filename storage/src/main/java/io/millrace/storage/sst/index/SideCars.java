package io.millrace.storage.sst.index;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.common.id.RegionId;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstInput;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstStore;
import io.millrace.storage.sst.puffin.PuffinBlob;
import io.millrace.storage.sst.puffin.PuffinReader;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side-cars of SSTs and a cache of their decoded parts, weighed by bytes. A side-car that
 * cannot be read is complained of once, counted, and left aside for a while: whoever asks reads the
 * file without it. Then it is tried again, for the failure may have been the disk's or the
 * network's and not its own; each time that it fails again the while is twice as long. Any thread.
 */
public final class SideCars {
  private static final Logger LOG = LoggerFactory.getLogger(SideCars.class);
  private static final int FOOTER = -1;
  private static final long FIRST_WAIT = 5_000_000_000L;
  private static final long LONGEST_WAIT = 600_000_000_000L;

  /** A side-car. */
  record Name(RegionId region, String file) {}

  private record Key(Name name, int blob) {}

  /** A failure: how long nobody tries, and until when. */
  private record Failed(long pause, long until) {}

  private final SstStore store;
  private final Cache<Key, IndexBlock> blocks;
  private final Map<Name, Failed> broken = new ConcurrentHashMap<>();
  private final LongSupplier nanos;
  private final AtomicLong failures = new AtomicLong();

  /** For a short while: what cannot be read is not tried again. */
  public SideCars(SstStore store, long maxBytes) {
    this(store, maxBytes, () -> 0);
  }

  /**
   * Side-cars of a store.
   *
   * @param nanos a monotonic clock
   */
  public SideCars(SstStore store, long maxBytes, LongSupplier nanos) {
    this.store = store;
    this.nanos = nanos;
    this.blocks =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((Key k, IndexBlock b) -> (int) Math.min(Integer.MAX_VALUE, b.bytes()))
            .executor(Runnable::run)
            .build();
  }

  /** The side-car of a file; null if it has none that can be used. */
  public @Nullable SideCar of(RegionId region, SstMeta file) {
    SideCarMeta m = file.index();
    if (m == null) {
      return null;
    }
    var name = new Name(region, m.name(file.fileId()));
    IndexBlock contents =
        get(
            new Key(name, FOOTER),
            in ->
                SideCar.Contents.of(
                    PuffinReader.blobs(in, m.bytes(), m.footerLength(), m.footerCrc())));
    return contents == null ? null : new SideCar(this, name, (SideCar.Contents) contents);
  }

  /** A decoded blob; null if it cannot be read. */
  @Nullable IndexBlock block(Name name, int at, PuffinBlob blob, SideCar.Decoder decoder) {
    return get(new Key(name, at), in -> decoder.decode(PuffinReader.read(in, blob)));
  }

  private interface Loader {
    IndexBlock load(SstInput in);
  }

  private @Nullable IndexBlock get(Key key, Loader loader) {
    if (!usable(key.name)) {
      return null;
    }
    try {
      return blocks.get(key, k -> load(k, loader));
    } catch (RuntimeException e) {
      failures.incrementAndGet();
      if (leaveAside(key.name)) {
        LOG.warn(
            "index file {} of region {} cannot be used: {}",
            key.name.file,
            key.name.region,
            e.toString());
      }
      return null;
    }
  }

  /** Nobody tries the side-car for a while; returns whether it fails for the first time. */
  private boolean leaveAside(Name name) {
    long now = nanos.getAsLong();
    Failed f =
        broken.compute(
            name,
            (_, before) -> {
              if (before != null && now - before.until < 0) {
                return before;
              }
              long pause = before == null ? FIRST_WAIT : Math.min(2 * before.pause, LONGEST_WAIT);
              return new Failed(pause, now + pause);
            });
    return f.pause == FIRST_WAIT;
  }

  private IndexBlock load(Key key, Loader loader) {
    try (SstInput in = store.open(key.name.region, key.name.file)) {
      return loader.load(in);
    }
  }

  boolean usable(Name name) {
    Failed f = broken.get(name);
    return f == null || nanos.getAsLong() - f.until >= 0;
  }

  /** How often a side-car could not be read. */
  public long failures() {
    return failures.get();
  }

  /** Bytes held, about. */
  public long bytes() {
    return blocks.policy().eviction().map(e -> e.weightedSize().orElse(0)).orElse(0L);
  }

  /** Forgets the side-cars of a file, or a side-car by its name. */
  public void forget(String fileId) {
    broken.keySet().removeIf(n -> belongs(n, fileId));
    blocks.asMap().keySet().removeIf(k -> belongs(k.name, fileId));
  }

  private static boolean belongs(Name n, String fileId) {
    return n.file.equals(fileId) || n.file.startsWith(fileId + ".");
  }

  public void clear() {
    blocks.invalidateAll();
  }
}
