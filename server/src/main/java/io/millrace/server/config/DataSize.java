package io.millrace.server.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes in the configuration: as {@link io.millrace.common.unit.DataSize} reads it, or
 * a share of the heap, {@code 30%}.
 */
public record DataSize(long bytes) {
  private static final Pattern SHARE = Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*%\\s*");

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
    Matcher share = SHARE.matcher(text);
    if (!share.matches()) {
      return new DataSize(io.millrace.common.unit.DataSize.parse(text).bytes());
    }
    var percent = new BigDecimal(share.group(1));
    if (percent.compareTo(BigDecimal.valueOf(100)) > 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a size: a share is at most 100% of the heap");
    }
    return new DataSize(
        percent
            .multiply(BigDecimal.valueOf(heap))
            .movePointLeft(2)
            .setScale(0, RoundingMode.DOWN)
            .longValueExact());
  }

  /** The bytes as an int, for sizes of one buffer or one file. */
  public int toInt() {
    return Math.toIntExact(bytes);
  }

  @Override
  public String toString() {
    return new io.millrace.common.unit.DataSize(bytes).toString();
  }
}
