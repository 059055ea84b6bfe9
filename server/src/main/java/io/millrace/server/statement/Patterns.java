package io.millrace.server.statement;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** LIKE patterns of SHOW statements over names. */
final class Patterns {
  private Patterns() {}

  static boolean like(@Nullable String pattern, String name) {
    if (pattern == null) {
      return true;
    }
    var regex = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      switch (c) {
        case '%' -> regex.append(".*");
        case '_' -> regex.append('.');
        case '\\' -> {
          if (i + 1 < pattern.length()) {
            i++;
            regex.append(Pattern.quote(String.valueOf(pattern.charAt(i))));
          }
        }
        default -> regex.append(Pattern.quote(String.valueOf(c)));
      }
    }
    return Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(name).matches();
  }
}
