package io.millrace.wire.pg.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.wire.ColumnInfo;
import io.millrace.wire.Formats;
import io.millrace.wire.Notice;
import io.millrace.wire.TestBatches;
import io.millrace.wire.TransactionStatus;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackendMessagesTest {
  private final ByteSink out = new ByteSink(16);

  /** The bytes written, zero bytes as '.', others that are not printable as hex. */
  private String seen() {
    var s = new StringBuilder();
    for (byte b : out.toByteArray()) {
      if (b == 0) {
        s.append('.');
      } else if (b > 0x20 && b < 0x7f) {
        s.append((char) b);
      } else {
        s.append('<').append(HexFormat.of().toHexDigits(b)).append('>');
      }
    }
    return s.toString();
  }

  @Test
  void errorCarriesEveryFieldThatIsKnown() {
    BackendMessages.error(
        out,
        "ERROR",
        new MillraceException(ErrorCode.NOT_NULL_VIOLATION, "m")
            .at(3)
            .withDetail("d")
            .withHint("h")
            .withWhere("w")
            .about("s", "t", "c", "k"));
    assertThat(seen())
        .isEqualTo(
            "E...<36>SERROR.VERROR.C23502.Mm.Dd.Hh.P3.Ww.ss.tt.cc.nk.."
                .replace("<36>", lengthByte()));
  }

  private String lengthByte() {
    int n = out.position() - 1;
    return n > 0x20 && n < 0x7f
        ? String.valueOf((char) n)
        : "<" + HexFormat.of().toHexDigits((byte) n) + ">";
  }

  @Test
  void zeroBytesInsideTextAreLeftOut() {
    BackendMessages.commandComplete(out, "SEL\0ECT");
    assertThat(seen()).isEqualTo("C...<0b>SELECT.");
  }

  @Test
  void noticeNamesItsSeverity() {
    BackendMessages.notice(out, Notice.warning(ErrorCode.WARNING, "careful"));
    assertThat(seen()).contains("SWARNING.VWARNING.C01000.Mcareful..");
  }

  @Test
  void rowDescriptionTellsOriginTypeAndFormat() {
    BackendMessages.rowDescription(
        out, List.of(new ColumnInfo("v", SqlType.varchar(10), 16385, 2)), Formats.BINARY);
    byte[] expected =
        HexFormat.of()
            .parseHex(
                "54"
                    + "0000001a"
                    + "0001"
                    + "7600"
                    + "00004001"
                    + "0002"
                    + "00000413"
                    + "ffff"
                    + "0000000e"
                    + "0001");
    assertThat(out.toByteArray()).isEqualTo(expected);
  }

  @Test
  void readyForQueryTellsTheState() {
    BackendMessages.readyForQuery(out, TransactionStatus.FAILED);
    assertThat(seen()).isEqualTo("Z...<05>E");
  }

  @Test
  void copyResponseRepeatsTheFormatPerColumn() {
    BackendMessages.copyInResponse(out, 2, true);
    assertThat(HexFormat.of().formatHex(out.toByteArray())).isEqualTo("470000000b01000200010001");
  }

  @Test
  void negotiationListsWhatIsNotUnderstood() {
    BackendMessages.negotiateProtocolVersion(out, List.of("_pq_.x"));
    assertThat(seen()).isEqualTo("v...<13>.<03>.....<01>_pq_.x.");
  }

  private void rows(PgRowEncoder encoder, Batch batch) {
    encoder.batch(batch);
    for (int i = 0; i < batch.rows(); i++) {
      encoder.row(i, out);
    }
  }

  @Test
  void rowsAreFramedInTextAndBinaryWithNulls() {
    List<SqlType> types = List.of(SqlType.INT4, SqlType.INT4, SqlType.TEXT, SqlType.BOOL);
    Batch batch =
        TestBatches.of(
            types,
            List.of(Arrays.asList("7", "7", "ab", "t"), Arrays.asList("-1", null, "", null)));
    rows(
        new PgRowEncoder(types, Formats.of(false, true, false, true), SessionFormat.DEFAULT),
        batch);
    assertThat(HexFormat.of().formatHex(out.toByteArray()))
        .isEqualTo(
            "44"
                + "0000001e"
                + "0004"
                + "00000001"
                + "37"
                + "00000004"
                + "00000007"
                + "00000002"
                + "6162"
                + "00000001"
                + "01"
                + "44"
                + "00000018"
                + "0004"
                + "00000002"
                + "2d31"
                + "ffffffff"
                + "00000000"
                + "ffffffff");
  }

  @Test
  void repeatedTagsGiveTheSameBytesAsPlainOnes() {
    List<SqlType> types = List.of(SqlType.TEXT, SqlType.TEXT, SqlType.INT8);
    int[] a = {0, 0, 0, 1, 1, -1, -1, 0};
    int[] b = {1, 1, 1, 1, -1, -1, -1, 0};
    var n = TestBatches.column(SqlType.INT8, List.of("1", "2", "3", "4", "5", "6", "7", "8"));
    List<String> entries = List.of("host_0", "eu-west");
    var coded =
        new Batch(
            List.of(
                TestBatches.dictionary(SqlType.TEXT, entries, a),
                TestBatches.dictionary(SqlType.TEXT, entries, b),
                n),
            8);
    var plain =
        new Batch(
            List.of(
                TestBatches.dictionary(SqlType.TEXT, entries, a).plain(),
                TestBatches.dictionary(SqlType.TEXT, entries, b).plain(),
                n),
            8);
    var encoder = new PgRowEncoder(types, Formats.TEXT, SessionFormat.DEFAULT);
    rows(encoder, plain);
    byte[] expected = out.toByteArray();
    out.clear();
    encoder.sinkEmptied();
    rows(encoder, coded);
    assertThat(out.toByteArray()).isEqualTo(expected);
    // Emptied in the middle: the block that a repeated row would copy is gone.
    out.clear();
    encoder.sinkEmptied();
    encoder.batch(coded);
    encoder.row(0, out);
    int first = out.position();
    out.clear();
    encoder.sinkEmptied();
    for (int i = 1; i < 8; i++) {
      encoder.row(i, out);
    }
    assertThat(out.toByteArray()).isEqualTo(Arrays.copyOfRange(expected, first, expected.length));
  }

  @Test
  void nanosecondTimestampsTravelInMicroseconds() {
    List<SqlType> types = List.of(SqlType.TIMESTAMP_NS, SqlType.TIMESTAMP_NS);
    Batch batch =
        TestBatches.of(
            types,
            List.of(List.of("2000-01-01 00:00:00.123456789", "2000-01-01 00:00:00.123456789")));
    rows(new PgRowEncoder(types, Formats.of(false, true), SessionFormat.DEFAULT), batch);
    assertThat(out.toString()).contains("2000-01-01 00:00:00.123456");
    assertThat(out.toString()).doesNotContain(".1234567");
    assertThat(ByteSink.getLong(out.array(), out.position() - 8)).isEqualTo(123456);
  }
}
