package io.millrace.storage.manifest;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.storage.objectstore.IoErrors;
import io.millrace.storage.objectstore.ObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * A region's history as small numbered files, each put whole or not at all; every 16 of them a
 * checkpoint takes their place. The state is the newest checkpoint and the actions after it, whose
 * numbers have no gap. A commit that failed may have left its file: the next one has the same
 * number and replaces it.
 *
 * Threads: one commit at a time (the caller's duty); state from any thread.
 */
public final class RegionManifest {
  private static final Logger LOG = LoggerFactory.getLogger(RegionManifest.class);
  private static final int CHECKPOINT_EVERY = 16;
  private static final String ACTIONS = ".actions";
  private static final String CHECKPOINT = ".checkpoint";

  private final ObjectStore store;
  private final RegionId region;
  private volatile long number;
  private long checkpoint;
  private volatile ManifestState state;
  private volatile long bytes;
  private long size;

  private RegionManifest(
      ObjectStore store, RegionId region, long number, long checkpoint, ManifestState state) {
    this.store = store;
    this.region = region;
    this.number = number;
    this.checkpoint = checkpoint;
    this.state = state;
  }

  /** The folder of a region. */
  public static String folder(RegionId region) {
    return String.format("regions/%016x/", region.value());
  }

  private static String folderOfManifest(RegionId region) {
    return folder(region) + "manifest/";
  }

  private static String key(RegionId region, long number, String kind) {
    return folderOfManifest(region) + String.format("%016x", number) + kind;
  }

  /** The regions that have a manifest. */
  public static List<RegionId> list(ObjectStore store) {
    try {
      var out = new ArrayList<RegionId>();
      for (String key : store.list("regions/")) {
        String[] parts = key.split("/");
        if (parts.length == 4 && parts[2].equals("manifest")) {
          var id = new RegionId(Long.parseUnsignedLong(parts[1], 16));
          if (out.isEmpty() || !out.getLast().equals(id)) {
            out.add(id);
          }
        }
      }
      return out;
    } catch (IOException e) {
      throw IoErrors.wrap(e, "list the regions");
    }
  }

  /** Begins a region's manifest. */
  public static RegionManifest create(
      ObjectStore store, RegionId region, ManifestAction.Create create) {
    var m = new RegionManifest(store, region, 0, 0, ManifestState.created(region, create));
    m.commit(List.of(create));
    return m;
  }

  /** Reads a region's manifest; null if there is none. DATA_CORRUPTED names the damaged file. */
  public static @Nullable RegionManifest load(ObjectStore store, RegionId region) {
    try {
      long checkpoint = 0;
      var actions = new ArrayList<Long>();
      for (String key : store.list(folderOfManifest(region))) {
        String name = key.substring(key.lastIndexOf('/') + 1);
        if (name.endsWith(CHECKPOINT)) {
          checkpoint = Long.parseLong(name, 0, 16, 16);
        } else if (name.endsWith(ACTIONS)) {
          actions.add(Long.parseLong(name, 0, 16, 16));
        }
      }
      if (checkpoint == 0 && actions.isEmpty()) {
        return null;
      }
      return read(store, region, checkpoint, actions);
    } catch (IOException e) {
      throw IoErrors.wrap(e, "read the manifest of region " + region);
    }
  }

  private static RegionManifest read(
      ObjectStore store, RegionId region, long checkpoint, List<Long> numbers) throws IOException {
    ManifestState state = null;
    long bytes = 0;
    if (checkpoint > 0) {
      String key = key(region, checkpoint, CHECKPOINT);
      byte[] data = store.get(key);
      bytes = data.length;
      state = ManifestCodec.parseCheckpoint(data, region, key);
    }
    long last = checkpoint;
    for (long n : numbers) {
      if (n <= checkpoint) {
        continue;
      }
      String key = key(region, n, ACTIONS);
      if (n != last + 1) {
        throw new MillraceException(
            ErrorCode.DATA_CORRUPTED, "manifest file before \"" + key + "\" is missing");
      }
      byte[] data = store.get(key);
      bytes += data.length;
      for (ManifestAction a : ManifestCodec.parseActions(data, region, key)) {
        if (state == null) {
          if (!(a instanceof ManifestAction.Create c)) {
            throw new MillraceException(
                ErrorCode.DATA_CORRUPTED, "manifest file \"" + key + "\" does not begin a region");
          }
          state = ManifestState.created(region, c);
        } else {
          state = state.apply(a);
        }
      }
      last = n;
    }
    if (state == null) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "manifest of region " + region + " is empty");
    }
    var manifest = new RegionManifest(store, region, last, checkpoint, state);
    manifest.size = bytes;
    manifest.bytes = bytes;
    return manifest;
  }

  public ManifestState state() {
    return state;
  }

  /** Bytes of its files, about. */
  public long bytes() {
    return bytes;
  }

  /** Number of the last commit. */
  public long version() {
    return number;
  }

  /** Makes the actions durable, all or none. */
  public void commit(List<ManifestAction> actions) {
    ManifestState next = state;
    for (ManifestAction a : actions) {
      next = next.apply(a);
    }
    try {
      byte[] data = ManifestCodec.actions(region, number + 1, actions);
      store.put(key(region, number + 1, ACTIONS), data);
      size += data.length;
      bytes = size;
    } catch (IOException e) {
      throw IoErrors.wrap(e, "write the manifest of region " + region);
    }
    number = Math.addExact(number, 1);
    state = next;
    if (number - checkpoint >= CHECKPOINT_EVERY || next.removed()) {
      writeCheckpoint();
    }
  }

  /** A checkpoint only saves time: if it fails the actions still tell everything. */
  private void writeCheckpoint() {
    try {
      byte[] data = ManifestCodec.checkpoint(state, number);
      store.put(key(region, number, CHECKPOINT), data);
      size = data.length;
      bytes = size;
      long old = checkpoint;
      checkpoint = number;
      for (long n = Math.max(1, old); n <= number; n++) {
        store.delete(key(region, n, ACTIONS));
      }
      if (old > 0) {
        store.delete(key(region, old, CHECKPOINT));
      }
    } catch (IOException e) {
      LOG.warn("could not write a checkpoint of region {}'s manifest: {}", region, e.getMessage());
    }
  }

  /** Removes all manifest files, the checkpoint that says "removed" last. */
  public void delete() {
    try {
      for (String k : store.list(folderOfManifest(region))) {
        if (k.endsWith(ACTIONS)) {
          store.delete(k);
        }
      }
      store.delete(key(region, checkpoint, CHECKPOINT));
    } catch (IOException e) {
      throw IoErrors.wrap(e, "remove the manifest of region " + region);
    }
  }
}
