package io.millrace.common.unit;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations written such as {@code 7d}, {@code 1h 30m}, {@code 100ms}, {@code 2 weeks}. */
public final class Durations {
  private static final Pattern PART = Pattern.compile("\\G\\s*(\\d+)\\s*([a-zA-Zµ]+)\\s*");

  private Durations() {}

  /**
   * Microseconds; throws IllegalArgumentException. Months and years have no fixed length: refused.
   */
  public static long parseMicros(String text) {
    Matcher m = PART.matcher(text);
    long sum = 0;
    int end = 0;
    try {
      while (m.find()) {
        sum = Math.addExact(sum, Math.multiplyExact(Long.parseLong(m.group(1)), unit(m.group(2))));
        end = m.end();
      }
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("duration out of range: \"" + text + "\"", e);
    }
    if (end == 0 || end != text.length()) {
      throw new IllegalArgumentException("not a duration: \"" + text + "\"");
    }
    return sum;
  }

  private static long unit(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "us", "µs", "usec", "usecs", "microsecond", "microseconds" -> 1L;
      case "ms", "msec", "msecs", "millisecond", "milliseconds" -> 1_000L;
      case "s", "sec", "secs", "second", "seconds" -> 1_000_000L;
      case "m", "min", "mins", "minute", "minutes" -> 60_000_000L;
      case "h", "hr", "hrs", "hour", "hours" -> 3_600_000_000L;
      case "d", "day", "days" -> 86_400_000_000L;
      case "w", "week", "weeks" -> 604_800_000_000L;
      default -> throw new IllegalArgumentException("unknown unit \"" + name + "\"");
    };
  }
}
