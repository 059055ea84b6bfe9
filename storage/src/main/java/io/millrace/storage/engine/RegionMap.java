package io.millrace.storage.engine;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.storage.region.Region;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The regions of an engine that are not dropped. */
final class RegionMap {
  private final ConcurrentMap<RegionId, Region> regions = new ConcurrentHashMap<>();
  private final ConcurrentMap<RegionId, MillraceException> unreadable = new ConcurrentHashMap<>();
  private final Set<RegionId> leaving = ConcurrentHashMap.newKeySet();

  /** The region; REGION_NOT_FOUND if there is none. */
  Region require(RegionId id) {
    Region r = regions.get(id);
    if (r == null) {
      MillraceException why = unreadable.get(id);
      throw why == null
          ? Region.notFound(id)
          : new MillraceException(why.code(), why.message(), why);
    }
    return r;
  }

  /** A region whose manifest cannot be read, and why. */
  void addUnreadable(RegionId id, MillraceException why) {
    unreadable.put(id, why);
  }

  /** Whether there are regions of which it is not known what they need of the log. */
  boolean hasUnreadable() {
    return !unreadable.isEmpty();
  }

  /** Whether it is known that there is a region, but not what is in it. */
  boolean unreadable(RegionId id) {
    return unreadable.containsKey(id);
  }

  /** A dropped region's files and manifest go when the last reader lets go. */
  void beginRemoval(RegionId id) {
    leaving.add(id);
  }

  /** They are gone, or could not be removed. */
  void endRemoval(RegionId id) {
    leaving.remove(id);
  }

  boolean leaving(RegionId id) {
    return leaving.contains(id);
  }

  @Nullable Region find(RegionId id) {
    return regions.get(id);
  }

  void add(Region region) {
    regions.put(region.id(), region);
  }

  void remove(Region region) {
    regions.remove(region.id(), region);
  }

  Collection<Region> all() {
    return regions.values();
  }
}
