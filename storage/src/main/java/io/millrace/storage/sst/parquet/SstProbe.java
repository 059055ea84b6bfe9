package io.millrace.storage.sst.parquet;

import io.millrace.common.batch.Words;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.sst.SstInput;
import io.millrace.storage.sst.SstMeta;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/** Finds out from a file itself what a manifest would know of it. */
public final class SstProbe {
  private static final int TRAILER = 8;

  private SstProbe() {}

  /**
   * Reads the footer. Times and sequences are not known yet: they are found by reading the rows.
   * DATA_CORRUPTED if it is no SST.
   */
  public static SstMeta probe(SstInput in, String fileId) {
    try {
      return read(in, fileId);
    } catch (MillraceException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "file \"" + fileId + "\" is not a sound SST", e);
    }
  }

  private static SstMeta read(SstInput in, String fileId) throws IOException {
    long size = in.length();
    byte[] trailer = new byte[TRAILER];
    in.read(size - TRAILER, trailer, 0, TRAILER);
    int length = Words.getInt(trailer, 0);
    for (int i = 0; i < SstFormat.MAGIC.length; i++) {
      if (trailer[4 + i] != SstFormat.MAGIC[i]) {
        throw new IllegalStateException("no Parquet file");
      }
    }
    byte[] tail = new byte[Math.addExact(length, TRAILER)];
    in.read(size - tail.length, tail, 0, tail.length);
    var crc = new CRC32C();
    crc.update(tail);
    FileMetaData footer = Util.readFileMetaData(new ByteArrayInputStream(tail, 0, length));
    String flags = value(footer, SstFormat.KEY_FLAGS);
    String schema = value(footer, SstFormat.KEY_SCHEMA);
    if (schema == null || flags == null) {
      throw new IllegalStateException("no file of ours");
    }
    List<String> set = List.of(flags.split(" "));
    return new SstMeta(
        fileId,
        Integer.parseInt(schema.split(" ", 3)[1]),
        footer.getNum_rows(),
        size,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        0,
        set.contains("multi_version"),
        set.contains("tombstones") || set.contains("cleared"),
        false,
        0,
        0,
        footer.getRow_groupsSize(),
        tail.length,
        (int) crc.getValue());
  }

  private static @Nullable String value(FileMetaData footer, String key) {
    List<KeyValue> pairs = footer.getKey_value_metadata();
    if (pairs != null) {
      for (KeyValue p : pairs) {
        if (key.equals(p.getKey())) {
          return p.getValue();
        }
      }
    }
    return null;
  }
}
