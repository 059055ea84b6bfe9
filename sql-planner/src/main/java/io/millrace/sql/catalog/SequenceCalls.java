package io.millrace.sql.catalog;

import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Calls of nextval in DEFAULT expressions. They are kept with the sequence's oid, so that they
 * survive renames and mean the same under every search path, and shown with its name.
 */
public final class SequenceCalls {
  private static final Pattern NUMBER = Pattern.compile("'(\\d+)'::regclass");
  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)\\bnextval\\s*\\(\\s*'((?:[^']|'')+)'\\s*(?:::\\s*(?:pg_catalog\\s*\\.\\s*)?regclass)?\\s*\\)");

  private SequenceCalls() {}

  /** nextval of a sequence as it is kept. */
  public static String nextval(int oid) {
    return "nextval('" + Integer.toUnsignedString(oid) + "'::regclass)";
  }

  public static boolean uses(String sql, int oid) {
    return sql.contains("'" + Integer.toUnsignedString(oid) + "'::regclass");
  }

  /**
   * The expression with names in place of oids.
   *
   * @param names a relation's name as SQL text; null leaves the oid
   */
  public static String shown(String sql, IntFunction<@Nullable String> names) {
    if (!sql.contains("'::regclass")) {
      return sql;
    }
    Matcher m = NUMBER.matcher(sql);
    var out = new StringBuilder();
    while (m.find()) {
      String name = oidOrZero(m.group(1)) == 0 ? null : names.apply(oidOrZero(m.group(1)));
      m.appendReplacement(
          out,
          Matcher.quoteReplacement(
              name == null ? m.group() : "'" + name.replace("'", "''") + "'::regclass"));
    }
    return m.appendTail(out).toString();
  }

  private static int oidOrZero(String digits) {
    return digits.length() > 10 ? 0 : (int) Long.parseLong(digits);
  }

  /** Looks a relation's text name up. */
  @FunctionalInterface
  public interface Lookup {
    /** Oid of the sequence; 0 leaves the call as it is. */
    int oid(String name);
  }

  /** The expression with oids in place of names, to be kept. */
  public static String kept(String sql, Lookup lookup) {
    Matcher m = NAMED.matcher(sql);
    var out = new StringBuilder();
    while (m.find()) {
      int oid = lookup.oid(m.group(1).replace("''", "'"));
      m.appendReplacement(out, Matcher.quoteReplacement(oid == 0 ? m.group() : nextval(oid)));
    }
    return m.appendTail(out).toString();
  }
}
