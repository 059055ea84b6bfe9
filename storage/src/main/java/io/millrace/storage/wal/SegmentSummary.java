package io.millrace.storage.wal;

import io.millrace.common.batch.Words;
import io.millrace.common.id.RegionId;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/*
 * Which regions have entries in a segment: what must be known when the segment cannot be read any
 * more. Written beside a segment that will not change again; if it is missing or unreadable every
 * region counts as having entries there, so nothing depends on its being durable.
 *
 * A file of its own, little-endian: magic "MRWALSUM", version i4, segment i8, last position before
 * it i8, its last position i8, number of regions i4; for each: region i8, position of its last rows
 * i8, of its last entry that is no rows i8 (0 none); CRC32C i4.
 */
record SegmentSummary(long segment, long previousLast, long last, Map<RegionId, Last> regions) {
  private static final String SUFFIX = ".sum";
  private static final long MAGIC = 0x4d55534c4157524dL;
  private static final int VERSION = 1;
  private static final int HEADER = 8 + 4 + 8 + 8 + 8 + 4;
  private static final int ENTRY = 24;

  SegmentSummary {
    regions = Map.copyOf(regions);
  }

  /**
   * Last positions of a region.
   *
   * @param rows of rows; 0 none
   * @param other of what is no rows; 0 none
   */
  record Last(long rows, long other) {
    static final Last NONE = new Last(0, 0);

    Last and(Last o) {
      return new Last(Math.max(rows, o.rows), Math.max(other, o.other));
    }

    static Last of(LogPart.Kind kind, long position) {
      return kind == LogPart.Kind.WRITE ? new Last(position, 0) : new Last(0, position);
    }
  }

  /** A summary that grows with its segment. One thread. */
  static final class Gathering {
    private final long segment;
    private final long previousLast;
    private long last;
    private final Map<RegionId, Last> regions = new HashMap<>();

    Gathering(long segment, long previousLast) {
      this.segment = segment;
      this.previousLast = previousLast;
      this.last = previousLast;
    }

    void add(LogRecord record) {
      last = record.position();
      for (LogPart p : record.parts()) {
        regions.merge(p.region(), Last.of(p.kind(), last), Last::and);
      }
    }

    SegmentSummary end() {
      return new SegmentSummary(segment, previousLast, last, regions);
    }
  }

  static String name(long segment) {
    return String.format("%016x%s", segment, SUFFIX);
  }

  /** The number of the segment that the file is for; -1 for other names. */
  static long number(String name) {
    return name.endsWith(SUFFIX)
        ? SegmentFormat.number(name.substring(0, name.length() - SUFFIX.length()) + ".log")
        : -1;
  }

  byte[] toBytes() {
    var w = new ByteWriter(HEADER + ENTRY * regions.size() + 4);
    w.i8(MAGIC).i4(VERSION).i8(segment).i8(previousLast).i8(last).i4(regions.size());
    regions.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(e -> w.i8(e.getKey().value()).i8(e.getValue().rows()).i8(e.getValue().other()));
    w.i4(crc(w.array(), w.size()));
    return w.toBytes();
  }

  void store(LogFiles files) throws IOException {
    byte[] all = toBytes();
    String fresh = name(segment) + ".tmp";
    try (LogFiles.LogFile f = files.create(fresh, all.length)) {
      f.write(ByteBuffer.wrap(all), 0);
      f.force();
    }
    files.rename(fresh, name(segment));
  }

  /** The segment's summary; null if there is none that can be read. */
  static @Nullable SegmentSummary load(LogFiles files, long segment) throws IOException {
    String name = name(segment);
    if (!files.list().contains(name)) {
      return null;
    }
    try (LogFiles.LogFile f = files.open(name)) {
      byte[] b = new byte[Math.toIntExact(f.size())];
      int n = f.read(ByteBuffer.wrap(b), 0);
      return parse(b, n, segment);
    }
  }

  static @Nullable SegmentSummary parse(byte[] b, int n, long segment) {
    if (n < HEADER + 4
        || Words.getLong(b, 0) != MAGIC
        || Words.getInt(b, 8) > VERSION
        || Words.getLong(b, 12) != segment
        || Words.getInt(b, n - 4) != crc(b, n - 4)) {
      return null;
    }
    var r = new ByteReader(b, 20, n - 24);
    long previous = r.i8();
    long last = r.i8();
    int count = r.i4();
    var regions = new HashMap<RegionId, Last>();
    for (int i = 0; i < count; i++) {
      regions.put(new RegionId(r.i8()), new Last(r.i8(), r.i8()));
    }
    return new SegmentSummary(segment, previous, last, regions);
  }

  private static int crc(byte[] b, int count) {
    var crc = new CRC32C();
    crc.update(b, 0, count);
    return (int) crc.getValue();
  }
}
