package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.parser.ast.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Which rows and files COPY is about: those from {@code start_time} and before {@code end_time} by
 * the time index, at most {@code LIMIT} of them, of a folder's files those whose names match {@code
 * pattern}.
 *
 * @param rest the options that say something else
 */
record CopyRange(
    @Nullable String start,
    @Nullable String end,
    long limit,
    @Nullable Pattern pattern,
    List<Option> rest) {
  static CopyRange of(List<Option> options) {
    String start = null;
    String end = null;
    long limit = Long.MAX_VALUE;
    Pattern pattern = null;
    var rest = new ArrayList<Option>();
    for (Option o : options) {
      switch (o.key().toLowerCase(Locale.ROOT)) {
        case "start_time" -> start = value(o);
        case "end_time" -> end = value(o);
        case "limit" -> limit = number(o);
        case "pattern" -> pattern = pattern(o);
        // How others read or write in parallel, or guess types; types are the table's here.
        case "parallelism", "schema_infer_max_record" -> number(o);
        default -> rest.add(o);
      }
    }
    return new CopyRange(start, end, limit, pattern, rest);
  }

  private static String value(Option o) {
    String v = o.value();
    if (v == null) {
      throw new MillraceException(ErrorCode.SYNTAX_ERROR, o.key() + " requires a parameter");
    }
    return v;
  }

  private static long number(Option o) {
    String v = value(o);
    try {
      long n = Long.parseLong(v);
      if (n >= 0) {
        return n;
      }
    } catch (NumberFormatException e) {
      throw invalid(o, v, e);
    }
    throw invalid(o, v, null);
  }

  private static MillraceException invalid(Option o, String v, @Nullable Exception cause) {
    return new MillraceException(
        ErrorCode.INVALID_PARAMETER_VALUE,
        "invalid value for " + o.key() + ": \"" + v + "\"",
        cause);
  }

  private static Pattern pattern(Option o) {
    String v = value(o);
    try {
      return Pattern.compile(v);
    } catch (PatternSyntaxException e) {
      throw invalid(o, v, e);
    }
  }

  CopyRange unbounded() {
    return new CopyRange(null, null, limit, pattern, rest);
  }

  /** What is left to take after so many rows. */
  CopyRange lessThan(long before) {
    return limit == Long.MAX_VALUE
        ? this
        : new CopyRange(start, end, limit - before, pattern, rest);
  }

  boolean bounded() {
    return start != null || end != null;
  }

  /** What holds of the rows, as SQL over the table; null for all. */
  @Nullable String condition(TableInfo table) {
    if (!bounded()) {
      return null;
    }
    TableInfo.Column time =
        table
            .timeIndex()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.WRONG_OBJECT_TYPE,
                        "table \""
                            + table.name()
                            + "\" has no TIME INDEX for start_time and end_time"));
    String column = TableChecks.quoted(time.name());
    var out = new ArrayList<String>();
    if (start != null) {
      out.add(column + " >= " + literal(start));
    }
    if (end != null) {
      out.add(column + " < " + literal(end));
    }
    return String.join(" AND ", out);
  }

  private static String literal(String s) {
    return "'" + s.replace("'", "''") + "'";
  }
}
