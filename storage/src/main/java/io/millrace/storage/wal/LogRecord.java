package io.millrace.storage.wal;

import java.util.List;

/** A commit in the log: everything that it did, in all regions. */
public record LogRecord(long position, List<LogPart> parts) {
  public LogRecord {
    parts = List.copyOf(parts);
  }

  /** Bytes of a record before its parts: position, number of parts. */
  static final int HEADER = 8 + 4;

  /** Size of the body of a record with the given parts. */
  public static long bodySize(List<LogPart> parts) {
    long n = HEADER;
    for (LogPart p : parts) {
      n += LogPart.HEADER + p.payloadSize();
    }
    return n;
  }
}
