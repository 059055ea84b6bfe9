package io.millrace.storage.wal;

import io.millrace.common.batch.Words;
import io.millrace.common.id.RegionId;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/*
 * What is known of damage in an earlier segment that nobody has accepted yet. Without it the next
 * start would take the records written since for records behind the damage. Beside the segments, as
 * a file of its own: magic "MRWALDMG", version i4, segment i8, offset i8, last good position i8, last
 * position behind the damage i8, regions, CRC32C.
 */
record DamageNote(
    long segment, long offset, long afterPosition, long lastPosition, Set<RegionId> regions) {
  private static final String NAME = "damage";
  private static final String NEW = "damage.tmp";
  private static final long MAGIC = 0x474d444c4157524dL;
  private static final int VERSION = 1;

  void store(LogFiles files) throws IOException {
    var w = new ByteWriter(64);
    w.i8(MAGIC).i4(VERSION).i8(segment).i8(offset).i8(afterPosition).i8(lastPosition);
    w.i4(regions.size());
    for (RegionId r : regions) {
      w.i8(r.value());
    }
    w.i4(crc(w.array(), w.size()));
    byte[] all = w.toBytes();
    try (LogFiles.LogFile f = files.create(NEW, all.length)) {
      f.write(ByteBuffer.wrap(all), 0);
      f.force();
    }
    files.rename(NEW, NAME);
  }

  /** The note that is there; null if there is none that can be read. */
  static @Nullable DamageNote load(LogFiles files) throws IOException {
    if (!files.list().contains(NAME)) {
      return null;
    }
    try (LogFiles.LogFile f = files.open(NAME)) {
      byte[] b = new byte[Math.toIntExact(f.size())];
      int n = f.read(ByteBuffer.wrap(b), 0);
      if (n < 52
          || Words.getLong(b, 0) != MAGIC
          || Words.getInt(b, 8) > VERSION
          || Words.getInt(b, n - 4) != crc(b, n - 4)) {
        return null;
      }
      var r = new ByteReader(b, 12, n - 16);
      long segment = r.i8();
      long offset = r.i8();
      long after = r.i8();
      long last = r.i8();
      int count = r.i4();
      var regions = new HashSet<RegionId>();
      for (int i = 0; i < count; i++) {
        regions.add(new RegionId(r.i8()));
      }
      return new DamageNote(segment, offset, after, last, Set.copyOf(regions));
    }
  }

  static void remove(LogFiles files) throws IOException {
    files.delete(NAME);
  }

  private static int crc(byte[] b, int count) {
    var crc = new CRC32C();
    crc.update(b, 0, count);
    return (int) crc.getValue();
  }
}
