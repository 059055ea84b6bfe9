package io.millrace.storage.read;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorConcat;
import io.millrace.common.type.SqlType;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last row of every series of a file, as a chunk: row i is that of series i of the file's
 * index. Columns are gathered from the file's pages when a reader asks for them, and kept in the
 * page cache, since a page holds the last rows of few series.
 */
final class LastRows extends Chunk {
  private final SstFile file;
  private final ReadSchema schema;
  private final SeriesIndex index;
  private final FileLookup.FileRows places;
  private final boolean plainOps;
  private final ScanCounters counters;
  private final Map<Integer, Vector> loaded = new HashMap<>();
  private byte @Nullable [] ops;
  private boolean opsLoaded;

  /**
   * @param plainOps all its rows are PUTs, or as good as that
   */
  LastRows(
      SstFile file,
      ReadSchema schema,
      SeriesIndex index,
      FileLookup.FileRows places,
      boolean plainOps,
      ScanCounters counters) {
    super(index.size);
    this.file = file;
    this.schema = schema;
    this.index = index;
    this.places = places;
    this.plainOps = plainOps;
    this.counters = counters;
  }

  @Override
  Vector tag(int tag) {
    return index.tags.get(tag);
  }

  @Override
  long[] time() {
    return index.lastTimes;
  }

  @Override
  long[] sequence() {
    return ((LongVector) column(SstFile.SEQUENCE_ID)).values();
  }

  @Override
  byte @Nullable [] op() {
    if (!opsLoaded && !plainOps) {
      var v = (IntVector) column(SstFile.OP_TYPE_ID);
      byte[] o = new byte[rows];
      for (int i = 0; i < rows; i++) {
        o[i] = (byte) v.get(i);
      }
      ops = normal(o, rows, schema.lastRow);
    }
    opsLoaded = true;
    return ops;
  }

  @Override
  @Nullable Vector field(int columnId) {
    return file.has(columnId) ? column(columnId) : null;
  }

  private Vector column(int columnId) {
    Vector have = loaded.get(columnId);
    if (have == null) {
      // A staged file is given its sequence later: that column is not the file's.
      boolean kept = columnId != SstFile.SEQUENCE_ID;
      int kind = SeriesIndex.kind(schema) + 1;
      List<Vector> stored = kept ? file.derived(kind, columnId) : null;
      have = stored == null ? gathered(columnId) : stored.getFirst();
      if (kept && stored == null) {
        file.keepDerived(kind, columnId, List.of(have));
      }
      loaded.put(columnId, have);
    }
    return have;
  }

  private Vector gathered(int columnId) {
    SqlType type = file.type(columnId);
    @Nullable Vector[] sources = new Vector[rows];
    int[] from = new int[rows];
    int[] count = new int[rows];
    Arrays.fill(count, 1);
    int last = -1;
    Vector block = null;
    for (int i = 0; i < rows; i++) {
      int row = index.last(i);
      int b = places.blockOf(row);
      if (b != last || block == null) {
        int group = places.group(row);
        int inGroup = places.blockInGroup(row);
        counters.page(file.cached(columnId, group, inGroup));
        block = file.blockOnce(columnId, group, inGroup);
        last = b;
      }
      sources[i] = block;
      from[i] = places.place(row);
    }
    return VectorConcat.concat(type, sources, from, count, rows);
  }
}
