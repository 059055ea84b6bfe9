package io.millrace.storage.sst.parquet.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.storage.ParquetFiles;
import io.millrace.storage.ParquetReader;
import io.millrace.storage.ParquetWriter;
import io.millrace.storage.read.TestRegion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Parquet files of our own and of other writers. */
@NullUnmarked // rows hold nulls
class ExchangeTest {
  @TempDir Path dir;

  private static String text(Vector v, int row) {
    if (v.isNull(row)) {
      return "NULL";
    }
    var sink = new ByteSink(64);
    TypeCodecs.full(v.type(), () -> 0).writeText(v, row, sink, SessionFormat.DEFAULT);
    return sink.toString();
  }

  private static List<String> rows(ParquetReader reader, int piece) {
    var out = new ArrayList<String>();
    for (Batch b = reader.next(piece); b != null; b = reader.next(piece)) {
      for (int i = 0; i < b.rows(); i++) {
        var row = new ArrayList<String>();
        for (Vector v : b.columns()) {
          row.add(text(v, i));
        }
        out.add(String.join("|", row));
      }
    }
    return out;
  }

  @ParameterizedTest
  @EnumSource
  void whatIsWrittenIsReadInEveryCompressionAndPiece(ParquetFiles.Compression compression)
      throws IOException {
    int n = 10_000;
    var longs = new Object[n];
    var texts = new Object[n];
    for (int i = 0; i < n; i++) {
      longs[i] = i % 7 == 0 ? null : (long) i * i;
      texts[i] = i % 3 == 0 ? null : "text " + i % 10;
    }
    var batch =
        new Batch(
            List.of(TestRegion.vector(SqlType.INT8, longs), TestRegion.vector(SqlType.TEXT, texts)),
            n);
    Path file = dir.resolve("f.parquet");
    try (var out = Files.newOutputStream(file);
        ParquetWriter writer =
            ParquetFiles.create(
                out, List.of("n", "t"), List.of(SqlType.INT8, SqlType.TEXT), compression)) {
      writer.rows(batch, 0, 4000);
      writer.rows(batch, 4000, 5000);
    }
    try (ParquetReader reader = ParquetFiles.open(file)) {
      assertThat(reader.names()).containsExactly("n", "t");
      assertThat(reader.types()).containsExactly(SqlType.INT8, SqlType.TEXT);
      List<String> rows = rows(reader, 333);
      assertThat(rows).hasSize(9000);
      for (int i = 0; i < rows.size(); i++) {
        assertThat(rows.get(i))
            .isEqualTo(
                (longs[i] == null ? "NULL" : longs[i])
                    + "|"
                    + (texts[i] == null ? "NULL" : texts[i]));
      }
    }
  }

  /** The file was written by DuckDB 1.5 with Snappy; the values are those of its statement. */
  @Test
  void aFileOfAnotherWriterIsReadTypeByType() throws IOException {
    Path file = dir.resolve("duckdb.parquet");
    try (InputStream in = getClass().getResourceAsStream("/parquet/duckdb.parquet")) {
      Files.copy(in, file);
    }
    try (ParquetReader reader = ParquetFiles.open(file)) {
      assertThat(reader.types().stream().map(SqlType::sqlName))
          .containsExactly(
              "integer",
              "text",
              "double precision",
              "boolean",
              "timestamp without time zone",
              "timestamp with time zone",
              "date",
              "numeric",
              "numeric",
              "bytea",
              "integer[]",
              "uuid",
              "time without time zone",
              "smallint",
              "smallint",
              "real",
              "timestamp(9) without time zone",
              "timestamp without time zone",
              "interval",
              "numeric");
      assertThat(rows(reader, 100))
          .containsExactly(
              "1|a|1.5|t|2024-01-01 00:00:00.123456|2024-01-01 00:00:00+00|2024-02-29|12.34|7|\\xaa"
                  + "|{1,2,NULL}|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|12:34:56.5|1|2|1.25"
                  + "|2024-01-01 00:00:00.123456789|2024-01-01 00:00:00.123|1 mon 2 days 00:00:03"
                  + "|123456789012345678901234567.89",
              "2|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|{}|NULL|NULL|NULL|NULL|NULL|NULL|NULL"
                  + "|NULL|NULL",
              "3|long text|NaN|f|1969-12-31 23:59:59|1969-12-31 23:59:59+00|1900-01-01|-0.01"
                  + "|18446744073709551615|\\x|NULL|NULL|00:00:00|-1|-2|Infinity|NULL|NULL|NULL|-1.00");
    }
  }

  @Test
  void whatIsNoParquetFileIsRefused() throws IOException {
    Path file = dir.resolve("f.txt");
    Files.writeString(file, "a,b,c and more text than the shortest file has");
    assertThatThrownBy(() -> ParquetFiles.open(file))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_COPY_FILE_FORMAT));
  }
}
