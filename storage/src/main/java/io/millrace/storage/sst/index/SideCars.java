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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side-cars of SSTs and a cache of their decoded parts, weighed by bytes. A side-car that is
 * missing or damaged is complained of once, counted, and left aside from then on: whoever asks
 * reads the file without it. Any thread.
 */
public final class SideCars {
  private static final Logger LOG = LoggerFactory.getLogger(SideCars.class);
  private static final int FOOTER = -1;

  /** A side-car. */
  record Name(RegionId region, String file) {}

  private record Key(Name name, int blob) {}

  private final SstStore store;
  private final Cache<Key, IndexBlock> blocks;
  private final Set<Name> broken = ConcurrentHashMap.newKeySet();
  private final AtomicLong failures = new AtomicLong();

  public SideCars(SstStore store, long maxBytes) {
    this.store = store;
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
    if (broken.contains(key.name)) {
      return null;
    }
    try {
      return blocks.get(key, k -> load(k, loader));
    } catch (RuntimeException e) {
      failures.incrementAndGet();
      if (broken.add(key.name)) {
        LOG.warn(
            "index file {} of region {} cannot be used: {}",
            key.name.file,
            key.name.region,
            e.toString());
      }
      return null;
    }
  }

  private IndexBlock load(Key key, Loader loader) {
    try (SstInput in = store.open(key.name.region, key.name.file)) {
      return loader.load(in);
    }
  }

  boolean usable(Name name) {
    return !broken.contains(name);
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
    broken.removeIf(n -> belongs(n, fileId));
    blocks.asMap().keySet().removeIf(k -> belongs(k.name, fileId));
  }

  private static boolean belongs(Name n, String fileId) {
    return n.file.equals(fileId) || n.file.startsWith(fileId + ".");
  }

  public void clear() {
    blocks.invalidateAll();
  }
}
