package io.millrace.storage.read;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.VirtualColumns;
import io.millrace.storage.memtable.InitialDefaults;
import io.millrace.storage.sst.parquet.SstFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A version's schema and merge rules, as reading needs them. Immutable. */
final class ReadSchema {
  /** Id under which chunks give the encoded sets of cleared columns. */
  static final int CLEARED = SstFile.CLEARED_ID;

  final TableSchema schema;
  final List<Integer> tagIds;
  private final List<SqlType> tagTypes;
  final int timeId;
  final SqlType timeType;

  /** Versions of a key merge; false for append mode. */
  final boolean merges;

  /** The newest row wins as a whole, so REPLACE is PUT. */
  final boolean lastRow;

  private final Map<Integer, Vector> defaults = new HashMap<>();

  ReadSchema(TableSchema schema, RegionOptions options) {
    this.schema = schema;
    this.tagIds = schema.tagIds();
    this.tagTypes =
        tagIds.stream().map(id -> Objects.requireNonNull(schema.byId(id)).type()).toList();
    this.timeId = schema.timeIndexId();
    this.timeType = schema.timeIndex().type();
    this.merges = !options.appendMode();
    this.lastRow = options.mergeMode() == RegionOptions.MergeMode.LAST_ROW;
    for (ColumnSchema c : schema.columns()) {
      Vector d = InitialDefaults.of(c);
      if (d != null) {
        defaults.put(c.id(), d);
      }
    }
  }

  int tagIndex(int columnId) {
    return tagIds.indexOf(columnId);
  }

  boolean isKey(int columnId) {
    return columnId == timeId || tagIds.contains(columnId);
  }

  SqlType type(int columnId) {
    return switch (columnId) {
      case VirtualColumns.SEQUENCE -> SqlType.INT8;
      case VirtualColumns.OP_TYPE -> SqlType.INT4;
      case CLEARED -> SqlType.BYTEA;
      default -> {
        ColumnSchema c = schema.byId(columnId);
        if (c == null) {
          throw new MillraceException(
              ErrorCode.UNDEFINED_COLUMN, "column with id " + columnId + " does not exist");
        }
        yield c.type();
      }
    };
  }

  /** A column of all rows of a chunk. */
  Vector column(Chunk c, int columnId) {
    switch (columnId) {
      case VirtualColumns.SEQUENCE -> {
        return new LongVector(SqlType.INT8, c.sequence(), c.rows, null);
      }
      case VirtualColumns.OP_TYPE -> {
        byte[] ops = c.op();
        int[] out = new int[c.rows];
        for (int i = 0; i < c.rows; i++) {
          out[i] = ops == null ? io.millrace.storage.OpType.PUT.code() : ops[i];
        }
        return new IntVector(SqlType.INT4, out, c.rows, null);
      }
      default -> {}
    }
    if (columnId == timeId) {
      return time(c.time(), c.rows);
    }
    int tag = tagIndex(columnId);
    SqlType type = type(columnId);
    Vector v = tag >= 0 ? c.tag(tag) : c.field(columnId);
    if (v == null) {
      return columnId == CLEARED ? nulls(type, c.rows) : absent(columnId, c.rows);
    }
    if (v.type().equals(type)) {
      return v;
    }
    return Conversions.sameValues(v.type(), type) ? v.withType(type) : Conversions.convert(v, type);
  }

  /** The values of a column in rows older than the column. */
  Vector absent(int columnId, int rows) {
    Vector d = defaults.get(columnId);
    return d == null ? nulls(type(columnId), rows) : d.take(new int[rows], rows);
  }

  boolean hasDefault(int columnId) {
    return defaults.containsKey(columnId);
  }

  static Vector nulls(SqlType type, int rows) {
    VectorBuilder b = VectorBuilder.of(type, rows);
    for (int i = 0; i < rows; i++) {
      b.appendNull();
    }
    return b.build();
  }

  Vector time(long[] values, int rows) {
    if (timeType.layout() == Layout.LONG) {
      return new LongVector(timeType, values, rows, null);
    }
    int[] out = new int[rows];
    for (int i = 0; i < rows; i++) {
      out[i] = (int) values[i];
    }
    return new IntVector(timeType, out, rows, null);
  }

  static long[] times(Vector v) {
    if (v instanceof LongVector l) {
      return l.values();
    }
    int[] in = ((IntVector) v).values();
    long[] out = new long[v.length()];
    for (int i = 0; i < out.length; i++) {
      out[i] = in[i];
    }
    return out;
  }

  /** A tag of all rows of a chunk, by its place in the key. */
  Vector tag(Chunk c, int tag) {
    return column(c, tagIds.get(tag));
  }

  List<SqlType> tagTypes() {
    return tagTypes;
  }

  SqlType tagType(int tag) {
    return tagTypes.get(tag);
  }
}
