package io.millrace.bench;

import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;

/** Timestamps as SQL writes them. */
final class Times {
  private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private Times() {}

  static String text(LocalDateTime time) {
    return FORM.format(time);
  }
}
