package io.millrace.common.copy;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of COPY, checked as PostgreSQL checks them.
 *
 * @param header a header line is skipped or written
 * @param headerMatch the header line must name the columns
 * @param forceQuote columns whose values are always quoted
 * @param forceNotNull columns whose unquoted null text is an empty value
 * @param forceNull columns whose quoted null text is NULL
 */
public record CopyOptions(
    Format format,
    byte delimiter,
    String nullText,
    boolean header,
    boolean headerMatch,
    byte quote,
    byte escape,
    Set<String> forceQuote,
    Set<String> forceNotNull,
    Set<String> forceNull) {
  public enum Format {
    TEXT,
    CSV,
    BINARY,
    /** Arrow's IPC stream. */
    ARROW
  }

  /**
   * An option as it was written.
   *
   * @param value null for an option without a value
   * @param columns column list of the force options; {@code *} alone = all
   */
  public record Option(String name, @Nullable String value, List<String> columns) {
    public Option(String name, @Nullable String value) {
      this(name, value, List.of());
    }
  }

  public static CopyOptions text() {
    return new CopyOptions(
        Format.TEXT,
        (byte) '\t',
        "\\N",
        false,
        false,
        (byte) 0,
        (byte) 0,
        Set.of(),
        Set.of(),
        Set.of());
  }

  public static CopyOptions csv() {
    return new CopyOptions(
        Format.CSV,
        (byte) ',',
        "",
        false,
        false,
        (byte) '"',
        (byte) '"',
        Set.of(),
        Set.of(),
        Set.of());
  }

  public static CopyOptions binary() {
    return new CopyOptions(
        Format.BINARY,
        (byte) 0,
        "",
        false,
        false,
        (byte) 0,
        (byte) 0,
        Set.of(),
        Set.of(),
        Set.of());
  }

  /**
   * Options from a statement.
   *
   * @param from COPY FROM
   * @param columns the columns copied, for the force options
   */
  public static CopyOptions parse(List<Option> options, boolean from, List<String> columns) {
    Format format = Format.TEXT;
    String delimiter = null;
    String nullText = null;
    boolean header = false;
    boolean match = false;
    String quote = null;
    String escape = null;
    Set<String> forceQuote = Set.of();
    Set<String> forceNotNull = Set.of();
    Set<String> forceNull = Set.of();
    var seen = new HashSet<String>();
    for (Option o : options) {
      String name = o.name().toLowerCase(Locale.ROOT);
      if (!seen.add(name)) {
        throw new MillraceException(ErrorCode.SYNTAX_ERROR, "conflicting or redundant options");
      }
      switch (name) {
        case "format" -> format = format(text(o));
        case "freeze", "oids" -> {
          // Accepted: there is nothing that they would change.
        }
        case "delimiter" -> delimiter = text(o);
        case "null" -> nullText = text(o);
        case "header" -> {
          match = o.value() != null && o.value().equalsIgnoreCase("match");
          header = match || bool(o);
        }
        case "quote" -> quote = text(o);
        case "escape" -> escape = text(o);
        case "force_quote" -> forceQuote = columns(o, columns);
        case "force_not_null" -> forceNotNull = columns(o, columns);
        case "force_null" -> forceNull = columns(o, columns);
        case "encoding" -> {
          String e = text(o).toLowerCase(Locale.ROOT).replaceAll("[-_]", "");
          if (!e.equals("utf8") && !e.equals("unicode") && !e.equals("sqlascii")) {
            throw new MillraceException(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                "COPY encoding \"" + text(o) + "\" is not supported: only UTF8");
          }
        }
        default ->
            throw new MillraceException(
                    ErrorCode.SYNTAX_ERROR, "option \"" + o.name() + "\" not recognized")
                .withHint(
                    "Options are format, delimiter, null, header, quote, escape, force_quote,"
                        + " force_not_null, force_null, encoding, freeze.");
      }
    }
    boolean csv = format == Format.CSV;
    boolean arrow = format == Format.ARROW;
    check(
        !arrow || delimiter == null && nullText == null && !header,
        "cannot specify DELIMITER, NULL or HEADER in ARROW mode");
    check(format != Format.BINARY || delimiter == null, "cannot specify DELIMITER in BINARY mode");
    check(format != Format.BINARY || nullText == null, "cannot specify NULL in BINARY mode");
    check(format != Format.BINARY || !header, "cannot specify HEADER in BINARY mode");
    String d = delimiter == null ? (csv ? "," : "\t") : delimiter;
    String n = nullText == null ? (csv ? "" : "\\N") : nullText;
    String q = quote == null ? "\"" : quote;
    String e = escape == null ? q : escape;
    feature(oneByte(d), "COPY delimiter must be a single one-byte character");
    invalid(
        !d.equals("\r") && !d.equals("\n"), "COPY delimiter cannot be newline or carriage return");
    invalid(
        n.indexOf('\r') < 0 && n.indexOf('\n') < 0,
        "COPY null representation cannot use newline or carriage return");
    invalid(
        csv || "\\.abcdefghijklmnopqrstuvwxyz0123456789".indexOf(d) < 0,
        "COPY delimiter cannot be \"" + d + "\"");
    feature(csv || quote == null, "COPY quote available only in CSV mode");
    feature(!csv || oneByte(q), "COPY quote must be a single one-byte character");
    invalid(!csv || !d.equals(q), "COPY delimiter and quote must be different");
    feature(csv || escape == null, "COPY escape available only in CSV mode");
    feature(!csv || oneByte(e), "COPY escape must be a single one-byte character");
    feature(csv || forceQuote.isEmpty(), "COPY force quote available only in CSV mode");
    feature(forceQuote.isEmpty() || !from, "COPY force quote only available using COPY TO");
    feature(csv || forceNotNull.isEmpty(), "COPY force not null available only in CSV mode");
    feature(forceNotNull.isEmpty() || from, "COPY force not null only available using COPY FROM");
    feature(csv || forceNull.isEmpty(), "COPY force null available only in CSV mode");
    feature(forceNull.isEmpty() || from, "COPY force null only available using COPY FROM");
    feature(n.indexOf(d) < 0, "COPY delimiter must not appear in the NULL specification");
    feature(
        !csv || n.indexOf(q) < 0, "CSV quote character must not appear in the NULL specification");
    feature(!match || from, "cannot use \"match\" with HEADER in COPY TO");
    return new CopyOptions(
        format,
        (byte) d.charAt(0),
        n,
        header,
        match,
        csv ? (byte) q.charAt(0) : 0,
        csv ? (byte) e.charAt(0) : 0,
        forceQuote,
        forceNotNull,
        forceNull);
  }

  private static boolean oneByte(String s) {
    return s.length() == 1 && s.charAt(0) < 0x80 && s.charAt(0) > 0;
  }

  private static void check(boolean ok, String message) {
    if (!ok) {
      throw new MillraceException(ErrorCode.SYNTAX_ERROR, message);
    }
  }

  private static void feature(boolean ok, String message) {
    if (!ok) {
      throw new MillraceException(ErrorCode.FEATURE_NOT_SUPPORTED, message);
    }
  }

  private static void invalid(boolean ok, String message) {
    if (!ok) {
      throw new MillraceException(ErrorCode.INVALID_PARAMETER_VALUE, message);
    }
  }

  private static String text(Option o) {
    String v = o.value();
    if (v == null) {
      throw new MillraceException(ErrorCode.SYNTAX_ERROR, o.name() + " requires a parameter");
    }
    return v;
  }

  private static boolean bool(Option o) {
    String v = o.value();
    if (v == null) {
      return true;
    }
    return switch (v.toLowerCase(Locale.ROOT)) {
      case "true", "on", "1" -> true;
      case "false", "off", "0" -> false;
      default ->
          throw new MillraceException(
              ErrorCode.SYNTAX_ERROR, o.name() + " requires a Boolean value or \"match\"");
    };
  }

  private static Format format(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "text" -> Format.TEXT;
      case "csv" -> Format.CSV;
      case "binary" -> Format.BINARY;
      case "arrow" -> Format.ARROW;
      default ->
          throw new MillraceException(
              ErrorCode.INVALID_PARAMETER_VALUE, "COPY format \"" + name + "\" not recognized");
    };
  }

  private static Set<String> columns(Option o, List<String> copied) {
    if (o.columns().equals(List.of("*")) || "*".equals(o.value())) {
      return Set.copyOf(copied);
    }
    for (String c : o.columns()) {
      if (!copied.contains(c)) {
        throw new MillraceException(
            ErrorCode.INVALID_COLUMN_REFERENCE,
            o.name().toUpperCase(Locale.ROOT) + " column \"" + c + "\" not referenced by COPY");
      }
    }
    return Set.copyOf(o.columns());
  }
}
