package io.millrace.storage.objectstore;

import java.io.IOException;
import java.util.List;

/**
 * Stored files by key, a path with forward slashes below the store's root. Objects are written once
 * and become visible whole. All calls block; any thread.
 */
public interface ObjectStore {
  /** The whole object. */
  byte[] get(String key) throws IOException;

  /** Opens an object for reading ranges. */
  ObjectReader open(String key) throws IOException;

  /** Stores a small object: atomic and durable on return, replacing an older one. */
  void put(String key, byte[] data) throws IOException;

  /** Starts a large object, which is there only after {@link ObjectWriter#commit}. */
  ObjectWriter create(String key) throws IOException;

  /** Keys that start with the prefix, sorted. */
  List<String> list(String prefix) throws IOException;

  /** The same with what is known of each. */
  List<ObjectInfo> entries(String prefix) throws IOException;

  /**
   * A stored object.
   *
   * @param modifiedMillis when it was written; milliseconds since 1970
   */
  record ObjectInfo(String key, long bytes, long modifiedMillis) {}

  /** Removes what was begun and never committed by a process that is gone. */
  void removeUnfinished() throws IOException;

  /** Removes an object; one that is not there is no error. */
  void delete(String key) throws IOException;

  /** Reads ranges of one object; any thread. */
  interface ObjectReader extends AutoCloseable {
    long size();

    /** Fills the range of the array; end of file within is an error. */
    void read(long position, byte[] into, int at, int count) throws IOException;

    @Override
    void close() throws IOException;
  }

  /** Writes one object from its start; one thread. */
  interface ObjectWriter extends AutoCloseable {
    long position();

    void write(byte[] data, int from, int count) throws IOException;

    /** Makes the object durable and visible. */
    void commit() throws IOException;

    /** Without a commit before: nothing is left. */
    @Override
    void close() throws IOException;
  }
}
