package io.millrace.storage.read;

import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.cache.PageCache;
import io.millrace.storage.sst.SstInput;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstStore;
import io.millrace.storage.sst.parquet.SstFile;
import io.millrace.storage.sst.parquet.SstProbe;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads files whole to tell whether they are sound: every page passes its checksum and decodes, and
 * the rows are in order. Reads past the page cache of queries. Blocks; any thread.
 */
public final class FileCheck {
  private static final long CACHE = 8L << 20;
  private final SstStore store;

  public FileCheck(SstStore store) {
    this.store = store;
  }

  /** Whether a file that the manifest names cannot be read. */
  public boolean damaged(RegionId region, SstMeta meta) {
    try {
      SstInput in = store.open(region, meta.fileId());
      try (var file = opened(in, meta)) {
        for (int group = 0; group < file.groups(); group++) {
          for (int block = 0; block < file.blocks(group); block++) {
            for (int id : file.columnIds()) {
              file.block(id, group, block);
            }
          }
        }
      }
      return false;
    } catch (MillraceException e) {
      return true;
    }
  }

  private static SstFile opened(SstInput in, SstMeta meta) {
    SstFile file = null;
    try {
      file = SstFile.open(in, meta, new PageCache(CACHE));
      return file;
    } finally {
      if (file == null) {
        in.close();
      }
    }
  }

  /**
   * What the manifest is to know of a file that it has not named so far. INVALID_PARAMETER_VALUE if
   * the region cannot take it, DATA_CORRUPTED if it is not sound.
   */
  public SstMeta admit(RegionId region, String fileId, TableSchema schema, RegionOptions options) {
    SstInput in = store.open(region, fileId);
    SstMeta probed;
    boolean done = false;
    try {
      probed = SstProbe.probe(in, fileId);
      done = true;
    } finally {
      if (!done) {
        in.close();
      }
    }
    try (var file = opened(in, probed)) {
      fits(file, probed, schema);
      var seen = new Seen(fileId, file, schema, !options.appendMode());
      seen.read();
      return new SstMeta(
          fileId,
          probed.schemaVersion(),
          probed.rows(),
          probed.bytes(),
          seen.minTime,
          seen.maxTime,
          seen.minSequence,
          seen.maxSequence,
          0,
          probed.multiVersion(),
          probed.tombstones(),
          false,
          0,
          0,
          probed.rowGroups(),
          probed.footerLength(),
          probed.footerCrc());
    }
  }

  private static void fits(SstFile file, SstMeta probed, TableSchema schema) {
    if (probed.rows() == 0) {
      throw unfit(probed.fileId(), "it has no rows");
    }
    if (probed.schemaVersion() > schema.version()) {
      throw unfit(probed.fileId(), "its schema is newer than the region's");
    }
    for (int id : file.columnIds()) {
      ColumnSchema known = null;
      for (ColumnSchema c : schema.columns()) {
        known = c.id() == id ? c : known;
      }
      if (id >= 0 && (known == null || !known.type().equals(file.type(id)))) {
        throw unfit(probed.fileId(), "the region has no such column as its column " + id);
      }
    }
    var key = new ArrayList<>(schema.tagIds());
    key.add(schema.timeIndexId());
    for (int id : key) {
      if (!file.has(id)) {
        throw unfit(probed.fileId(), "it lacks key column " + id);
      }
    }
  }

  private static MillraceException unfit(String fileId, String why) {
    return new MillraceException(
        ErrorCode.INVALID_PARAMETER_VALUE, "file \"" + fileId + "\" cannot be added: " + why);
  }

  /** Reads a file from its first row to its last. */
  private static final class Seen {
    private final String fileId;
    private final SstFile file;
    private final TableSchema schema;
    private final boolean distinct;
    private List<Vector> lastTags = List.of();
    private int lastRow;
    private long lastTime;
    private boolean first = true;
    private long minTime = Long.MAX_VALUE;
    private long maxTime = Long.MIN_VALUE;
    private long minSequence = Long.MAX_VALUE;
    private long maxSequence = Long.MIN_VALUE;

    Seen(String fileId, SstFile file, TableSchema schema, boolean distinct) {
      this.fileId = fileId;
      this.file = file;
      this.schema = schema;
      this.distinct = distinct;
    }

    void read() {
      for (int group = 0; group < file.groups(); group++) {
        for (int block = 0; block < file.blocks(group); block++) {
          for (int id : file.columnIds()) {
            file.block(id, group, block);
          }
          keys(group, block);
        }
      }
    }

    private void keys(int group, int block) {
      var tags = new ArrayList<Vector>();
      for (int id : schema.tagIds()) {
        tags.add(file.block(id, group, block));
      }
      long[] times = ReadSchema.times(file.block(schema.timeIndexId(), group, block));
      var sequences = (LongVector) file.block(SstFile.SEQUENCE_ID, group, block);
      int n = file.blockRows(group, block);
      for (int i = 0; i < n; i++) {
        if (!first) {
          follows(tags, i, times[i]);
        }
        first = false;
        lastTags = tags;
        lastRow = i;
        lastTime = times[i];
        minTime = Math.min(minTime, times[i]);
        maxTime = Math.max(maxTime, times[i]);
        minSequence = Math.min(minSequence, sequences.get(i));
        maxSequence = Math.max(maxSequence, sequences.get(i));
      }
    }

    private void follows(List<Vector> tags, int row, long time) {
      int c = 0;
      for (int t = 0; t < tags.size() && c == 0; t++) {
        c = KeyList.Keys.compare(lastTags.get(t), lastRow, tags.get(t), row);
      }
      c = c == 0 ? Long.compare(lastTime, time) : c;
      if (c > 0) {
        throw new MillraceException(
            ErrorCode.DATA_CORRUPTED, "file \"" + fileId + "\" is not a sound SST: not in order");
      }
      if (c == 0 && distinct) {
        throw unfit(fileId, "a key has several versions in it");
      }
    }
  }
}
