package io.millrace.server.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes. Written as {@code 64MiB}, {@code 1.5GiB}, {@code 2MB}, {@code 4096} or as a
 * share of the heap, {@code 30%}.
 */
public record DataSize(long bytes) {
  private static final Pattern FORM =
      Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*([a-zA-Z]*|%)\\s*");

  public DataSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("a size cannot be negative");
    }
  }

  /** Reads a size; a share is of the largest heap that this JVM may take. */
  @JsonCreator
  public static DataSize parse(String text) {
    return parse(text, Runtime.getRuntime().maxMemory());
  }

  static DataSize parse(String text, long heap) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw malformed(text);
    }
    BigDecimal number = new BigDecimal(form.group(1));
    BigDecimal bytes =
        switch (form.group(2).toLowerCase(Locale.ROOT)) {
          case "", "b" -> number;
          case "k", "kib" -> number.multiply(BigDecimal.valueOf(1L << 10));
          case "m", "mib" -> number.multiply(BigDecimal.valueOf(1L << 20));
          case "g", "gib" -> number.multiply(BigDecimal.valueOf(1L << 30));
          case "t", "tib" -> number.multiply(BigDecimal.valueOf(1L << 40));
          case "kb" -> number.multiply(BigDecimal.valueOf(1_000L));
          case "mb" -> number.multiply(BigDecimal.valueOf(1_000_000L));
          case "gb" -> number.multiply(BigDecimal.valueOf(1_000_000_000L));
          case "tb" -> number.multiply(BigDecimal.valueOf(1_000_000_000_000L));
          case "%" -> share(number, heap, text);
          default -> throw malformed(text);
        };
    bytes = bytes.setScale(0, RoundingMode.DOWN);
    if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw malformed(text);
    }
    return new DataSize(bytes.longValueExact());
  }

  private static BigDecimal share(BigDecimal percent, long heap, String text) {
    if (percent.compareTo(BigDecimal.valueOf(100)) > 0) {
      throw malformed(text);
    }
    return percent.multiply(BigDecimal.valueOf(heap)).movePointLeft(2);
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "\""
            + text
            + "\" is not a size such as \"64MiB\", \"512KiB\", \"2GiB\" or \"30%\" of the heap");
  }

  /** The bytes as an int, for sizes of one buffer or one file. */
  public int toInt() {
    return Math.toIntExact(bytes);
  }

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
