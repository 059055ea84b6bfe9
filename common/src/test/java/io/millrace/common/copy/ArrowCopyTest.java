package io.millrace.common.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.arrow.ArrowReader;
import io.millrace.common.error.ErrorClass;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * COPY's format arrow. The stream was written by Arrow's own Java library: three rows of every
 * type, the second one NULL, in two record batches.
 */
class ArrowCopyTest {
  private static final List<String> NAMES =
      List.of(
          "b", "i1", "u2", "i4", "i8", "f4", "f8", "t", "lt", "bin", "uu", "d", "dm", "tm", "ts",
          "tms", "tz", "ns", "iv", "dec", "li", "color");
  private static final List<SqlType> TYPES =
      List.of(
          SqlType.BOOL,
          SqlType.INT2,
          SqlType.INT4,
          SqlType.INT4,
          SqlType.INT8,
          SqlType.FLOAT4,
          SqlType.FLOAT8,
          SqlType.TEXT,
          SqlType.TEXT,
          SqlType.BYTEA,
          SqlType.UUID,
          SqlType.DATE,
          SqlType.DATE,
          SqlType.TIME,
          SqlType.TIMESTAMP,
          SqlType.TIMESTAMP,
          SqlType.TIMESTAMPTZ,
          SqlType.TIMESTAMP_NS,
          SqlType.INTERVAL,
          SqlType.NUMERIC,
          SqlType.arrayOf(SqlType.INT4),
          SqlType.TEXT);

  private static final String FIRST =
      "t|-5|65535|-70000|1099511627776|1.5|3.141592653589793|grün|large|\\x0001ff"
          + "|00010203-0405-0607-0809-0a0b0c0d0e0f|2024-01-01|2024-01-01|01:02:03.000001"
          + "|2024-01-01 00:00:00.000001|2024-01-01 00:00:00.123|2024-01-01 00:00:00+00"
          + "|2024-01-01 00:00:00.000000123|1 year 2 mons 3 days 00:00:05|-12345678901.234|{1,2}"
          + "|green";
  private static final String THIRD =
      "f|7|1|9|-1|-0.25|NaN||x|\\x|00010203-0405-0607-0809-0a0b0c0d0e0f|1969-12-31|1969-12-31"
          + "|00:00:00|1969-12-31 23:59:59.999999|1970-01-01 00:00:00|1970-01-01 00:00:00+00"
          + "|1970-01-01 00:00:00|00:00:00|0.500|{}|red";

  private static byte[] stream() throws IOException {
    try (var in = ArrowCopyTest.class.getResourceAsStream("types.arrows")) {
      return Objects.requireNonNull(in).readAllBytes();
    }
  }

  private static CopyParser parser(List<String> names, List<SqlType> types, int limit) {
    CopyOptions options =
        CopyOptions.parse(
            List.of(new CopyOptions.Option("format", "arrow", List.of())), true, names);
    return CopyParser.of(options, "t", names, types, SessionFormat.DEFAULT, () -> 0, limit);
  }

  /** Feeds the stream in pieces and gives all rows as text. */
  private static List<String> rows(CopyParser p, List<SqlType> types, byte[] data, int piece) {
    var out = new ArrayList<String>();
    for (int from = 0; from < data.length; from += piece) {
      int at = from;
      int end = Math.min(data.length, from + piece);
      while (at < end) {
        at += p.feed(data, at, end - at);
        if (p.full()) {
          add(p.take(), types, out);
        }
      }
    }
    p.finish();
    add(p.take(), types, out);
    return out;
  }

  private static void add(Batch b, List<SqlType> types, List<String> out) {
    for (int r = 0; r < b.rows(); r++) {
      var cells = new ArrayList<String>();
      for (int c = 0; c < b.width(); c++) {
        Vector v = b.column(c);
        var sink = new ByteSink();
        if (!v.isNull(r)) {
          TypeCodecs.full(types.get(c), () -> 0).writeText(v, r, sink, SessionFormat.DEFAULT);
        }
        cells.add(v.isNull(r) ? "NULL" : sink.toString());
      }
      out.add(String.join("|", cells));
    }
  }

  private static final String NULLS = String.join("|", java.util.Collections.nCopies(22, "NULL"));

  @Test
  void everyTypeArrivesHoweverTheStreamIsCut() throws IOException {
    byte[] data = stream();
    for (int piece : new int[] {1, 7, 1000, data.length}) {
      for (int limit : new int[] {1, 2, 4096}) {
        assertThat(rows(parser(NAMES, TYPES, limit), TYPES, data, piece))
            .as("pieces of %s, batches of %s", piece, limit)
            .containsExactly(FIRST, NULLS, THIRD, FIRST, NULLS, THIRD);
      }
    }
  }

  /** The stream's batches written again, from a row on. */
  private static byte[] rewritten(List<SqlType> types, int from) throws IOException {
    CopyParser p = parser(NAMES, types, 6);
    byte[] data = stream();
    for (int at = 0; at < data.length && !p.full(); ) {
      at += p.feed(data, at, data.length - at);
    }
    Batch all = p.take();
    return copied(NAMES, types, all, from);
  }

  private static byte[] copied(List<String> names, List<SqlType> types, Batch rows, int from) {
    CopyOptions options =
        CopyOptions.parse(
            List.of(new CopyOptions.Option("format", "arrow", List.of())), false, names);
    var writer = new CopyWriter(options, names, types, SessionFormat.DEFAULT);
    var out = new ByteSink();
    writer.begin(out);
    writer.batch(rows, from, rows.rows() - from, out);
    writer.batch(rows, 0, 0, out);
    writer.end(out);
    return out.toByteArray();
  }

  @Test
  void whatIsWrittenIsReadAsItWas() throws IOException {
    assertThat(rows(parser(NAMES, TYPES, 10), TYPES, rewritten(TYPES, 0), 1000))
        .containsExactly(FIRST, NULLS, THIRD, FIRST, NULLS, THIRD);
    assertThat(rows(parser(NAMES, TYPES, 10), TYPES, rewritten(TYPES, 2), 1000))
        .containsExactly(THIRD, FIRST, NULLS, THIRD);
  }

  @Test
  void numericsOfAPrecisionAreDecimals() throws IOException {
    for (SqlType numeric : List.of(SqlType.numeric(14, 3), SqlType.numeric(60, 3))) {
      var types = new ArrayList<>(TYPES);
      types.set(NAMES.indexOf("dec"), numeric);
      byte[] data = rewritten(types, 0);
      assertThat(rows(parser(NAMES, types, 10), types, data, 1000))
          .containsExactly(FIRST, NULLS, THIRD, FIRST, NULLS, THIRD);
      var reader = new ArrowReader();
      for (int at = 0; !reader.schemaRead(); ) {
        int n = reader.missing();
        reader.put(data, at, n);
        at += n;
        if (reader.missing() == 0) {
          assertThat(reader.message()).isNull();
        }
      }
      assertThat(reader.types().get(NAMES.indexOf("dec"))).isEqualTo(SqlType.NUMERIC);
      assertThat(reader.types().get(NAMES.indexOf("color"))).isEqualTo(SqlType.TEXT);
    }
  }

  @Test
  void whatArrowCannotHoldIsRefused() {
    for (String[] bad :
        new String[][] {{"date", "infinity"}, {"numeric", "NaN"}, {"int4[]", "{{1},{2}}"}}) {
      SqlType type =
          switch (bad[0]) {
            case "date" -> SqlType.DATE;
            case "numeric" -> SqlType.numeric(5, 1);
            default -> SqlType.arrayOf(SqlType.INT4);
          };
      byte[] text = bad[1].getBytes(java.nio.charset.StandardCharsets.UTF_8);
      VectorBuilder b = VectorBuilder.of(type, 1);
      TypeCodecs.full(type).parseText(text, 0, text.length, b, SessionFormat.DEFAULT);
      var rows = new Batch(List.of(b.build()), 1);
      assertThatThrownBy(() -> copied(List.of("c"), List.of(type), rows, 0))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("Arrow cannot hold")
          .hasMessageContaining("column \"c\"");
    }
  }

  @Test
  void fieldsGoByNameAndAreConverted() throws IOException {
    List<String> names = NAMES.reversed();
    var types = new ArrayList<>(TYPES.reversed());
    types.replaceAll(t -> SqlType.TEXT);
    assertThat(rows(parser(names, types, 10), types, stream(), 100).getFirst())
        .startsWith("green|{1,2}|-12345678901.234|")
        .endsWith("|-70000|65535|-5|t");
  }

  @Test
  void valuesThatDoNotFitAreRefusedWithTheirColumn() throws IOException {
    byte[] data = stream();
    var types = new ArrayList<>(TYPES);
    types.set(NAMES.indexOf("i8"), SqlType.INT4);
    assertThatThrownBy(() -> rows(parser(NAMES, types, 10), types, data, 100))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE);
              assertThat(e.where()).isEqualTo("COPY t, line 1, column i8: \"1099511627776\"");
            });
  }

  private static void refused(byte[] data, List<String> names, String message) {
    List<SqlType> types = TYPES.subList(0, names.size());
    assertThatThrownBy(() -> rows(parser(names, types, 10), types, data, 64))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.BAD_COPY_FILE_FORMAT);
              assertThat(e.message()).contains(message);
            });
  }

  @Test
  void whatIsNoSuchStreamIsRefused() throws IOException {
    byte[] data = stream();
    refused(data, List.of("b"), "field \"i1\" of the Arrow stream is not among the columns");
    refused(data, List.of("other"), "the Arrow stream has no field \"other\"");
    refused("a,b,c\n1,2,3\n".getBytes(java.nio.charset.StandardCharsets.UTF_8), NAMES, "begin");
    refused(Arrays.copyOf(data, data.length - 300), NAMES, "ends too early");
    refused(new byte[0], NAMES, "ends too early");
    byte[] twice = Arrays.copyOf(data, data.length + 8);
    refused(twice, NAMES, "data after the end");
  }

  @Test
  void damagedStreamsAreErrorsNeverAnythingElse() throws IOException {
    byte[] data = stream();
    for (int i = 0; i < data.length; i += 3) {
      byte[] bad = data.clone();
      bad[i] ^= (byte) (1 << (i % 8));
      try {
        rows(parser(NAMES, TYPES, 10), TYPES, bad, data.length);
      } catch (MillraceException e) {
        assertThat(e.code().errorClass())
            .as("byte %s: %s", i, e.message())
            .isNotEqualTo(ErrorClass.BUG);
      }
    }
  }
}
