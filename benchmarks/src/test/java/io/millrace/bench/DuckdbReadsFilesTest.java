package io.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.WriteGroup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the engine writes is Parquet that another program reads: the same values in its own types.
 */
@NullUnmarked // values may be NULL
class DuckdbReadsFilesTest {
  private static final RegionId REGION = RegionId.of(new TableId(9), 0);

  @TempDir Path folder;

  /**
   * @param text the values as SQL writes them
   * @param seen what DuckDB makes of them, as text
   */
  private record Case(String name, SqlType type, List<String> text, List<String> seen) {
    static Case same(String name, SqlType type, String... values) {
      var list = new ArrayList<String>(List.of(values));
      list.add(null);
      return new Case(name, type, list, list);
    }

    static Case other(String name, SqlType type, String first, String second, String... seen) {
      var text = new ArrayList<String>(List.of(first, second));
      text.add(null);
      var expected = new ArrayList<String>(List.of(seen));
      expected.add(null);
      return new Case(name, type, text, expected);
    }
  }

  private static List<Case> cases() {
    return List.of(
        Case.same("b", SqlType.BOOL, "true", "false"),
        Case.same("i2", SqlType.INT2, "-32768", "32767"),
        Case.same("i4", SqlType.INT4, "-2147483648", "2147483647"),
        Case.same("i8", SqlType.INT8, "-9223372036854775808", "9223372036854775807"),
        Case.same("f4", SqlType.FLOAT4, "1.5", "-0.25"),
        Case.other("f8", SqlType.FLOAT8, "0.1", "NaN", "0.1", "nan"),
        Case.same("n", SqlType.NUMERIC, "123456789012345678901234567890.5", "-0.050"),
        Case.same("t", SqlType.TEXT, "grün \uD83D\uDE00", ""),
        Case.same("v", SqlType.varchar(8), "abc", "  x "),
        Case.other("y", SqlType.BYTEA, "\\x00ff41", "\\x", "\\x00\\xFFA", ""),
        Case.same(
            "u",
            SqlType.UUID,
            "00112233-4455-6677-8899-aabbccddeeff",
            "ffffffff-ffff-ffff-ffff-ffffffffffff"),
        Case.same("d", SqlType.DATE, "1969-12-31", "2024-02-29"),
        Case.same("tm", SqlType.TIME, "23:59:59.999999", "00:00:00"),
        Case.other(
            "t0",
            SqlType.of(TypeKind.TIMESTAMP, 0),
            "2024-02-29 12:34:56",
            "1969-12-31 23:59:59",
            "2024-02-29 12:34:56",
            "1969-12-31 23:59:59"),
        Case.same(
            "t3",
            SqlType.of(TypeKind.TIMESTAMP, 3),
            "2024-02-29 12:34:56.789",
            "1969-12-31 23:59:59.001"),
        Case.same("t6", SqlType.TIMESTAMP, "2024-02-29 12:34:56.789012", "1900-01-01 00:00:00"),
        Case.same(
            "t9", SqlType.TIMESTAMP_NS, "2024-02-29 12:34:56.789012345", "1970-01-01 00:00:00"),
        Case.other(
            "tz",
            SqlType.TIMESTAMPTZ,
            "2024-02-29 12:34:56+02",
            "1969-12-31 23:59:59+00",
            "2024-02-29 10:34:56+00",
            "1969-12-31 23:59:59+00"),
        Case.same("j", SqlType.JSON, "{\"a\": [1, null]}", "2"),
        // Parquet's interval has no microseconds: months and days of 4 bytes, microseconds of 8.
        Case.other(
            "iv",
            SqlType.INTERVAL,
            "1 mon 2 days 00:00:00.000003",
            "-1 mon",
            "\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x03" + "\\x00".repeat(7),
            "\\xFF\\xFF\\xFF\\xFF" + "\\x00".repeat(12)));
  }

  private static Vector vector(SqlType type, List<String> values) {
    VectorBuilder b = VectorBuilder.of(type, values.size());
    for (String v : values) {
      if (v == null) {
        b.appendNull();
      } else {
        byte[] bytes = v.getBytes(StandardCharsets.UTF_8);
        TypeCodecs.of(type).parseText(bytes, 0, bytes.length, b, SessionFormat.DEFAULT);
      }
    }
    return b.build();
  }

  private void write(List<Case> cases) {
    var columns = new ArrayList<ColumnSchema>();
    var vectors = new ArrayList<Vector>();
    columns.add(new ColumnSchema(1, "host", SqlType.TEXT, SemanticType.TAG, true, null));
    vectors.add(vector(SqlType.TEXT, List.of("a", "b", "c")));
    columns.add(new ColumnSchema(2, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null));
    vectors.add(
        vector(SqlType.TIMESTAMP, List.of("2026-01-01 00:00:00", "2026-01-02", "2026-01-03")));
    for (Case c : cases) {
      int id = columns.size() + 1;
      columns.add(new ColumnSchema(id, c.name, c.type, SemanticType.FIELD, true, null));
      vectors.add(vector(c.type, c.text));
    }
    var schema = new TableSchema(1, columns, List.of(1), 2);
    try (RegionEngine engine =
        RegionEngines.open(folder, EngineConfig.DEFAULT, RegionEngines.localEnvironment(1))) {
      engine.openGate();
      engine.request(new RegionRequest.Create(REGION, schema, RegionOptions.DEFAULT)).join();
      List<Integer> ids = IntStream.rangeClosed(1, columns.size()).boxed().toList();
      var rows = new RegionWrite(REGION, 1, OpType.PUT, ids, new Batch(vectors, 3));
      engine.commit(WriteGroup.of(List.of(rows))).join();
      engine.request(new RegionRequest.Flush(REGION, "test")).join();
    }
  }

  @Test
  void everyTypeComesThroughWithItsMeaning() throws SQLException {
    List<Case> cases = cases();
    write(cases);
    String files = "read_parquet('" + folder + "/**/*.parquet')";
    try (var connection = DriverManager.getConnection("jdbc:duckdb:");
        var statement = connection.createStatement()) {
      statement.execute("SET TimeZone = 'UTC'");
      for (Case c : cases) {
        var seen = new ArrayList<String>();
        String sql = "SELECT CAST(\"%s\" AS VARCHAR) FROM %s ORDER BY host";
        try (ResultSet r = statement.executeQuery(sql.formatted(c.name, files))) {
          while (r.next()) {
            seen.add(r.getString(1));
          }
        }
        assertThat(seen).as(c.name).isEqualTo(c.seen);
      }
      String types =
          "SELECT typeof(ts), typeof(t9), typeof(tz), typeof(d), typeof(tm), typeof(u), typeof(t)"
              + " FROM %s LIMIT 1";
      try (ResultSet r = statement.executeQuery(types.formatted(files))) {
        assertThat(r.next()).isTrue();
        assertThat(IntStream.rangeClosed(1, 7).mapToObj(i -> string(r, i)))
            .containsExactly(
                "TIMESTAMP",
                "TIMESTAMP_NS",
                "TIMESTAMP WITH TIME ZONE",
                "DATE",
                "TIME",
                "UUID",
                "VARCHAR");
      }
      String own = "SELECT __sequence, __op_type FROM %s WHERE host = 'b'";
      try (ResultSet r = statement.executeQuery(own.formatted(files))) {
        assertThat(r.next()).isTrue();
        assertThat(r.getLong(1)).isEqualTo(2);
        assertThat(r.getInt(2)).isEqualTo(OpType.PUT.code());
      }
    }
  }

  private static String string(ResultSet r, int column) {
    try {
      return r.getString(column);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
