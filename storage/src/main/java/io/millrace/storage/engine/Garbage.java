package io.millrace.storage.engine;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.time.Clock;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.FileReferences;
import io.millrace.storage.GarbageReport;
import io.millrace.storage.StoredSst;
import io.millrace.storage.manifest.RegionManifest;
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.objectstore.IoErrors;
import io.millrace.storage.objectstore.ObjectSstStore;
import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.SstMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Which files are needed, and removal of those that are not.
 *
 * A file comes to be in flight (being written, staged, or claimed for an edit), is then named by a
 * manifest and the versions that follow it, then kept by readers only, then deleted. Whoever takes
 * stock looks at these in just this order, after listing what there is: a file that moves on
 * meanwhile is seen at least once, and one that comes to be later was not in the list. A file is in
 * flight until it was seen in a manifest here, or deleted; what is in flight is deleted by nobody.
 *
 * A region that is not known, not being dropped and not unreadable is a dropped one whose removal
 * was cut short: its folder goes, the manifest last.
 *
 * One collection at a time; all calls block.
 */
final class Garbage {
  private static final Logger LOG = LoggerFactory.getLogger(Garbage.class);
  private static final long EVERY_MICROS = 1_800_000_000L;
  private static final long GRACE_MICROS = 3_600_000_000L;
  private final RegionMap regions;
  private final ObjectStore store;
  private final ObjectSstStore files;
  private final Clock clock;
  private final EngineMeters meters;

  /** A collector; the clock tells the age of files. */
  Garbage(
      RegionMap regions,
      ObjectStore store,
      ObjectSstStore files,
      Clock clock,
      EngineMeters meters) {
    this.meters = meters;
    this.regions = regions;
    this.store = store;
    this.files = files;
    this.clock = clock;
  }

  /** Collects again and again while the environment runs. */
  void collectEvery(EngineEnvironment environment) {
    var _ =
        environment
            .scheduler()
            .after(
                EVERY_MICROS,
                () ->
                    environment
                        .background()
                        .execute(
                            () -> {
                              try {
                                collect(GRACE_MICROS);
                              } catch (MillraceException e) {
                                LOG.warn("could not look for orphaned files: {}", e.message());
                              } finally {
                                collectEvery(environment);
                              }
                            }));
  }

  List<StoredSst> stored() {
    var out = new ArrayList<StoredSst>();
    for (ObjectStore.ObjectInfo o : entries()) {
      ObjectSstStore.Named n = ObjectSstStore.named(o.key());
      if (n != null) {
        out.add(new StoredSst(n.region(), o.key(), o.bytes(), o.modifiedMillis()));
      }
    }
    return out;
  }

  private List<ObjectStore.ObjectInfo> entries() {
    try {
      return files.entries();
    } catch (IOException e) {
      throw IoErrors.wrap(e, "list the files of the regions");
    }
  }

  FileReferences references(Collection<RegionId> ids) {
    Map<RegionId, Set<String>> flying = new HashMap<>();
    files
        .inFlight()
        .forEach((file, r) -> flying.computeIfAbsent(r, _ -> new HashSet<>()).add(file));
    Map<RegionId, Set<String>> named = new HashMap<>();
    Map<RegionId, Set<String>> read = new HashMap<>();
    for (RegionId id : ids) {
      Region r = regions.find(id);
      if (r == null) {
        continue;
      }
      var mine = new HashSet<String>();
      for (SstMeta f : r.manifest().state().files()) {
        mine.add(f.fileId());
      }
      for (SstMeta f : r.versions().current().files()) {
        mine.add(f.fileId());
      }
      var readers = new HashSet<>(r.versions().referenced());
      readers.removeAll(mine);
      named.put(id, Set.copyOf(mine));
      read.put(id, Set.copyOf(readers));
    }
    flying.keySet().retainAll(Set.copyOf(ids));
    return new FileReferences(Map.copyOf(named), Map.copyOf(read), Map.copyOf(flying));
  }

  /** Removes what nobody needs and what is older than the grace time. */
  synchronized GarbageReport collect(long graceMicros) {
    long youngest = (clock.wallMicros() - graceMicros) / 1000;
    List<ObjectStore.ObjectInfo> there = entries();
    var known = new HashSet<RegionId>();
    for (ObjectStore.ObjectInfo o : there) {
      ObjectSstStore.Named n = ObjectSstStore.named(o.key());
      if (n != null && regions.find(n.region()) != null) {
        known.add(n.region());
      }
    }
    FileReferences needed = references(known);
    needed
        .inFlight()
        .forEach(
            (r, ids) -> {
              Set<String> named = needed.manifest().getOrDefault(r, Set.of());
              ids.stream()
                  .filter(id -> named.contains(ObjectSstStore.base(id)))
                  .forEach(files::settle);
            });
    long count = 0;
    long bytes = 0;
    for (ObjectStore.ObjectInfo o : there) {
      ObjectSstStore.Named n = ObjectSstStore.named(o.key());
      if (n != null
          && o.modifiedMillis() <= youngest
          && useless(n, known, needed)
          && delete(o, n)) {
        count++;
        bytes += o.bytes();
      }
    }
    removeDropped(there, known);
    meters.garbageFiles.add(count);
    return new GarbageReport(count, bytes);
  }

  private boolean useless(ObjectSstStore.Named n, Set<RegionId> known, FileReferences needed) {
    if (!known.contains(n.region())) {
      return dropped(n.region());
    }
    Set<String> named = needed.manifest().get(n.region());
    return named != null // it may have been dropped meanwhile
        && !named.contains(n.fileId())
        && !needed.readers().getOrDefault(n.region(), Set.of()).contains(n.fileId());
  }

  /** Whether the region is of the past. */
  private boolean dropped(RegionId id) {
    return regions.find(id) == null && !regions.leaving(id) && !regions.unreadable(id);
  }

  private boolean delete(ObjectStore.ObjectInfo object, ObjectSstStore.Named named) {
    try {
      return files.deleteGarbage(object.key(), named.fileId());
    } catch (IOException e) {
      LOG.warn("could not remove orphan {} yet: {}", object.key(), e.getMessage());
      return false;
    }
  }

  /** Manifests that say "removed" go when no file is left in their folder. */
  private void removeDropped(List<ObjectStore.ObjectInfo> there, Set<RegionId> known) {
    var candidates = new HashSet<RegionId>();
    for (ObjectStore.ObjectInfo o : there) {
      String[] parts = o.key().split("/", -1);
      if (parts.length == 4 && parts[2].equals("manifest")) {
        candidates.add(new RegionId(Long.parseUnsignedLong(parts[1], 16)));
      }
    }
    candidates.removeAll(known);
    for (RegionId id : candidates) {
      try {
        RegionManifest m = dropped(id) ? RegionManifest.load(store, id) : null;
        if (m != null && m.state().removed() && files.list(id).isEmpty()) {
          m.delete();
        }
      } catch (IOException | MillraceException e) {
        LOG.warn("could not remove what is left of region {} yet: {}", id, e.getMessage());
      }
    }
  }
}
