package io.millrace.storage.sst.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import io.millrace.common.batch.Batch;
import io.millrace.common.type.SqlType;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.read.TestRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.RecordReader;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are plain Parquet: the stock reader reads them, checksums on. */
@NullUnmarked // rows hold nulls
class StockReaderTest {
  @TempDir Path dir;

  /** ZSTD without Hadoop. */
  private static final class Codecs implements CompressionCodecFactory {
    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName name) {
      return new BytesInputDecompressor() {
        @Override
        public BytesInput decompress(BytesInput bytes, int size) throws IOException {
          byte[] in = bytes.toInputStream().readAllBytes();
          byte[] out = new byte[size];
          Zstd.decompressByteArray(out, 0, size, in, 0, in.length);
          return BytesInput.from(out);
        }

        @Override
        public void decompress(ByteBuffer in, int inSize, ByteBuffer out, int outSize) {
          byte[] b = new byte[inSize];
          in.get(b);
          byte[] o = new byte[outSize];
          Zstd.decompressByteArray(o, 0, outSize, b, 0, inSize);
          out.put(o);
        }

        @Override
        public void release() {}
      };
    }

    @Override
    public void release() {}
  }

  @Test
  void theStockReaderSeesTheSameRows() throws Exception {
    int n = 130_000;
    try (var region = new TestRegion(TestRegion.cpu(), RegionOptions.DEFAULT)) {
      var hosts = new Object[n];
      var times = new Object[n];
      var v = new Object[n];
      var ints = new Object[n];
      var s = new Object[n];
      for (int i = 0; i < n; i++) {
        hosts[i] = i % 10 == 9 ? null : "host" + i % 10;
        times[i] = 1_000_000L + i / 10 * 10L;
        v[i] = i % 3 == 0 ? null : i * 0.37;
        ints[i] = (long) i * i;
        s[i] = i % 5 == 0 ? null : "text " + i;
      }
      region.write(
          OpType.PUT,
          List.of(1, 2, 3, 4, 5),
          new Batch(
              List.of(
                  TestRegion.vector(SqlType.TEXT, hosts),
                  TestRegion.vector(SqlType.TIMESTAMP, times),
                  TestRegion.vector(SqlType.FLOAT8, v),
                  TestRegion.vector(SqlType.INT8, ints),
                  TestRegion.vector(SqlType.TEXT, s)),
              n));
      region.flush(List.of(), false);
      Path p = dir.resolve("f.parquet");
      Files.write(p, region.store.files.get(region.files().getFirst().fileId()));
      var options =
          ParquetReadOptions.builder(new PlainParquetConfiguration())
              .withCodecFactory(new Codecs())
              .usePageChecksumVerification(true)
              .build();
      int seen = 0;
      try (var reader = ParquetFileReader.open(new LocalInputFile(p), options)) {
        var schema = reader.getFileMetaData().getSchema();
        assertThat(reader.getRowGroups()).hasSize(2);
        assertThat(schema.getFields().stream().map(f -> f.getName()).toList())
            .containsExactly("host", "ts", "v", "n", "s", "__sequence", "__op_type");
        assertThat(schema.getType("v").getId().intValue()).isEqualTo(3);
        assertThat(reader.readColumnIndex(reader.getRowGroups().getFirst().getColumns().get(1)))
            .isNotNull();
        String last = "";
        long lastTime = 0;
        for (PageReadStore ps = reader.readNextRowGroup();
            ps != null;
            ps = reader.readNextRowGroup()) {
          RecordReader<Group> records =
              new ColumnIOFactory()
                  .getColumnIO(schema)
                  .getRecordReader(ps, new GroupRecordConverter(schema));
          for (long k = 0; k < ps.getRowCount(); k++) {
            Group g = records.read();
            int i = (int) g.getLong("__sequence", 0) - 1;
            String host = text(g, "host");
            assertThat(host).isEqualTo(hosts[i]);
            assertThat(g.getLong("ts", 0)).isEqualTo(times[i]);
            assertThat(g.getFieldRepetitionCount("v") == 0 ? null : g.getDouble("v", 0))
                .isEqualTo(v[i]);
            assertThat(g.getLong("n", 0)).isEqualTo(ints[i]);
            assertThat(text(g, "s")).isEqualTo(s[i]);
            assertThat(g.getInteger("__op_type", 0)).isEqualTo(1);
            String order = host == null ? "z" : host;
            assertThat(order.compareTo(last)).isNotNegative();
            if (order.equals(last)) {
              assertThat(g.getLong("ts", 0)).isGreaterThan(lastTime);
            }
            last = order;
            lastTime = g.getLong("ts", 0);
            seen++;
          }
        }
      }
      assertThat(seen).isEqualTo(n);
    }
  }

  private static String text(Group g, String field) {
    return g.getFieldRepetitionCount(field) == 0 ? null : g.getString(field, 0);
  }
}
