package io.millrace.server.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.time.Duration;

/**
 * When a commit counts as safe: after its log record is forced, at intervals, or whenever the
 * system writes it.
 */
public sealed interface WalSync {
  record OnCommit() implements WalSync {}

  record Interval(Duration every) implements WalSync {
    public Interval {
      if (every.isZero() || every.isNegative()) {
        throw new IllegalArgumentException("the interval must be longer than nothing");
      }
    }
  }

  record None() implements WalSync {}

  @JsonCreator
  static WalSync parse(String text) {
    String form = text.strip();
    if (form.equals("commit")) {
      return new OnCommit();
    }
    if (form.equals("none")) {
      return new None();
    }
    if (form.startsWith("interval ")) {
      return new Interval(Durations.parse(form.substring("interval ".length())));
    }
    throw new IllegalArgumentException(
        "\"" + text + "\" is none of \"commit\", \"interval 100ms\" (any duration) and \"none\"");
  }
}
