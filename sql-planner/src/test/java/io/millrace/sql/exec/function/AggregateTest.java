package io.millrace.sql.exec.function;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.BuiltinTypes;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.exec.function.WindowKernel.Partition;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan.Frame.Exclude;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Each aggregate by rows, by runs and over partial states; expected values are PostgreSQL 15's. */
class AggregateTest {
  private final FunctionRegistry registry = FunctionRegistry.builder().build();
  private final EvalContext context = TestContext.context();

  private static SqlType type(String name) {
    return Objects.requireNonNull(BuiltinTypes.parse(name), name);
  }

  private static Vector vector(SqlType type, String values) {
    VectorBuilder b = VectorBuilder.of(type, 8);
    if (!values.isEmpty()) {
      for (String v : values.split(";", -1)) {
        if (v.equals("NULL")) {
          b.appendNull();
        } else {
          byte[] t = v.getBytes(StandardCharsets.UTF_8);
          TypeCodecs.of(type).parseText(t, 0, t.length, b, SessionFormat.DEFAULT);
        }
      }
    }
    return b.build();
  }

  private static String text(Vector v, int row) {
    if (v.isNull(row)) {
      return "NULL";
    }
    var out = new ByteSink();
    TypeCodecs.full(v.type()).writeText(v, row, out, SessionFormat.DEFAULT);
    return out.toString();
  }

  private void check(
      String id, String result, String expected, List<Vector> direct, String... typedArgs) {
    var types = new ArrayList<SqlType>();
    var args = new ArrayList<Vector>();
    for (String a : typedArgs) {
      int colon = a.indexOf(':');
      SqlType t = type(a.substring(0, colon));
      types.add(t);
      args.add(vector(t, a.substring(colon + 1)));
    }
    int n = args.isEmpty() ? 3 : args.getFirst().length();
    SqlType r = type(result);
    var f = new FunctionId(id);
    AggregateKernel rows = registry.aggregate(f, types, r, direct);
    rows.ensureGroups(2);
    int[] ones = new int[n];
    java.util.Arrays.fill(ones, 1);
    rows.accumulate(args, n, ones, context);
    Vector out = rows.finish(0, 2, context);
    assertThat(out.type()).isEqualTo(r);
    assertThat(text(out, 1)).as(id).isEqualTo(expected);
    AggregateKernel runs = registry.aggregate(f, types, r, direct);
    runs.ensureGroups(1);
    runs.accumulateRun(args, 0, n / 2, 0, context);
    runs.accumulateRun(args, n / 2, n, 0, context);
    assertThat(text(runs.finish(0, 1, context), 0)).as(id + " by runs").isEqualTo(expected);
    AggregateKernel left = registry.aggregate(f, types, r, direct);
    AggregateKernel right = registry.aggregate(f, types, r, direct);
    left.ensureGroups(1);
    right.ensureGroups(1);
    left.accumulateRun(args, 0, n / 2, 0, context);
    right.accumulateRun(args, n / 2, n, 0, context);
    AggregateKernel merged = registry.aggregate(f, types, r, direct);
    merged.ensureGroups(1);
    int[] zero = new int[1];
    for (AggregateKernel k : List.of(left, right)) {
      List<Vector> partial = k.partial(0, 1);
      assertThat(partial.stream().map(Vector::type).toList()).isEqualTo(k.stateTypes());
      merged.mergePartial(partial, 1, zero, context);
    }
    assertThat(text(merged.finish(0, 1, context), 0)).as(id + " merged").isEqualTo(expected);
    merged.reset(0);
    String empty = text(out, 0);
    assertThat(text(merged.finish(0, 1, context), 0)).as(id + " reset").isEqualTo(empty);
  }

  @Test
  void sumsAndAverages() {
    check("count()", "int8", "3", List.of());
    check("count(any)", "int8", "2", List.of(), "int4:1;NULL;3");
    check("sum(int4)", "int8", "6", List.of(), "int4:1;NULL;2;3");
    check(
        "sum(int8)",
        "numeric",
        "18446744073709551614",
        List.of(),
        "int8:9223372036854775807;9223372036854775807");
    check("sum(numeric)", "numeric", "6.550", List.of(), "numeric:1.5;2.05;3.000");
    check("sum(numeric)", "numeric", "NaN", List.of(), "numeric:1.5;NaN");
    check("avg(int4)", "numeric", "2.0000000000000000", List.of(), "int4:1;2;3");
    check("avg(int8)", "numeric", "1.5000000000000000", List.of(), "int8:1;2");
    check("avg(numeric)", "numeric", "18.2680110000000000", List.of(), "numeric:18.268011");
    check("avg(float8)", "float8", "2", List.of(), "float8:1;2;3;NULL;1;2;3;1;2;3;1;2;3");
    check("sum(float8)", "float8", "55", List.of(), "float8:1;2;3;4;5;6;7;8;9;10");
    check("sum(float4)", "float4", "4.5", List.of(), "float4:1.5;3");
    check("sum(int4)", "int8", "NULL", List.of(), "int4:NULL");
    check(
        "sum(interval)",
        "interval",
        "1 mon 3 days 02:00:00",
        List.of(),
        "interval:1 month 3 days;2 hours");
    check(
        "avg(interval)",
        "interval",
        "16 days 13:00:00",
        List.of(),
        "interval:1 month 3 days;2 hours");
    check("bool_and(bool)", "bool", "f", List.of(), "bool:t;f;NULL");
    check("bool_or(bool)", "bool", "t", List.of(), "bool:t;f;NULL");
    check("bit_and(int4)", "int4", "1", List.of(), "int4:3;5");
    check("bit_xor(int8)", "int8", "6", List.of(), "int8:3;5");
  }

  @Test
  void choices() {
    check("min(float8)", "float8", "-1.5", List.of(), "float8:3;NULL;-1.5;2;7;8;9;10");
    check("max(float8)", "float8", "NaN", List.of(), "float8:3;NaN;2;1;4;5;6;7");
    check("max(text)", "text", "b", List.of(), "text:a;b;B");
    check(
        "min(timestamptz)",
        "timestamptz",
        "2020-01-01 00:00:00+00",
        List.of(),
        "timestamptz:2020-01-02;2020-01-01;2020-01-03;2020-01-04");
    check("max(numeric)", "numeric", "10.0", List.of(), "numeric:9.99;10.0;-3");
    check(
        "last(anyelement,any)",
        "float8",
        "2",
        List.of(),
        "float8:1;2;3",
        "timestamp:2020-01-01;2020-01-03;2020-01-02");
    check(
        "first(anyelement,any)",
        "float8",
        "1",
        List.of(),
        "float8:1;2;3",
        "timestamp:2020-01-01;2020-01-03;2020-01-02");
    check("last_value(anyelement)", "text", "c", List.of(), "text:a;b;c");
    check("first(anyelement)", "text", "a", List.of(), "text:a;b;c");
  }

  @Test
  void statistics() {
    String v = "2;4;4;4;5;5;7;9";
    check("stddev_pop(float8)", "float8", "2", List.of(), "float8:" + v);
    check("var_samp(float8)", "float8", "4.571428571428571", List.of(), "float8:" + v);
    check("stddev_samp(int4)", "numeric", "2.1380899352993951", List.of(), "int4:" + v);
    check("var_pop(numeric)", "numeric", "4.0000000000000000", List.of(), "numeric:" + v);
    check("variance(int4)", "numeric", "0", List.of(), "int4:1;1");
    check("corr(float8,float8)", "float8", "1", List.of(), "float8:1;2;3", "float8:2;4;6");
    check("regr_slope(float8,float8)", "float8", "0.5", List.of(), "float8:1;2;3", "float8:2;4;6");
    check("covar_samp(float8,float8)", "float8", "2", List.of(), "float8:1;2;3", "float8:2;4;6");
    check("regr_count(float8,float8)", "int8", "2", List.of(), "float8:1;NULL;3", "float8:2;4;6");
  }

  @Test
  void collections() {
    check("string_agg(text,text)", "text", "a,b,c", List.of(), "text:a;NULL;b;c", "text:,;,;,;,");
    check("array_agg(anynonarray)", "int4[]", "{1,NULL,3}", List.of(), "int4:1;NULL;3");
    check("json_agg(anyelement)", "json", "[1, null, 3]", List.of(), "int4:1;NULL;3");
    check("jsonb_agg(anyelement)", "jsonb", "[\"a\", \"b\"]", List.of(), "text:a;b");
    check(
        "json_object_agg(any,any)",
        "json",
        "{ \"a\" : 1, \"b\" : 2 }",
        List.of(),
        "text:a;b",
        "int4:1;2");
    Vector half = vector(SqlType.FLOAT8, "0.5");
    check("percentile_cont(float8,float8)", "float8", "2.5", List.of(half), "float8:1;2;3;4");
    check("percentile_disc(float8,anyelement)", "int4", "2", List.of(half), "int4:1;2;3;4");
    check(
        "percentile_cont(_float8,float8)",
        "float8[]",
        "{1,2.5}",
        List.of(vector(SqlType.arrayOf(SqlType.FLOAT8), "{0,0.5}")),
        "float8:1;2;3;4");
    check("mode(anyelement)", "text", "b", List.of(), "text:a;b;b;c");
    check("median(float8)", "float8", "2.5", List.of(), "float8:4;1;3;2");
    check("rank(any)", "int8", "3", List.of(vector(SqlType.INT4, "3")), "int4:1;2;3;4");
    var many = new StringBuilder("0");
    for (int i = 1; i < 500; i++) {
      many.append(';').append(i % 100);
    }
    int n = Integer.parseInt(distinct(many.toString()));
    assertThat(n).isBetween(95, 105);
  }

  private String distinct(String values) {
    Vector v = vector(SqlType.INT4, values);
    AggregateKernel k =
        registry.aggregate(
            new FunctionId("approx_distinct(any)"), List.of(SqlType.INT4), SqlType.INT8, List.of());
    k.ensureGroups(1);
    k.accumulateRun(List.of(v), 0, v.length(), 0, context);
    return text(k.finish(0, 1, context), 0);
  }

  private String window(String id, SqlType result, List<SqlType> types, List<Vector> args) {
    // Five rows, peers (0), (1, 2), (3), (4); frame = start of the partition to the last peer.
    int[] peerStart = {0, 1, 1, 3, 4};
    int[] peerEnd = {1, 3, 3, 4, 5};
    var p =
        new Partition(args, 5, peerStart, peerEnd, new int[5], peerEnd.clone(), Exclude.NO_OTHERS);
    Vector out = registry.window(new FunctionId(id), types, result).apply(p, context);
    var s = new ArrayList<String>();
    for (int i = 0; i < 5; i++) {
      s.add(text(out, i));
    }
    return String.join(" ", s);
  }

  @Test
  void windows() {
    Vector v = vector(SqlType.INT4, "10;20;20;30;40");
    List<SqlType> one = List.of(SqlType.INT4);
    assertThat(window("row_number()", SqlType.INT8, List.of(), List.of())).isEqualTo("1 2 3 4 5");
    assertThat(window("rank()", SqlType.INT8, List.of(), List.of())).isEqualTo("1 2 2 4 5");
    assertThat(window("dense_rank()", SqlType.INT8, List.of(), List.of())).isEqualTo("1 2 2 3 4");
    assertThat(window("percent_rank()", SqlType.FLOAT8, List.of(), List.of()))
        .isEqualTo("0 0.25 0.25 0.75 1");
    assertThat(window("cume_dist()", SqlType.FLOAT8, List.of(), List.of()))
        .isEqualTo("0.2 0.6 0.6 0.8 1");
    assertThat(window("ntile(int4)", SqlType.INT4, one, List.of(vector(SqlType.INT4, "2;2;2;2;2"))))
        .isEqualTo("1 1 1 2 2");
    assertThat(window("lag(anyelement)", SqlType.INT4, one, List.of(v)))
        .isEqualTo("NULL 10 20 20 30");
    assertThat(window("lead(anyelement)", SqlType.INT4, one, List.of(v)))
        .isEqualTo("20 20 30 40 NULL");
    assertThat(window("last_value(anyelement)", SqlType.INT4, one, List.of(v)))
        .isEqualTo("10 20 20 30 40");
    assertThat(
            window(
                "nth_value(anyelement,int4)",
                SqlType.INT4,
                List.of(SqlType.INT4, SqlType.INT4),
                List.of(v, vector(SqlType.INT4, "2;2;2;2;2"))))
        .isEqualTo("NULL 20 20 20 20");
  }

  private String rows(String id, SqlType result, List<SqlType> types, List<Vector> args) {
    SetKernel.Rows r = registry.set(new FunctionId(id), types, result).open(args, 0, context);
    var s = new ArrayList<String>();
    for (var b = r.next(2); b != null; b = r.next(2)) {
      for (int i = 0; i < b.rows(); i++) {
        var row = new ArrayList<String>();
        for (Vector v : b.columns()) {
          row.add(text(v, i));
        }
        s.add(String.join(":", row));
      }
    }
    return String.join(" ", s);
  }

  @Test
  void sets() {
    List<SqlType> ints = List.of(SqlType.INT4, SqlType.INT4);
    assertThat(
            rows(
                "generate_series(int4,int4)",
                SqlType.INT4,
                ints,
                List.of(vector(SqlType.INT4, "1"), vector(SqlType.INT4, "5"))))
        .isEqualTo("1 2 3 4 5");
    assertThat(
            rows(
                "generate_series(timestamp,timestamp,interval)",
                SqlType.TIMESTAMP,
                List.of(SqlType.TIMESTAMP, SqlType.TIMESTAMP, SqlType.INTERVAL),
                List.of(
                    vector(SqlType.TIMESTAMP, "2020-01-31"),
                    vector(SqlType.TIMESTAMP, "2020-04-01"),
                    vector(SqlType.INTERVAL, "1 month"))))
        .isEqualTo("2020-01-31 00:00:00 2020-02-29 00:00:00 2020-03-29 00:00:00");
    SqlType array = SqlType.arrayOf(SqlType.INT4);
    assertThat(
            rows(
                "unnest(anyarray)",
                SqlType.INT4,
                List.of(array),
                List.of(vector(array, "{1,NULL,3}"))))
        .isEqualTo("1 NULL 3");
    assertThat(
            rows(
                "json_each_text(json)",
                SqlType.TEXT,
                List.of(SqlType.JSON),
                List.of(vector(SqlType.JSON, "{\"a\":1,\"b\":\"x\"}"))))
        .isEqualTo("a:1 b:x");
    assertThat(
            rows(
                "regexp_matches(text,text,text)",
                SqlType.arrayOf(SqlType.TEXT),
                List.of(SqlType.TEXT, SqlType.TEXT, SqlType.TEXT),
                List.of(
                    vector(SqlType.TEXT, "foobarbequebaz"),
                    vector(SqlType.TEXT, "ba."),
                    vector(SqlType.TEXT, "g"))))
        .isEqualTo("{bar} {baz}");
  }
}
