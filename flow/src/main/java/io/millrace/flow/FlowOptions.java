package io.millrace.flow;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.unit.Durations;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The WITH options of flows, and the durations of their clauses. */
final class FlowOptions {
  static final List<String> KNOWN =
      List.of(
          "backfill",
          "defer_on_missing_source",
          "experimental_enable_incremental_read", // flows here never read otherwise
          "flow_type",
          "max_hold_age",
          "min_refresh");
  private static final long LEAST_REFRESH = 20_000;

  private FlowOptions() {}

  static Map<String, String> normalise(List<Option> given) {
    var out = new TreeMap<String, String>();
    for (Option o : given) {
      String key = o.key().toLowerCase(Locale.ROOT);
      if (!KNOWN.contains(key)) {
        throw new MillraceException(
                ErrorCode.INVALID_PARAMETER_VALUE, "unrecognized flow option \"" + o.key() + "\"")
            .withHint("Known options: " + String.join(", ", KNOWN) + ".")
            .at(o.position());
      }
      String v = o.value();
      String value = v == null ? "true" : v;
      check(key, value);
      out.put(key, value);
    }
    return out;
  }

  private static void check(String key, String value) {
    switch (key) {
      case "flow_type" -> {
        if (!value.equals("batching") && !value.equals("streaming")) {
          throw new MillraceException(
                  ErrorCode.INVALID_PARAMETER_VALUE, "invalid flow_type \"" + value + "\"")
              .withHint("Allowed: batching, streaming.");
        }
      }
      case "backfill", "defer_on_missing_source", "experimental_enable_incremental_read" -> {
        if (!value.equals("true") && !value.equals("false")) {
          throw new MillraceException(
              ErrorCode.INVALID_PARAMETER_VALUE,
              "flow option \"" + key + "\" is true or false, not \"" + value + "\"");
        }
      }
      default -> micros(key, value);
    }
  }

  private static long micros(String key, String value) {
    try {
      return Durations.parseMicros(value);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE,
          "flow option \"" + key + "\" is a duration such as '5s', not \"" + value + "\"",
          e);
    }
  }

  /** The distance of evaluations. */
  static long minRefresh(Map<String, String> options, boolean streaming, long standard) {
    String v = options.get("min_refresh");
    if (v != null) {
      return Math.max(LEAST_REFRESH, micros("min_refresh", v));
    }
    return streaming ? LEAST_REFRESH : standard;
  }

  /**
   * Microseconds of EXPIRE AFTER or EVAL INTERVAL.
   *
   * @throws MillraceException for months and for values out of range
   */
  static long duration(String clause, Statement.Duration d, boolean zeroAllowed) {
    long micros;
    try {
      micros =
          d.seconds()
              ? Math.multiplyExact(Long.parseLong(d.text().trim()), 1_000_000L)
              : parse(clause, d);
    } catch (NumberFormatException | ArithmeticException e) {
      throw new MillraceException(
              ErrorCode.INVALID_DATETIME_FORMAT,
              "invalid duration in " + clause + ": \"" + d.text() + "\"",
              e)
          .at(d.position());
    }
    if (micros < 0 || (micros == 0 && !zeroAllowed)) {
      throw new MillraceException(
              ErrorCode.INVALID_PARAMETER_VALUE,
              clause + " must be " + (zeroAllowed ? "at least" : "more than") + " 0")
          .at(d.position());
    }
    return micros;
  }

  private static long parse(String clause, Statement.Duration d) {
    try {
      return Durations.parseMicros(d.text());
    } catch (IllegalArgumentException notShort) {
      var type = io.millrace.common.type.SqlType.INTERVAL;
      var b = io.millrace.common.batch.VectorBuilder.of(type, 1);
      byte[] text = d.text().getBytes(java.nio.charset.StandardCharsets.UTF_8);
      try {
        io.millrace.common.type.io.TypeCodecs.of(type)
            .parseText(text, 0, text.length, b, io.millrace.common.type.io.SessionFormat.DEFAULT);
      } catch (MillraceException e) {
        throw e.at(d.position());
      }
      var v = (io.millrace.common.batch.IntervalVector) b.build();
      if (v.months()[0] != 0) {
        throw new MillraceException(
                ErrorCode.INVALID_PARAMETER_VALUE,
                clause + " cannot have months or years, whose length varies")
            .withHint("Give it in days or shorter units.")
            .at(d.position());
      }
      return Math.addExact(Math.multiplyExact(v.days()[0], 86_400_000_000L), v.micros()[0]);
    }
  }
}
