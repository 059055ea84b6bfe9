package io.millrace.storage.sst.parquet.exchange;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ParquetWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/** Rows of batches as a Parquet file. */
final class RowFile implements ParquetWriter {
  private static final long GROUP_BYTES = 32L << 20;

  private final List<ColumnOut> columns = new ArrayList<>();
  private final MessageType schema;
  private final org.apache.parquet.hadoop.ParquetWriter<Cursor> writer;
  private final Cursor cursor = new Cursor();

  /** The row that is written now. */
  private static final class Cursor {
    Batch batch = new Batch(List.of(), 0);
    int row;
  }

  RowFile(
      OutputStream out, List<String> names, List<SqlType> types, CompressionCodecName compression)
      throws IOException {
    var fields = new ArrayList<Type>();
    for (int i = 0; i < names.size(); i++) {
      ColumnOut c = ColumnOut.of(names.get(i), types.get(i));
      columns.add(c);
      fields.add(c.field());
    }
    schema = new MessageType("row", fields);
    writer =
        new Builder(new Stream(out))
            .withConf(new PlainParquetConfiguration())
            .withCodecFactory(new PageCodecs())
            .withCompressionCodec(compression)
            .withRowGroupSize(GROUP_BYTES)
            .build();
  }

  @Override
  public void rows(Batch rows, int from, int count) {
    cursor.batch = rows;
    try {
      for (int i = from; i < from + count; i++) {
        cursor.row = i;
        writer.write(cursor);
      }
    } catch (IOException e) {
      throw Exchange.failed(e);
    }
  }

  @Override
  public void close() {
    try {
      writer.close();
    } catch (IOException e) {
      throw Exchange.failed(e);
    }
  }

  private final class Support extends WriteSupport<Cursor> {
    private @Nullable RecordConsumer consumer;

    @Override
    @SuppressWarnings("deprecation") // abstract still
    public WriteContext init(Configuration configuration) {
      return new WriteContext(schema, Map.of());
    }

    @Override
    public WriteContext init(ParquetConfiguration configuration) {
      return new WriteContext(schema, Map.of());
    }

    @Override
    public void prepareForWrite(RecordConsumer target) {
      consumer = target;
    }

    @Override
    public void write(Cursor at) {
      RecordConsumer to = Objects.requireNonNull(consumer);
      to.startMessage();
      for (int c = 0; c < columns.size(); c++) {
        Vector v = at.batch.column(c);
        if (!v.isNull(at.row)) {
          ColumnOut column = columns.get(c);
          to.startField(column.field().getName(), c);
          column.write(v, at.row, to);
          to.endField(column.field().getName(), c);
        }
      }
      to.endMessage();
    }
  }

  private final class Builder
      extends org.apache.parquet.hadoop.ParquetWriter.Builder<Cursor, Builder> {
    Builder(OutputFile file) {
      super(file);
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    @SuppressWarnings("deprecation") // abstract still
    protected WriteSupport<Cursor> getWriteSupport(Configuration configuration) {
      return new Support();
    }

    @Override
    protected WriteSupport<Cursor> getWriteSupport(ParquetConfiguration configuration) {
      return new Support();
    }
  }

  /** A stream that knows its position, and is closed by whoever opened it. */
  private static final class Stream implements OutputFile {
    private final OutputStream out;

    Stream(OutputStream out) {
      this.out = out;
    }

    @Override
    public PositionOutputStream create(long blockSizeHint) {
      return new PositionOutputStream() {
        private long at;

        @Override
        public long getPos() {
          return at;
        }

        @Override
        public void write(int b) throws IOException {
          out.write(b);
          at++;
        }

        @Override
        public void write(byte[] b, int off, int len) throws IOException {
          out.write(b, off, len);
          at += len;
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSizeHint) {
      return create(blockSizeHint);
    }

    @Override
    public boolean supportsBlockSize() {
      return false;
    }

    @Override
    public long defaultBlockSize() {
      return 0;
    }
  }
}
