package io.millrace.storage.engine;

import io.millrace.common.id.RegionId;
import io.millrace.storage.Snapshot;
import io.millrace.storage.commit.SnapshotClock.Cut;
import io.millrace.storage.read.Version;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.VersionControl.Handle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** A cut over regions that keeps their versions. */
final class EngineSnapshot implements Snapshot {
  private record Seen(Region region, Handle handle, long sequence) {}

  private final Map<RegionId, Seen> seen;
  private final long position;
  private final AtomicBoolean closed = new AtomicBoolean();

  EngineSnapshot(List<Region> regions, Cut cut) {
    seen = HashMap.newHashMap(regions.size());
    for (int i = 0; i < regions.size(); i++) {
      Region r = regions.get(i);
      seen.put(r.id(), new Seen(r, cut.handles()[i], cut.sequences()[i]));
    }
    position = cut.position();
  }

  private Seen get(RegionId region) {
    Seen s = seen.get(region);
    if (s == null) {
      throw new IllegalArgumentException("region " + region + " is not in the snapshot");
    }
    if (closed.get()) {
      throw new IllegalStateException("the snapshot is closed");
    }
    return s;
  }

  Version version(RegionId region) {
    return get(region).handle.version();
  }

  @Override
  public Set<RegionId> regions() {
    return Set.copyOf(seen.keySet());
  }

  @Override
  public long sequence(RegionId region) {
    return get(region).sequence;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public long pinnedBytes() {
    if (closed.get()) {
      return 0;
    }
    long n = 0;
    for (Seen s : seen.values()) {
      n += s.region.versions().pinnedBytes(s.handle);
    }
    return n;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      for (Seen s : seen.values()) {
        s.region.versions().release(s.handle);
      }
    }
  }
}
