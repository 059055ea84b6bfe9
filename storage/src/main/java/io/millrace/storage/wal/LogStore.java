package io.millrace.storage.wal;

/**
 * The write-ahead log: commit records in order of position, appended by one thread. A failure to
 * write or force leaves the log unusable for appending; the caller must not append again.
 */
public interface LogStore extends AutoCloseable {
  /**
   * Makes room for a record of that body size. Throws DISK_FULL, with nothing changed, if there is
   * none; IO_ERROR when the log is broken.
   *
   * @param urgent a small segment will do, and a failed attempt just before does not matter
   */
  void ensureRoom(long bodySize, boolean urgent);

  /** Queues a record for which there is room. Positions grow. */
  void stage(LogRecord record);

  /** Hands what is staged to the file system. */
  void write();

  /** Makes what was written durable. */
  void force();

  /** Drops segments of which every record is below the position. Any thread. */
  void trim(long position);

  /** Bytes of all segments. Any thread. */
  long bytes();

  /** A record found no room, and none has been taken since. Any thread. */
  boolean full();

  /** Last position in the log's oldest segment; 0 if only one is left. Any thread. */
  long oldestSegmentEnd();

  @Override
  void close();
}
