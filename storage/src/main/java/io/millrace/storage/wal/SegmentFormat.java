package io.millrace.storage.wal;

import io.millrace.common.batch.Words;
import io.millrace.common.id.RegionId;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import java.util.ArrayList;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/*
 * A segment file, version 1, little-endian.
 *
 *   header, 64 bytes: magic "MRWALSEG", version i4, least reader i4, segment i8, first position i8,
 *                     last position of the segment before i8 (0 none), CRC32C of these 40 bytes i4
 *   records, each at a multiple of 8:
 *                     body length i4, CRC32C i4, body
 *   body:             position i8, number of parts i4, parts
 *   part:             region i8, first sequence i8, rows i4, schema version i4, kind i4,
 *                     first row id i8, payload length i4, payload
 *
 * The checksum covers segment number, offset, length and body, so that a record that lies where it
 * was not written never passes. A length of 0 is the end: the file is preallocated with zeros.
 */
final class SegmentFormat {
  static final int HEADER = 64;
  static final int RECORD_HEADER = 8;
  static final int VERSION = 1;
  private static final long MAGIC = 0x4745534c4157524dL;
  private static final int HEADER_BYTES = 40;

  private SegmentFormat() {}

  /** The contents of a segment's header. */
  record Header(long segment, long firstPosition, long previousLast) {}

  static String name(long segment) {
    return String.format("%016x.log", segment);
  }

  /** The number in a segment's name; -1 for other names. */
  static long number(String name) {
    if (name.length() != 20 || !name.endsWith(".log")) {
      return -1;
    }
    try {
      return Long.parseLong(name, 0, 16, 16);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  static byte[] header(Header h) {
    var w = new ByteWriter(HEADER);
    w.i8(MAGIC).i4(VERSION).i4(VERSION);
    w.i8(h.segment()).i8(h.firstPosition()).i8(h.previousLast());
    w.i4(crc(w.array(), 0, HEADER_BYTES));
    w.skip(HEADER - w.size());
    return w.toBytes();
  }

  /** The header, or null if the bytes are none of this version. */
  static @Nullable Header parseHeader(byte[] b, int size) {
    if (size < HEADER
        || Words.getLong(b, 0) != MAGIC
        || Words.getInt(b, HEADER_BYTES) != crc(b, 0, HEADER_BYTES)
        || Words.getInt(b, 12) > VERSION) {
      return null;
    }
    return new Header(Words.getLong(b, 16), Words.getLong(b, 24), Words.getLong(b, 32));
  }

  private static int crc(byte[] b, int from, int count) {
    var crc = new CRC32C();
    crc.update(b, from, count);
    return (int) crc.getValue();
  }

  static long framed(long bodySize) {
    return RECORD_HEADER + bodySize + 7 & ~7L;
  }

  /** A checksum that has taken in where the record lies. */
  static CRC32C seeded(long segment, long offset, int bodySize) {
    byte[] seed = new byte[20];
    Words.putLong(seed, 0, segment);
    Words.putLong(seed, 8, offset);
    Words.putInt(seed, 16, bodySize);
    var crc = new CRC32C();
    crc.update(seed, 0, seed.length);
    return crc;
  }

  static void partHeader(ByteWriter w, LogPart p) {
    w.i8(p.region().value()).i8(p.firstSequence()).i4(p.rows()).i4(p.schemaVersion());
    w.i4(p.kind().code()).i8(p.firstRowId()).i4(p.payloadSize());
  }

  static LogRecord parse(byte[] body, int from, int size) {
    var r = new ByteReader(body, from, size);
    long position = r.i8();
    int n = r.i4();
    var parts = new ArrayList<LogPart>(Math.min(n, 64));
    for (int i = 0; i < n; i++) {
      var region = new RegionId(r.i8());
      long first = r.i8();
      int rows = r.i4();
      int schemaVersion = r.i4();
      LogPart.Kind kind = LogPart.Kind.of(r.i4());
      long rowId = r.i8();
      int payload = r.i4();
      parts.add(
          new LogPart(region, first, rows, schemaVersion, kind, rowId, r.bytes(payload), payload));
    }
    return new LogRecord(position, parts);
  }
}
