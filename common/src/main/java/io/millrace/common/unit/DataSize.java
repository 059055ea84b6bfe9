package io.millrace.common.unit;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes, written such as {@code 64MiB}, {@code 1 GB}, {@code 4096}. */
public record DataSize(long bytes) {
  private static final Pattern FORM = Pattern.compile("(\\d+)\\s*([A-Za-z]*)");

  /**
   * Binary units (KiB, MiB, GiB, TiB; K, M, G, T; KB, MB, GB, TB mean the same), B or none = bytes.
   */
  public static DataSize parse(String text) {
    Matcher m = FORM.matcher(text.trim());
    if (!m.matches()) {
      throw new IllegalArgumentException("not a size: \"" + text + "\"");
    }
    int shift =
        switch (m.group(2).toUpperCase(Locale.ROOT)) {
          case "", "B" -> 0;
          case "K", "KB", "KIB" -> 10;
          case "M", "MB", "MIB" -> 20;
          case "G", "GB", "GIB" -> 30;
          case "T", "TB", "TIB" -> 40;
          default -> throw new IllegalArgumentException("unknown unit in \"" + text + "\"");
        };
    try {
      return new DataSize(Math.multiplyExact(Long.parseLong(m.group(1)), 1L << shift));
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("size out of range: \"" + text + "\"", e);
    }
  }

  @Override
  public String toString() {
    if (bytes != 0 && bytes % (1L << 30) == 0) {
      return (bytes >> 30) + "GiB";
    }
    if (bytes != 0 && bytes % (1L << 20) == 0) {
      return (bytes >> 20) + "MiB";
    }
    return bytes != 0 && bytes % 1024 == 0 ? (bytes >> 10) + "KiB" : bytes + "B";
  }
}
