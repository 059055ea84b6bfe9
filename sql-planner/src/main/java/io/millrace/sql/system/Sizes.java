package io.millrace.sql.system;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/** Sizes in bytes from text: pg_size_bytes. */
final class Sizes {
  private Sizes() {}

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
