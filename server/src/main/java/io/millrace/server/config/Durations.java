package io.millrace.server.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Durations of the configuration: {@code 250ms}, {@code 5s}, {@code 10m}, {@code 2h}, {@code 7d}.
 */
final class Durations {
  private Durations() {}

  static Duration parse(String text) {
    try {
      return Duration.of(io.millrace.common.unit.Durations.parseMicros(text), ChronoUnit.MICROS);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a duration such as \"250ms\", \"5s\", \"10m\" or \"2h\"", e);
    }
  }
}
