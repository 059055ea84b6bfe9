package io.millrace.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** The log's folder: the only way in which the log touches the disk. All calls block. */
public interface LogFiles {
  /** Names in the folder, sorted. */
  List<String> list() throws IOException;

  /** Creates a file of the given number of zeros, forced. */
  LogFile create(String name, long size) throws IOException;

  /** Opens an existing file for reading and writing. */
  LogFile open(String name) throws IOException;

  /** Renames, replacing; durable on return. */
  void rename(String from, String to) throws IOException;

  void delete(String name) throws IOException;

  /** Stores bytes in the folder beside the log that keeps what was cut from it; durable. */
  void keepAside(String name, byte[] data, int from, int count) throws IOException;

  /** Bytes that can still be written to the file system. */
  long usableSpace() throws IOException;

  /** Size of the file system in bytes, whatever is in it. */
  long totalSpace() throws IOException;

  /** One file. One writer; reads from any thread. */
  interface LogFile extends AutoCloseable {
    long size() throws IOException;

    /** Writes all of the buffer at the position. */
    void write(ByteBuffer data, long position) throws IOException;

    /** Reads up to the buffer's remaining bytes; fewer only at the end of the file. */
    int read(ByteBuffer into, long position) throws IOException;

    /** Makes what was written durable. */
    void force() throws IOException;

    void truncate(long size) throws IOException;

    @Override
    void close() throws IOException;
  }
}
