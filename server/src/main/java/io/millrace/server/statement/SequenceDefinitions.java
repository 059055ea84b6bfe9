package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.parser.ast.Option;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sequences from the options of CREATE and ALTER SEQUENCE and of identity columns. */
final class SequenceDefinitions {
  private SequenceDefinitions() {}

  /**
   * A new sequence.
   *
   * @param typname what it is without AS
   */
  static SequenceInfo create(
      int oid,
      Names.Target at,
      String typname,
      List<Option> options,
      Optional<SequenceInfo.Owner> owner) {
    Map<String, Option> given = byKey(options);
    String type = typname(given, typname);
    long increment = number(given, "increment", 1);
    return checked(
        new SequenceInfo(
            oid,
            1,
            at.database(),
            at.schema(),
            at.name(),
            type,
            0,
            increment,
            bound(given, "minvalue", increment > 0 ? 1 : lowest(type)),
            bound(given, "maxvalue", increment > 0 ? highest(type) : -1),
            number(given, "cache", 1),
            given.containsKey("cycle"),
            owner),
        given,
        null);
  }

  /** A sequence with options changed. */
  static SequenceInfo alter(SequenceInfo s, List<Option> options) {
    Map<String, Option> given = byKey(options);
    String type = typname(given, s.typname());
    long increment = number(given, "increment", s.increment());
    boolean retyped = !type.equals(s.typname());
    long oldMax = retyped && s.max() == highest(s.typname()) ? highest(type) : s.max();
    long oldMin = retyped && s.min() == lowest(s.typname()) ? lowest(type) : s.min();
    return checked(
        new SequenceInfo(
            s.oid(),
            s.version() + 1,
            s.database(),
            s.schema(),
            s.name(),
            type,
            s.start(),
            increment,
            given.containsKey("no minvalue")
                ? increment > 0 ? 1 : lowest(type)
                : bound(given, "minvalue", oldMin),
            given.containsKey("no maxvalue")
                ? increment > 0 ? highest(type) : -1
                : bound(given, "maxvalue", oldMax),
            number(given, "cache", s.cache()),
            given.containsKey("cycle") || (s.cycle() && !given.containsKey("no cycle")),
            s.owner()),
        given,
        s);
  }

  /** The value that RESTART asks for; null without RESTART. */
  static @Nullable Long restart(SequenceInfo s, List<Option> options) {
    Option o = byKey(options).get("restart");
    if (o == null) {
      return null;
    }
    long value = o.value() == null ? s.start() : parse(o);
    range("RESTART", value, s);
    return value;
  }

  private static void range(String what, long value, SequenceInfo s) {
    if (value < s.min()) {
      throw invalid(what + " value (" + value + ") cannot be less than MINVALUE (" + s.min() + ")");
    }
    if (value > s.max()) {
      throw invalid(
          what + " value (" + value + ") cannot be greater than MAXVALUE (" + s.max() + ")");
    }
  }

  private static SequenceInfo checked(
      SequenceInfo s, Map<String, Option> given, @Nullable SequenceInfo before) {
    if (s.increment() == 0) {
      throw invalid("INCREMENT must not be zero");
    }
    for (boolean max : new boolean[] {true, false}) {
      long v = max ? s.max() : s.min();
      if (v > highest(s.typname()) || v < lowest(s.typname())) {
        throw invalid(
            (max ? "MAXVALUE (" : "MINVALUE (")
                + v
                + ") is out of range for sequence data type "
                + spelled(s.typname()));
      }
    }
    if (s.min() >= s.max()) {
      throw invalid("MINVALUE (" + s.min() + ") must be less than MAXVALUE (" + s.max() + ")");
    }
    if (s.cache() <= 0) {
      throw invalid("CACHE (" + s.cache() + ") must be greater than zero");
    }
    long start =
        number(
            given,
            "start",
            before != null ? before.start() : s.increment() > 0 ? s.min() : s.max());
    range("START", start, s);
    return new SequenceInfo(
        s.oid(),
        s.version(),
        s.database(),
        s.schema(),
        s.name(),
        s.typname(),
        start,
        s.increment(),
        s.min(),
        s.max(),
        s.cache(),
        s.cycle(),
        s.owner());
  }

  private static Map<String, Option> byKey(List<Option> options) {
    var out = new HashMap<String, Option>();
    var kinds = new HashSet<String>();
    for (Option o : options) {
      if (!kinds.add(o.key().replace("no ", ""))) {
        throw new MillraceException(ErrorCode.SYNTAX_ERROR, "conflicting or redundant options")
            .at(o.position());
      }
      out.put(o.key(), o);
    }
    return out;
  }

  private static String typname(Map<String, Option> given, String otherwise) {
    Option as = given.get("as");
    if (as == null) {
      return otherwise;
    }
    return switch (String.valueOf(as.value()).toLowerCase(Locale.ROOT)) {
      case "int2", "smallint" -> "int2";
      case "int4", "integer", "int" -> "int4";
      case "int8", "bigint" -> "int8";
      default -> throw invalid("sequence type must be smallint, integer, or bigint");
    };
  }

  private static String spelled(String typname) {
    return switch (typname) {
      case "int2" -> "smallint";
      case "int4" -> "integer";
      default -> "bigint";
    };
  }

  private static long lowest(String typname) {
    return switch (typname) {
      case "int2" -> Short.MIN_VALUE;
      case "int4" -> Integer.MIN_VALUE;
      default -> Long.MIN_VALUE;
    };
  }

  private static long highest(String typname) {
    return switch (typname) {
      case "int2" -> Short.MAX_VALUE;
      case "int4" -> Integer.MAX_VALUE;
      default -> Long.MAX_VALUE;
    };
  }

  private static long bound(Map<String, Option> given, String key, long otherwise) {
    return number(given, key, otherwise);
  }

  private static long number(Map<String, Option> given, String key, long otherwise) {
    Option o = given.get(key);
    return o == null || o.value() == null ? otherwise : parse(o);
  }

  private static long parse(Option o) {
    String text = String.valueOf(o.value());
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new MillraceException(
              text.matches("[-+]?\\d+")
                  ? ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE
                  : ErrorCode.INVALID_PARAMETER_VALUE,
              text.matches("[-+]?\\d+")
                  ? "value \"" + text + "\" is out of range for type bigint"
                  : "invalid value for sequence option \"" + o.key() + "\": \"" + text + "\"",
              e)
          .at(o.position());
    }
  }

  private static MillraceException invalid(String message) {
    return new MillraceException(ErrorCode.INVALID_PARAMETER_VALUE, message);
  }
}
