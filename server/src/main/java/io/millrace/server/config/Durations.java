package io.millrace.server.config;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them: a number and a unit, {@code 250ms}, {@code 5s}, {@code 10m},
 * {@code 2h}, {@code 7d}.
 */
final class Durations {
  private static final Pattern FORM = Pattern.compile("\\s*(\\d{1,12})\\s*([a-zA-Z]+)\\s*");

  private Durations() {}

  static Duration parse(String text) {
    Matcher form = FORM.matcher(text);
    if (form.matches()) {
      long number = Long.parseLong(form.group(1));
      switch (form.group(2).toLowerCase(Locale.ROOT)) {
        case "us":
          return Duration.ofNanos(number * 1_000);
        case "ms":
          return Duration.ofMillis(number);
        case "s":
          return Duration.ofSeconds(number);
        case "m", "min":
          return Duration.ofMinutes(number);
        case "h":
          return Duration.ofHours(number);
        case "d":
          return Duration.ofDays(number);
        default:
          break;
      }
    }
    throw new IllegalArgumentException(
        "\"" + text + "\" is not a duration such as \"250ms\", \"5s\", \"10m\" or \"2h\"");
  }
}
