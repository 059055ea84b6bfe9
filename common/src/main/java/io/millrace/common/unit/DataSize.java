package io.millrace.common.unit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes, written such as {@code 64MiB}, {@code 1.5 GiB}, {@code 2MB}, {@code 4096}. */
public record DataSize(long bytes) {
  private static final Pattern FORM = Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*([a-zA-Z]*)\\s*");

  /**
   * KiB, MiB, GiB, TiB and K, M, G, T are binary; KB, MB, GB, TB decimal; B or nothing bytes. A
   * fraction of a byte is dropped.
   *
   * @throws IllegalArgumentException for anything else, and beyond a long
   */
  public static DataSize parse(String text) {
    Matcher m = FORM.matcher(text);
    if (!m.matches()) {
      throw malformed(text);
    }
    long unit =
        switch (m.group(2).toLowerCase(Locale.ROOT)) {
          case "", "b" -> 1L;
          case "k", "kib" -> 1L << 10;
          case "m", "mib" -> 1L << 20;
          case "g", "gib" -> 1L << 30;
          case "t", "tib" -> 1L << 40;
          case "kb" -> 1_000L;
          case "mb" -> 1_000_000L;
          case "gb" -> 1_000_000_000L;
          case "tb" -> 1_000_000_000_000L;
          default -> throw malformed(text);
        };
    BigDecimal bytes =
        new BigDecimal(m.group(1))
            .multiply(BigDecimal.valueOf(unit))
            .setScale(0, RoundingMode.DOWN);
    if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw malformed(text);
    }
    return new DataSize(bytes.longValueExact());
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "\"" + text + "\" is not a size such as \"64MiB\", \"512KiB\" or \"2GiB\"");
  }

  /** In the largest binary unit that divides it: {@code 64MiB}, {@code 1536B}. */
  @Override
  public String toString() {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    long number = bytes;
    int unit = 0;
    while (unit < units.length - 1 && number >= 1024 && number % 1024 == 0) {
      number /= 1024;
      unit++;
    }
    return number + units[unit];
  }
}
