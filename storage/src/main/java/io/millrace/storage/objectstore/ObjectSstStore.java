package io.millrace.storage.objectstore;

import io.millrace.common.id.RegionId;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstInput;
import io.millrace.storage.sst.SstOutput;
import io.millrace.storage.sst.SstStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * SSTs and their side-cars as objects, in a folder per region.
 *
 * <p>It knows which files are in flight: those that somebody began to write here, or claimed, and
 * that were neither deleted nor seen in a manifest since. No garbage collection touches them. Any
 * thread.
 */
public final class ObjectSstStore implements SstStore {
  private static final String SUFFIX = ".parquet";
  private final ObjectStore store;
  private final Map<String, RegionId> inFlight = new HashMap<>();
  private final Set<String> condemned = new HashSet<>();

  public ObjectSstStore(ObjectStore store) {
    this.store = store;
  }

  private static String folder(RegionId region) {
    return String.format("regions/%016x/sst/", region.value());
  }

  /** The object's key: of an SST, or of a side-car if the name is one of those. */
  public static String key(RegionId region, String fileId) {
    return folder(region) + (SideCarMeta.isName(fileId) ? fileId : fileId + SUFFIX);
  }

  /** Ids of all files that are there, named by a manifest or not. */
  public List<String> list(RegionId region) throws IOException {
    var out = new ArrayList<String>();
    String folder = folder(region);
    for (String key : store.list(folder)) {
      if (key.endsWith(SUFFIX)) {
        out.add(key.substring(folder.length(), key.length() - SUFFIX.length()));
      }
    }
    return out;
  }

  /** Names of all side-cars that are there. */
  public List<String> sideCars(RegionId region) throws IOException {
    return sideCars(region, "");
  }

  private List<String> sideCars(RegionId region, String prefix) throws IOException {
    var out = new ArrayList<String>();
    String folder = folder(region);
    for (String key : store.list(folder + prefix)) {
      if (SideCarMeta.isName(key)) {
        out.add(key.substring(folder.length()));
      }
    }
    return out;
  }

  /** Deletes a file and its side-cars, or a side-car by its name. */
  public void delete(RegionId region, String fileId) throws IOException {
    settle(fileId);
    try {
      store.delete(key(region, fileId));
      if (!SideCarMeta.isName(fileId)) {
        for (String name : sideCars(region, fileId + ".")) {
          store.delete(key(region, name));
        }
      }
    } finally {
      synchronized (this) {
        condemned.remove(fileId);
      }
    }
  }

  /** The file will be deleted soon. */
  public synchronized void condemn(String fileId) {
    condemned.add(fileId);
  }

  public synchronized boolean condemned(String fileId) {
    return condemned.contains(fileId);
  }

  /** What lies in the regions' folders. */
  public List<ObjectStore.ObjectInfo> entries() throws IOException {
    return store.entries("regions/");
  }

  /** The region and file id of a key; null if it is no file of a region. */
  public static @Nullable Named named(String key) {
    String[] parts = key.split("/", -1);
    if (parts.length != 4 || !parts[0].equals("regions") || !parts[2].equals("sst")) {
      return null;
    }
    try {
      var region = new RegionId(Long.parseUnsignedLong(parts[1], 16));
      return new Named(region, base(parts[3]));
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** A file by its name. */
  public record Named(RegionId region, String fileId) {}

  /** Protects a file that lies there; false if somebody has it already. */
  public synchronized boolean claim(RegionId region, String fileId) {
    return inFlight.putIfAbsent(fileId, region) == null;
  }

  /** The file is in flight no more. */
  public synchronized void settle(String fileId) {
    inFlight.remove(fileId);
  }

  /** The file that an SST's or side-car's name belongs to. */
  public static String base(String name) {
    int dot = name.indexOf('.');
    return dot < 0 ? name : name.substring(0, dot);
  }

  /** Files in flight with their regions. */
  public synchronized Map<String, RegionId> inFlight() {
    return Map.copyOf(inFlight);
  }

  /** Deletes an object that is no use to anybody, unless its file is in flight. */
  public boolean deleteGarbage(String key, String fileId) throws IOException {
    synchronized (this) {
      for (String flying : inFlight.keySet()) {
        if (base(flying).equals(fileId)) {
          return false;
        }
      }
      store.delete(key);
      return true;
    }
  }

  @Override
  public SstInput open(RegionId region, String fileId) {
    String key = key(region, fileId);
    try {
      return new Input(key, store.open(key));
    } catch (IOException e) {
      throw IoErrors.wrap(e, "open file \"" + key + "\"");
    }
  }

  @Override
  public SstOutput create(RegionId region, String fileId) {
    String key = key(region, fileId);
    synchronized (this) {
      inFlight.put(fileId, region);
    }
    try {
      return new Output(key, store.create(key));
    } catch (IOException e) {
      throw IoErrors.wrap(e, "create file \"" + key + "\"");
    }
  }

  private record Input(String key, ObjectStore.ObjectReader reader) implements SstInput {
    @Override
    public long length() {
      return reader.size();
    }

    @Override
    public void read(long position, byte[] target, int from, int count) {
      try {
        reader.read(position, target, from, count);
      } catch (IOException e) {
        throw IoErrors.wrap(e, "read file \"" + key + "\"");
      }
    }

    @Override
    public void close() {
      try {
        reader.close();
      } catch (IOException e) {
        throw IoErrors.wrap(e, "close file \"" + key + "\"");
      }
    }
  }

  private record Output(String key, ObjectStore.ObjectWriter writer) implements SstOutput {
    @Override
    public void write(byte[] source, int from, int count) {
      try {
        writer.write(source, from, count);
      } catch (IOException e) {
        throw IoErrors.wrap(e, "write file \"" + key + "\"");
      }
    }

    @Override
    public void finish() {
      try {
        writer.commit();
      } catch (IOException e) {
        throw IoErrors.wrap(e, "write file \"" + key + "\"");
      }
    }

    @Override
    public void close() {
      try {
        writer.close();
      } catch (IOException e) {
        throw IoErrors.wrap(e, "close file \"" + key + "\"");
      }
    }
  }
}
