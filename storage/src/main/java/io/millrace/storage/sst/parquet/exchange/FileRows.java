package io.millrace.storage.sst.parquet.exchange;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ParquetReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/*
 * A Parquet file by columns: of each row group every column is read value by value into vectors.
 *
 * Definition levels tell NULLs: a value is there at the highest level. Of a list (one repeated group
 * in an optional group) the level of the group itself is a list without elements, one below NULL, and
 * a repetition level above zero goes on with the list of the row.
 */
final class FileRows implements ParquetReader {
  /**
   * A column.
   *
   * @param list level at which a list is not NULL; -1 for what is no list
   */
  private record Field(
      String name, ColumnDescriptor leaf, ColumnIn values, SqlType type, int list) {}

  private final ParquetFileReader file;
  private final MessageType schema;
  private final List<Field> fields = new ArrayList<>();
  private List<ColumnReader> columns = List.of();
  private long left;

  FileRows(ParquetFileReader file) {
    this.file = file;
    schema = file.getFileMetaData().getSchema();
    for (Type t : schema.getFields()) {
      fields.add(field(t));
    }
  }

  private Field field(Type t) {
    var path = new ArrayList<String>();
    path.add(t.getName());
    Type leaf = t;
    while (leaf instanceof GroupType g) {
      if (g.getFieldCount() != 1) {
        throw nested(t);
      }
      leaf = g.getType(0);
      path.add(leaf.getName());
    }
    ColumnDescriptor column = schema.getColumnDescription(path.toArray(String[]::new));
    ColumnIn in = ColumnIn.of(leaf.asPrimitiveType());
    if (t.isPrimitive() && column.getMaxRepetitionLevel() == 0) {
      return new Field(t.getName(), column, in, in.type(), -1);
    }
    if (column.getMaxRepetitionLevel() != 1 || path.size() > 3) {
      throw nested(t);
    }
    int list = t.isRepetition(Type.Repetition.OPTIONAL) ? 1 : 0;
    return new Field(t.getName(), column, in, SqlType.arrayOf(in.type()), list);
  }

  private static MillraceException nested(Type t) {
    return new MillraceException(
        ErrorCode.FEATURE_NOT_SUPPORTED,
        "column \"" + t.getName() + "\" of the Parquet file is nested");
  }

  @Override
  public List<String> names() {
    return fields.stream().map(Field::name).toList();
  }

  @Override
  public List<SqlType> types() {
    return fields.stream().map(Field::type).toList();
  }

  @Override
  public @Nullable Batch next(int rows) {
    try {
      while (left == 0) {
        if (!group()) {
          return null;
        }
      }
      int n = (int) Math.min(left, rows);
      var out = new ArrayList<Vector>(fields.size());
      for (int c = 0; c < columns.size(); c++) {
        out.add(read(fields.get(c), columns.get(c), n));
      }
      left -= n;
      return new Batch(out, n);
    } catch (IOException | RuntimeException e) {
      throw Exchange.damaged(e);
    }
  }

  private boolean group() throws IOException {
    PageReadStore pages = file.readNextRowGroup();
    if (pages == null) {
      return false;
    }
    left = pages.getRowCount();
    var store =
        new ColumnReadStoreImpl(
            pages, new NoRows(schema), schema, file.getFileMetaData().getCreatedBy());
    var all = new ArrayList<ColumnReader>();
    for (Field f : fields) {
      all.add(store.getColumnReader(f.leaf()));
    }
    columns = all;
    return true;
  }

  private static Vector read(Field f, ColumnReader r, int rows) {
    VectorBuilder b = VectorBuilder.of(f.type(), rows);
    int full = f.leaf().getMaxDefinitionLevel();
    for (int i = 0; i < rows; i++) {
      if (f.list() >= 0) {
        list(f, r, (VectorBuilder.ArrayRows) b);
        continue;
      }
      if (r.getCurrentDefinitionLevel() == full) {
        f.values().take().take(r, b);
      } else {
        b.appendNull();
      }
      r.consume();
    }
    return b.build();
  }

  private static void list(Field f, ColumnReader r, VectorBuilder.ArrayRows b) {
    int level = r.getCurrentDefinitionLevel();
    if (level < f.list()) {
      b.appendNull();
      r.consume();
      return;
    }
    if (level == f.list()) {
      b.endRow(null);
      r.consume();
      return;
    }
    int full = f.leaf().getMaxDefinitionLevel();
    do {
      if (r.getCurrentDefinitionLevel() == full) {
        f.values().take().take(r, b.elements());
      } else {
        b.elements().appendNull();
      }
      r.consume();
    } while (r.getCurrentRepetitionLevel() > 0);
    b.endRow(null);
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw Exchange.damaged(e);
    }
  }

  /** Columns are read by themselves, so that nothing is converted to rows. */
  private static final class NoRows extends GroupConverter {
    private final GroupType type;

    NoRows(GroupType type) {
      this.type = type;
    }

    @Override
    public Converter getConverter(int field) {
      Type t = type.getType(field);
      return t.isPrimitive() ? new PrimitiveConverter() {} : new NoRows(t.asGroupType());
    }

    @Override
    public void start() {}

    @Override
    public void end() {}
  }
}
