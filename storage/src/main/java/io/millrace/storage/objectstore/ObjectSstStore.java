package io.millrace.storage.objectstore;

import io.millrace.common.id.RegionId;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstInput;
import io.millrace.storage.sst.SstOutput;
import io.millrace.storage.sst.SstStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** SSTs and their side-cars as objects, in a folder per region. */
public final class ObjectSstStore implements SstStore {
  private static final String SUFFIX = ".parquet";
  private final ObjectStore store;

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
    store.delete(key(region, fileId));
    if (!SideCarMeta.isName(fileId)) {
      for (String name : sideCars(region, fileId + ".")) {
        store.delete(key(region, name));
      }
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
