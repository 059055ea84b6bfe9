package io.millrace.common.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.copy.CopyOptions.Option;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CopyTest {
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final List<SqlType> TYPES = List.of(SqlType.INT4, SqlType.TEXT, SqlType.FLOAT8);

  private static CopyParser parser(CopyOptions options, int limit) {
    return CopyParser.of(options, "t", NAMES, TYPES, SessionFormat.DEFAULT, () -> 0L, limit);
  }

  /** Feeds the data in pieces of the given size and prints all rows again as text. */
  private static String read(CopyOptions options, byte[] data, int piece, int limit) {
    CopyParser p = parser(options, limit);
    var out = new ByteSink();
    var writer = new CopyWriter(CopyOptions.text(), NAMES, TYPES, SessionFormat.DEFAULT);
    for (int off = 0; off < data.length; off += piece) {
      int end = Math.min(data.length, off + piece);
      int at = off;
      while (at < end) {
        at += p.feed(data, at, end - at);
        if (p.full()) {
          write(p.take(), writer, out);
        }
      }
    }
    p.finish();
    write(p.take(), writer, out);
    return out.toString();
  }

  private static void write(Batch b, CopyWriter w, ByteSink out) {
    for (int i = 0; i < b.rows(); i++) {
      w.row(b, i, out);
    }
  }

  private static String read(CopyOptions options, String data) {
    byte[] b = data.getBytes(StandardCharsets.UTF_8);
    String whole = read(options, b, b.length, 1000);
    for (int piece : new int[] {1, 2, 3, 7, 64}) {
      for (int limit : new int[] {1, 2, 1000}) {
        assertThat(read(options, b, piece, limit)).as("pieces of %s", piece).isEqualTo(whole);
      }
    }
    return whole;
  }

  private static void fails(CopyOptions options, String data, String message, String where) {
    assertThatThrownBy(() -> read(options, data))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.message()).isEqualTo(message);
              assertThat(e.where()).isEqualTo(where);
            });
  }

  @Test
  void textFormat() {
    assertThat(read(CopyOptions.text(), "1\tab\t1.5\n\\N\tx\\ty\\\\\\n\\x41\\101\t\\N\n3\t\t2"))
        .isEqualTo("1\tab\t1.5\n\\N\tx\\ty\\\\\\nAA\t\\N\n3\t\t2\n");
    assertThat(read(CopyOptions.text(), "1\ta\t1\r\n2\tb\t2\r\n")).isEqualTo("1\ta\t1\n2\tb\t2\n");
    assertThat(read(CopyOptions.text(), "1\ta\t1\n\\.\ngarbage")).isEqualTo("1\ta\t1\n");
    assertThat(read(CopyOptions.text(), "")).isEmpty();
  }

  @Test
  void csvFormat() {
    CopyOptions csv = CopyOptions.csv();
    assertThat(
            read(
                csv,
                "1,\"a \"\"q\"\", b\",2\n2,,\n3,\"\",3\n4,\"x\ny\",4\r5,z,5".replace("\r", "\n")))
        .isEqualTo("1\ta \"q\", b\t2\n2\t\\N\t\\N\n3\t\t3\n4\tx\\ny\t4\n5\tz\t5\n");
    assertThat(read(csv, "1,a,1\r\n2,b,2\r\n")).isEqualTo("1\ta\t1\n2\tb\t2\n");
    var options =
        CopyOptions.parse(
            List.of(
                new Option("format", "csv"),
                new Option("header", "match"),
                new Option("null", "NA"),
                new Option("escape", "\\"),
                new Option("force_null", null, List.of("b"))),
            true,
            NAMES);
    assertThat(read(options, "a,b,c\n1,\"NA\",NA\n2,\"x\\\"y\",1\n"))
        .isEqualTo("1\t\\N\t\\N\n2\tx\"y\t1\n");
    fails(
        options,
        "a,x,c\n",
        "column name mismatch in header line field 2: got \"x\", expected \"b\"",
        "COPY t, line 1: \"a,x,c\"");
  }

  @Test
  void errorsNameLineAndColumn() {
    fails(
        CopyOptions.text(),
        "1\ta\t1\nx\tb\t2\n",
        "invalid input syntax for type integer: \"x\"",
        "COPY t, line 2, column a: \"x\"");
    fails(
        CopyOptions.text(), "1\ta\n", "missing data for column \"c\"", "COPY t, line 1: \"1\ta\"");
    fails(
        CopyOptions.csv(),
        "1,a,1,2\n",
        "extra data after last expected column",
        "COPY t, line 1: \"1,a,1,2\"");
    fails(CopyOptions.csv(), "1,\"a", "unterminated CSV quoted field", "COPY t, line 1: \"1,\"a\"");
  }

  @Test
  void binaryRoundTrip() {
    CopyParser p = parser(CopyOptions.csv(), 10);
    byte[] csv = "1,a,1.5\n,,\n3,ccc,2\n".getBytes(StandardCharsets.UTF_8);
    p.feed(csv, 0, csv.length);
    Batch batch = p.take();
    var w = new CopyWriter(CopyOptions.binary(), NAMES, TYPES, SessionFormat.DEFAULT);
    var out = new ByteSink();
    w.begin(out);
    write(batch, w, out);
    w.end(out);
    byte[] data = out.toByteArray();
    for (int piece : new int[] {1, 3, 50, data.length}) {
      for (int limit : new int[] {1, 2, 10}) {
        assertThat(read(CopyOptions.binary(), data, piece, limit))
            .isEqualTo("1\ta\t1.5\n\\N\t\\N\t\\N\n3\tccc\t2\n");
      }
    }
  }

  @Test
  void csvWriterQuotesWhatItMust() {
    CopyParser p = parser(CopyOptions.text(), 10);
    byte[] b = "1\ta,\"b\"\t1\n2\t\t\\N\n3\tx\\ny\t3\n".getBytes(StandardCharsets.UTF_8);
    p.feed(b, 0, b.length);
    Batch batch = p.take();
    var options =
        CopyOptions.parse(
            List.of(
                new Option("format", "csv"),
                new Option("header", null),
                new Option("force_quote", null, List.of("a"))),
            false,
            NAMES);
    var w = new CopyWriter(options, NAMES, TYPES, SessionFormat.DEFAULT);
    var out = new ByteSink();
    w.begin(out);
    write(batch, w, out);
    assertThat(out.toString())
        .isEqualTo("a,b,c\n\"1\",\"a,\"\"b\"\"\",1\n\"2\",\"\",\n\"3\",\"x\ny\",3\n");
  }

  @Test
  void optionsAreChecked() {
    var bad = new ArrayList<Option>();
    bad.add(new Option("delimiter", "ab"));
    assertThatThrownBy(() -> CopyOptions.parse(bad, true, NAMES))
        .hasMessage("COPY delimiter must be a single one-byte character");
  }

  /**
   * Header, rows of several lines and earlier batches count; what is shown is the row as it came.
   */
  @Test
  void aRowKnowsItsLineAndText() {
    CopyOptions options =
        CopyOptions.parse(
            List.of(
                new Option("format", "csv", List.of()), new Option("header", "true", List.of())),
            true,
            NAMES);
    CopyParser p = parser(options, 2);
    byte[] data = "a,b,c\n1,\"x\ny\",1\n2,,2\n3,\"q\",3\n".getBytes(StandardCharsets.UTF_8);
    int at = p.feed(data, 0, data.length);
    assertThat(p.take().rows()).isEqualTo(2);
    assertThat(p.where(0)).isEqualTo("COPY t, line 3: \"1,\"x\ny\",1\"");
    assertThat(p.where(1)).isEqualTo("COPY t, line 4: \"2,,2\"");
    p.feed(data, at, data.length - at);
    assertThat(p.take().rows()).isEqualTo(1);
    assertThat(p.line(0)).isEqualTo(5);
    assertThat(p.where(0)).isEqualTo("COPY t, line 5: \"3,\"q\",3\"");
  }
}
