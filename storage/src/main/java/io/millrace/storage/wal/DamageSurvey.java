package io.millrace.storage.wal;

import io.millrace.common.batch.Words;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Looks for whole records behind damage in a segment. A place is tried when its length fits the
 * file and its position is above the highest seen, by not too much; the checksum decides.
 */
final class DamageSurvey {
  private final long segment;
  private final byte[] data;
  private final long slack;
  private long highest;
  private boolean complete = true;

  DamageSurvey(long segment, byte[] data, long highest, long slack) {
    this.segment = segment;
    this.data = data;
    this.highest = highest;
    this.slack = slack;
  }

  /** Largest position found. */
  long highest() {
    return highest;
  }

  /**
   * Whether every byte belonged to a record that could be read, or was zero, and each record's
   * position followed the one before.
   */
  boolean complete() {
    return complete;
  }

  void run(int from, Consumer<LogRecord> records) {
    int at = from + 7 & ~7;
    while (at + SegmentFormat.RECORD_HEADER + LogRecord.HEADER <= data.length) {
      int length = Words.getInt(data, at);
      if (plausible(at, length) && passes(at, length)) {
        take(at, length, records);
        at += (int) SegmentFormat.framed(length);
      } else {
        complete &= Words.getLong(data, at) == 0;
        at += 8;
      }
    }
  }

  private boolean plausible(int at, int length) {
    if (length < LogRecord.HEADER || length > data.length - at - SegmentFormat.RECORD_HEADER) {
      return false;
    }
    long position = Words.getLong(data, at + SegmentFormat.RECORD_HEADER);
    return position > highest && position - highest < slack;
  }

  private boolean passes(int at, int length) {
    CRC32C crc = SegmentFormat.seeded(segment, at, length);
    crc.update(data, at + SegmentFormat.RECORD_HEADER, length);
    return (int) crc.getValue() == Words.getInt(data, at + 4);
  }

  private void take(int at, int length, Consumer<LogRecord> records) {
    LogRecord record = SegmentFormat.parse(data, at + SegmentFormat.RECORD_HEADER, length);
    complete &= record.position() == highest + 1;
    highest = record.position();
    records.accept(record);
  }
}
