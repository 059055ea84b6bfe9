package io.millrace.sql.exec.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.BuiltinTypes;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.physical.FunctionId;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Steps of a function are what the function gives for each value of a stretch. */
class StepFunctionTest {
  private static final long YEAR = 365L * 86_400 * 1_000_000;
  private final FunctionRegistry registry = FunctionRegistry.builder().build();

  private static SqlType type(String name) {
    return name.equals("timestamp_ns")
        ? SqlType.TIMESTAMP_NS
        : Objects.requireNonNull(BuiltinTypes.parse(name), name);
  }

  private static Vector one(String type, String value) {
    SqlType t = type(type);
    VectorBuilder b = VectorBuilder.of(t, 1);
    byte[] text = value.getBytes(StandardCharsets.UTF_8);
    TypeCodecs.of(t).parseText(text, 0, text.length, b, SessionFormat.DEFAULT);
    return b.build();
  }

  private static EvalContext at(String zone) {
    EvalContext c = TestContext.context();
    SessionFormat f = SessionFormat.DEFAULT;
    return new EvalContext(
        c.catalog(),
        new SessionFormat(
            ZoneId.of(zone),
            f.dateStyle(),
            f.dateOrder(),
            f.intervalStyle(),
            f.extraFloatDigits(),
            f.byteaHex()),
        c.session(),
        TestContext.NOW,
        TestContext.NOW,
        c.clock(),
        c.random(),
        () -> {});
  }

  private void check(String id, String type, String zone, @Nullable Vector... constants) {
    SqlType t = type(type);
    EvalContext context = at(zone);
    var types = new ArrayList<SqlType>();
    for (Vector v : constants) {
      types.add(v == null ? t : v.type());
    }
    StepFunction steps =
        registry.scalar(new FunctionId(id), types, t).steps(Arrays.asList(constants), context);
    assertThat(steps).as(id).isNotNull();
    ScalarKernel kernel = registry.scalar(new FunctionId(id), types, t);
    var random = new SplittableRandom(id.hashCode());
    long unit = t.equals(SqlType.TIMESTAMP_NS) ? 1000 : 1;
    for (int i = 0; i < 400; i++) {
      long x =
          switch (i) {
            case 0 -> Long.MAX_VALUE;
            case 1 -> Long.MIN_VALUE;
            default -> random.nextLong(-80 * YEAR, 80 * YEAR) * unit + random.nextLong(unit);
          };
      steps.locate(x);
      assertThat(steps.first()).isLessThanOrEqualTo(x);
      assertThat(steps.last()).isGreaterThanOrEqualTo(x);
      long[] some = {steps.first(), x, steps.last(), (steps.first() >> 1) + (steps.last() >> 1)};
      some[3] = Math.clamp(some[3], steps.first(), steps.last());
      var args = new ArrayList<Vector>();
      for (Vector v : constants) {
        args.add(v == null ? new LongVector(t, some, some.length, null) : v.take(new int[4], 4));
      }
      long[] expected = ((LongVector) kernel.apply(args, some.length, context)).values();
      assertThat(expected).as("%s in %s of %s", id, zone, x).containsOnly(steps.result());
    }
  }

  @Test
  void truncationIsTheSameForAllTimesOfAStretch() {
    for (String unit :
        List.of(
            "millisecond",
            "second",
            "minute",
            "hour",
            "day",
            "week",
            "month",
            "quarter",
            "year",
            "decade",
            "century",
            "millennium")) {
      Vector u = one("text", unit);
      check("date_trunc(text,timestamp)", "timestamp", "UTC", u, null);
      check("date_trunc(text,timestamp_ns)", "timestamp_ns", "UTC", u, null);
      for (String zone : List.of("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns")) {
        check("date_trunc(text,timestamptz)", "timestamptz", zone, u, null);
      }
    }
  }

  @Test
  void binsAreTheSameForAllTimesOfAStretch() {
    for (String width : List.of("7 minutes", "1 day", "90 milliseconds")) {
      Vector w = one("interval", width);
      check("date_bin(interval,timestamp)", "timestamp", "UTC", w, null);
      check("time_bucket(interval,timestamptz)", "timestamptz", "Europe/Berlin", w, null);
      check("time_bucket(interval,timestamp_ns)", "timestamp_ns", "UTC", w, null);
      check(
          "date_bin(interval,timestamp,timestamp)",
          "timestamp",
          "UTC",
          w,
          null,
          one("timestamp", "2001-02-03 04:05:06"));
    }
    check("time_bucket(interval,timestamp)", "timestamp", "UTC", one("interval", "5 mons"), null);
  }

  @Test
  void aWrongUnitFailsAtTheFirstValue() {
    StepFunction steps =
        registry
            .scalar(
                new FunctionId("date_trunc(text,timestamp)"),
                List.of(SqlType.TEXT, SqlType.TIMESTAMP),
                SqlType.TIMESTAMP)
            .steps(Arrays.asList(one("text", "fortnight"), null), TestContext.context());
    assertThat(steps).isNotNull();
    assertThatThrownBy(() -> steps.locate(0))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("fortnight");
  }
}
