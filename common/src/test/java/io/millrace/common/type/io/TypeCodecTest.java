package io.millrace.common.type.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat.DateOrder;
import io.millrace.common.type.io.SessionFormat.DateStyle;
import io.millrace.common.type.io.SessionFormat.IntervalStyle;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Expected forms were checked against PostgreSQL 15. */
class TypeCodecTest {
  private static Vector parse(SqlType type, String text, SessionFormat f) {
    byte[] b = ("xx" + text + "yy").getBytes(StandardCharsets.UTF_8);
    VectorBuilder builder = VectorBuilder.of(type, 1);
    TypeCodecs.of(type).parseText(b, 2, b.length - 4, builder, f);
    return builder.build();
  }

  private static String text(SqlType type, Vector v, SessionFormat f) {
    var out = new ByteSink();
    TypeCodecs.of(type).writeText(v, 0, out, f);
    return out.toString();
  }

  private static String round(SqlType type, String in) {
    Vector v = parse(type, in, SessionFormat.DEFAULT);
    var out = new ByteSink();
    TypeCodecs.of(type).writeBinary(v, 0, out);
    VectorBuilder builder = VectorBuilder.of(type, 1);
    TypeCodecs.of(type).parseBinary(out.array(), 0, out.position(), builder);
    String viaBinary = text(type, builder.build(), SessionFormat.DEFAULT);
    String viaText = text(type, v, SessionFormat.DEFAULT);
    assertThat(viaBinary).isEqualTo(viaText);
    return viaText;
  }

  private static String binary(SqlType type, String in) {
    var out = new ByteSink();
    TypeCodecs.of(type).writeBinary(parse(type, in, SessionFormat.DEFAULT), 0, out);
    return HexFormat.of().formatHex(out.toByteArray());
  }

  private static void fails(SqlType type, String in, String state, String message) {
    assertThatThrownBy(() -> parse(type, in, SessionFormat.DEFAULT))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.message()).isEqualTo(message);
              assertThat(e.sqlState()).isEqualTo(state);
            });
  }

  @Test
  void integersReadAndPrint() {
    assertThat(round(SqlType.INT4, " -42 ")).isEqualTo("-42");
    assertThat(round(SqlType.INT2, "+32767")).isEqualTo("32767");
    assertThat(round(SqlType.INT8, "-9223372036854775808")).isEqualTo("-9223372036854775808");
    fails(SqlType.INT4, "x", "22P02", "invalid input syntax for type integer: \"x\"");
    fails(SqlType.INT4, "", "22P02", "invalid input syntax for type integer: \"\"");
    fails(
        SqlType.INT4,
        "2147483648",
        "22003",
        "value \"2147483648\" is out of range for type integer");
    fails(
        SqlType.INT8,
        "9223372036854775808",
        "22003",
        "value \"9223372036854775808\" is out of range for type bigint");
    assertThat(round(SqlType.OID, "4294967295")).isEqualTo("4294967295");
  }

  @Test
  void booleansTakeEverySpelling() {
    for (String t : List.of("t", "TRUE", "tr", "yes", "y", "on", "1", " true ")) {
      assertThat(round(SqlType.BOOL, t)).isEqualTo("t");
    }
    for (String t : List.of("f", "false", "n", "no", "off", "of", "0")) {
      assertThat(round(SqlType.BOOL, t)).isEqualTo("f");
    }
    fails(SqlType.BOOL, "o", "22P02", "invalid input syntax for type boolean: \"o\"");
  }

  @Test
  void doublesPrintTheirShortestDigits() {
    String[][] cases = {
      {"1e20", "1e+20"},
      {"0.1", "0.1"},
      {"1e-5", "1e-05"},
      {"123456789012345", "123456789012345"},
      {"1e15", "1e+15"},
      {"-0", "-0"},
      {"5e-324", "5e-324"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"NaN", "NaN"},
      {"-infinity", "-Infinity"},
      {"100", "100"},
      {"0.0001", "0.0001"},
      {"0.3333333333333333", "0.3333333333333333"},
      {"2e23", "2e+23"},
      {"9007199254740993", "9.007199254740992e+15"},
      {"18.268011", "18.268011"},
      {"0.000123456789", "0.000123456789"},
      {"1234567.890123", "1234567.890123"},
      {".5", "0.5"}
    };
    for (String[] c : cases) {
      assertThat(round(SqlType.FLOAT8, c[0])).isEqualTo(c[1]);
    }
    fails(SqlType.FLOAT8, "1e400", "22003", "\"1e400\" is out of range for type double precision");
    fails(SqlType.FLOAT8, "1x", "22P02", "invalid input syntax for type double precision: \"1x\"");
    String[][] singles = {
      {"1000000", "1e+06"},
      {"999999", "999999"},
      {"0.1", "0.1"},
      {"3.4028235e38", "3.4028235e+38"},
      {"1e-45", "1e-45"},
      {"16777217", "1.6777216e+07"}
    };
    for (String[] c : singles) {
      assertThat(round(SqlType.FLOAT4, c[0])).isEqualTo(c[1]);
    }
    fails(SqlType.FLOAT4, "1e40", "22003", "\"1e40\" is out of range for type real");
    var zero =
        new SessionFormat(
            ZoneId.of("UTC"), DateStyle.ISO, DateOrder.MDY, IntervalStyle.POSTGRES, 0, true);
    assertThat(text(SqlType.FLOAT8, parse(SqlType.FLOAT8, "0.3333333333333333", zero), zero))
        .isEqualTo("0.333333333333333");
    assertThat(text(SqlType.FLOAT8, parse(SqlType.FLOAT8, "1e20", zero), zero)).isEqualTo("1e+20");
  }

  @Test
  void numericsKeepTheirScale() {
    for (String s :
        List.of(
            "0",
            "0.00",
            "1.50",
            "-12345678901234567890.123456789",
            "NaN",
            "Infinity",
            "-Infinity",
            "0.0001",
            "10000",
            "100000000",
            "99999999999999999999999999999999999999")) {
      assertThat(round(SqlType.NUMERIC, s)).isEqualTo(s);
    }
    assertThat(round(SqlType.NUMERIC, "1.5e3")).isEqualTo("1500");
    assertThat(round(SqlType.NUMERIC, "1e-5")).isEqualTo("0.00001");
    assertThat(round(SqlType.numeric(6, 2), "1.005")).isEqualTo("1.01");
    assertThat(round(SqlType.numeric(6, 2), "-1.005")).isEqualTo("-1.01");
    assertThat(round(SqlType.numeric(6, 2), "7")).isEqualTo("7.00");
    assertThat(binary(SqlType.NUMERIC, "12345.678")).isEqualTo("0003000100000003000109291a7c");
    assertThat(binary(SqlType.NUMERIC, "10000")).isEqualTo("00010001000000000001");
    assertThat(binary(SqlType.NUMERIC, "0.0001")).isEqualTo("0001ffff000000040001");
    fails(SqlType.numeric(4, 2), "100", "22003", "numeric field overflow");
    fails(SqlType.NUMERIC, "1.2.3", "22P02", "invalid input syntax for type numeric: \"1.2.3\"");
  }

  @Test
  void textsAreCheckedAndFitted() {
    assertThat(round(SqlType.varchar(3), "ab  ")).isEqualTo("ab ");
    assertThat(round(SqlType.of(io.millrace.common.type.TypeKind.BPCHAR, 9), "äb"))
        .isEqualTo("äb   ");
    fails(SqlType.varchar(3), "abcd", "22001", "value too long for type character varying(3)");
    assertThat(round(SqlType.NAME, "x".repeat(70))).hasSize(63);
    byte[] bad = {'a', (byte) 0xff};
    assertThatThrownBy(
            () ->
                TypeCodecs.of(SqlType.TEXT)
                    .parseText(bad, 0, 2, VectorBuilder.of(SqlType.TEXT, 1), SessionFormat.DEFAULT))
        .hasMessage("invalid byte sequence for encoding \"UTF8\": 0xff");
  }

  @Test
  void byteaAndUuid() {
    assertThat(round(SqlType.BYTEA, "\\xDEADbeef")).isEqualTo("\\xdeadbeef");
    assertThat(round(SqlType.BYTEA, "a\\\\b\\000")).isEqualTo("\\x615c6200");
    assertThat(round(SqlType.UUID, "{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}"))
        .isEqualTo("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
    fails(SqlType.UUID, "x", "22P02", "invalid input syntax for type uuid: \"x\"");
  }

  @Test
  void jsonbIsCanonical() {
    assertThat(round(SqlType.JSONB, "{\"bb\":1.50, \"a\":[true,null,\"x\\u0041\"], \"bb\":2}"))
        .isEqualTo("{\"a\": [true, null, \"xA\"], \"bb\": 2}");
    assertThat(round(SqlType.JSON, " {\"b\" : 1}")).isEqualTo(" {\"b\" : 1}");
    fails(SqlType.JSON, "{", "22P02", "invalid input syntax for type json");
    fails(SqlType.JSONB, "[1,]", "22P02", "invalid input syntax for type json");
  }

  @Test
  void datesInEveryForm() {
    String[][] cases = {
      {"1999-01-08", "1999-01-08"},
      {"January 8, 1999", "1999-01-08"},
      {"1/8/1999", "1999-01-08"},
      {"1999-Jan-08", "1999-01-08"},
      {"Jan-08-1999", "1999-01-08"},
      {"08-Jan-1999", "1999-01-08"},
      {"19990108", "1999-01-08"},
      {"990108", "1999-01-08"},
      {"1999.008", "1999-01-08"},
      {"J2451187", "1999-01-08"},
      {"January 8, 99 BC", "0099-01-08 BC"},
      {"infinity", "infinity"},
      {"99-Jan-08", null},
      {"8-Jan-99", "1999-01-08"},
      {"epoch", "1970-01-01"},
      {"2000-02-29", "2000-02-29"},
      {"20000-01-01", "20000-01-01"},
      {"1999-01-08 04:05:06", "1999-01-08"}
    };
    for (String[] c : cases) {
      if (c[1] == null) {
        fails(SqlType.DATE, c[0], "22008", "date/time field value out of range: \"" + c[0] + "\"");
      } else {
        assertThat(round(SqlType.DATE, c[0])).as(c[0]).isEqualTo(c[1]);
      }
    }
    fails(
        SqlType.DATE, "2001-02-29", "22008", "date/time field value out of range: \"2001-02-29\"");
    fails(SqlType.DATE, "abc", "22007", "invalid input syntax for type date: \"abc\"");
    fails(
        SqlType.DATE, "13/13/2000", "22008", "date/time field value out of range: \"13/13/2000\"");
  }

  @Test
  void timestampsInEveryForm() {
    String[][] cases = {
      {"2020-01-02 03:04:05", "2020-01-02 03:04:05"},
      {"2020-01-02T03:04:05.1234567Z", "2020-01-02 03:04:05.123457"},
      {"2020-01-02 03:04", "2020-01-02 03:04:00"},
      {"2020-01-02", "2020-01-02 00:00:00"},
      {"Wed Jan 15 10:00:00 2020", "2020-01-15 10:00:00"},
      {"20200102T030405", "2020-01-02 03:04:05"},
      {"2020-01-02 03:04:05 PM", "2020-01-02 15:04:05"},
      {"2020-12-31 24:00:00", "2021-01-01 00:00:00"},
      {"-infinity", "-infinity"},
      {"0044-03-15 10:00:00 BC", "0044-03-15 10:00:00 BC"},
      {"1/2/2020 3:04:05.5", "2020-01-02 03:04:05.5"},
      {"2020-01-02 03:04:60", "2020-01-02 03:05:00"}
    };
    for (String[] c : cases) {
      assertThat(round(SqlType.TIMESTAMP, c[0])).as(c[0]).isEqualTo(c[1]);
    }
    String[][] zoned = {
      {"2020-01-02 03:04:05+02", "2020-01-02 01:04:05+00"},
      {"2020-01-02 03:04:05 -08:00", "2020-01-02 11:04:05+00"},
      {"2020-01-02 03:04:05 PST", "2020-01-02 11:04:05+00"},
      {"2020-07-02 03:04:05 Europe/Berlin", "2020-07-02 01:04:05+00"},
      {"20200102T030405-0530", "2020-01-02 08:34:05+00"}
    };
    for (String[] c : zoned) {
      assertThat(round(SqlType.TIMESTAMPTZ, c[0])).as(c[0]).isEqualTo(c[1]);
    }
    assertThat(
            round(
                SqlType.of(io.millrace.common.type.TypeKind.TIMESTAMP, 2),
                "2020-01-02 03:04:05.126"))
        .isEqualTo("2020-01-02 03:04:05.13");
    fails(
        SqlType.TIMESTAMP,
        "2020-13-01 00:00:00",
        "22008",
        "date/time field value out of range: \"2020-13-01 00:00:00\"");
    fails(
        SqlType.TIMESTAMP,
        "nonsense",
        "22007",
        "invalid input syntax for type timestamp: \"nonsense\"");
    assertThat(binary(SqlType.TIMESTAMP, "2000-01-01 00:00:01")).isEqualTo("00000000000f4240");
  }

  @Test
  void zonesShiftInAndOut() {
    var berlin =
        new SessionFormat(
            ZoneId.of("Europe/Berlin"),
            DateStyle.ISO,
            DateOrder.MDY,
            IntervalStyle.POSTGRES,
            1,
            true);
    Vector v = parse(SqlType.TIMESTAMPTZ, "2020-03-29 02:30:00", berlin);
    assertThat(text(SqlType.TIMESTAMPTZ, v, berlin)).isEqualTo("2020-03-29 03:30:00+02");
    v = parse(SqlType.TIMESTAMPTZ, "2020-10-25 02:30:00", berlin);
    assertThat(text(SqlType.TIMESTAMPTZ, v, berlin)).isEqualTo("2020-10-25 02:30:00+01");
    var postgres =
        new SessionFormat(
            ZoneId.of("America/New_York"),
            DateStyle.POSTGRES,
            DateOrder.MDY,
            IntervalStyle.POSTGRES,
            1,
            true);
    assertThat(text(SqlType.TIMESTAMPTZ, v, postgres)).isEqualTo("Sat Oct 24 21:30:00 2020 EDT");
  }

  @Test
  void timesWithAndWithoutZone() {
    assertThat(round(SqlType.TIME, "04:05:06.789")).isEqualTo("04:05:06.789");
    assertThat(round(SqlType.TIME, "040506")).isEqualTo("04:05:06");
    assertThat(round(SqlType.TIME, "04:05 PM")).isEqualTo("16:05:00");
    assertThat(round(SqlType.TIME, "24:00")).isEqualTo("24:00:00");
    assertThat(round(SqlType.TIMETZ, "04:05:06-08:00")).isEqualTo("04:05:06-08");
    assertThat(round(SqlType.TIMETZ, "04:05:06 PST")).isEqualTo("04:05:06-08");
    fails(SqlType.TIME, "25:00", "22008", "date/time field value out of range: \"25:00\"");
  }

  @Test
  void intervalsInEveryForm() {
    String[][] cases = {
      {"1 day", "1 day"},
      {"1.5 months", "1 mon 15 days"},
      {"1 year 2 mons 3 days 04:05:06.7", "1 year 2 mons 3 days 04:05:06.7"},
      {"-1 day +02:03", "-1 days +02:03:00"},
      {"P1Y2M3DT4H5M6S", "1 year 2 mons 3 days 04:05:06"},
      {"1 12:59:10", "1 day 12:59:10"},
      {"1-2", "1 year 2 mons"},
      {"90 minutes", "01:30:00"},
      {"10s", "00:00:10"},
      {"5m", "00:05:00"},
      {"1 week 2 days ago", "-9 days"},
      {"@ 1 hour", "01:00:00"},
      {"1.5 hours", "01:30:00"},
      {"100", "00:01:40"},
      {"1 century", "100 years"},
      {"P0001-02-03T04:05:06", "1 year 2 mons 3 days 04:05:06"},
      {"1h30m", "01:30:00"},
      {"-1 months", "-1 mons"},
      {"3 ms", "00:00:00.003"},
      {"1 mon -1 day", "1 mon -1 days"}
    };
    for (String[] c : cases) {
      assertThat(round(SqlType.INTERVAL, c[0])).as(c[0]).isEqualTo(c[1]);
    }
    fails(SqlType.INTERVAL, "x", "22007", "invalid input syntax for type interval: \"x\"");
    String[] styles = {
      "-1 years -2 mons +3 days -04:05:06", "@ 1 year 2 mons -3 days 4 hours 5 mins 6 secs ago",
      "-1-2 +3 -4:05:06", "P-1Y-2M3DT-4H-5M-6S"
    };
    Vector v = parse(SqlType.INTERVAL, "-1 year -2 mons +3 days -04:05:06", SessionFormat.DEFAULT);
    for (IntervalStyle s : IntervalStyle.values()) {
      var f = new SessionFormat(ZoneId.of("UTC"), DateStyle.ISO, DateOrder.MDY, s, 1, true);
      assertThat(text(SqlType.INTERVAL, v, f)).isEqualTo(styles[s.ordinal()]);
    }
  }

  @Test
  void arraysWithBoundsDimensionsAndNulls() {
    SqlType ints = SqlType.arrayOf(SqlType.INT4);
    SqlType texts = SqlType.arrayOf(SqlType.TEXT);
    assertThat(round(ints, "{1,2,NULL}")).isEqualTo("{1,2,NULL}");
    assertThat(round(ints, "{}")).isEqualTo("{}");
    assertThat(round(ints, "[0:1]={1,2}")).isEqualTo("[0:1]={1,2}");
    assertThat(round(ints, " { {1,2} , {3,4} } ")).isEqualTo("{{1,2},{3,4}}");
    assertThat(round(texts, "{\"a b\",\"\",null,\"null\",c\\\"d,\"e,f\"}"))
        .isEqualTo("{\"a b\",\"\",NULL,\"null\",\"c\\\"d\",\"e,f\"}");
    fails(ints, "{1,2", "22P02", "malformed array literal: \"{1,2\"");
    fails(ints, "{{1},{2,3}}", "22P02", "malformed array literal: \"{{1},{2,3}}\"");
    fails(ints, "{x}", "22P02", "invalid input syntax for type integer: \"x\"");
    assertThat(round(SqlType.INT2VECTOR, "1 2 3")).isEqualTo("1 2 3");
  }

  @Test
  void recordsQuoteTheirFields() {
    SqlType r =
        SqlType.record(
            List.of(new SqlType.Field("a", SqlType.INT4), new SqlType.Field("b", SqlType.TEXT)));
    assertThat(round(r, "(1,\"x y\")")).isEqualTo("(1,\"x y\")");
    assertThat(round(r, "(,\"\")")).isEqualTo("(,\"\")");
  }
}
