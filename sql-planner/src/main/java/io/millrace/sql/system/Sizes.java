package io.millrace.sql.system;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;

/** Sizes in bytes as text: pg_size_pretty and pg_size_bytes. */
final class Sizes {
  private static final List<String> UNITS = List.of("bytes", "kB", "MB", "GB", "TB", "PB");

  private Sizes() {}

  /** Halves are rounded away from zero; a unit is left at 10240 of it. */
  static String pretty(long bytes) {
    long limit = 10 * 1024;
    if (Math.abs((double) bytes) < limit) {
      return bytes + " bytes";
    }
    long v = bytes;
    for (int u = 1; u < UNITS.size(); u++) {
      v = v / (u == 1 ? 512 : 1024);
      boolean last = u == UNITS.size() - 1;
      if (last || Math.abs(v) < limit * 2 - 1) {
        return (v + (v < 0 ? -1 : 1)) / 2 + " " + UNITS.get(u);
      }
    }
    throw new IllegalStateException("no unit for " + bytes);
  }

  static long bytes(String text) {
    String s = text.strip();
    int n = 0;
    while (n < s.length() && "+-.0123456789".indexOf(s.charAt(n)) >= 0) {
      n++;
    }
    String unit = s.substring(n).strip().toLowerCase(Locale.ROOT);
    int power =
        switch (unit) {
          case "", "b", "bytes" -> 0;
          case "kb" -> 1;
          case "mb" -> 2;
          case "gb" -> 3;
          case "tb" -> 4;
          case "pb" -> 5;
          default -> throw invalid(text);
        };
    try {
      return new BigDecimal(s.substring(0, n))
          .multiply(BigDecimal.valueOf(1L << 10 * power))
          .setScale(0, RoundingMode.HALF_UP)
          .longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new MillraceException(invalid(text).code(), invalid(text).message(), e);
    }
  }

  private static MillraceException invalid(String text) {
    return new MillraceException(
        ErrorCode.INVALID_PARAMETER_VALUE, "invalid size: \"" + text + "\"");
  }
}
