package io.millrace.wire;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.Arrays;

/** Format codes as Bind carries them: none (all text), one for all, or one per value. */
public final class Formats {
  public static final Formats TEXT = new Formats(new boolean[0]);
  public static final Formats BINARY = new Formats(new boolean[] {true});

  private final boolean[] binary;

  private Formats(boolean[] binary) {
    this.binary = binary;
  }

  /** The given codes, true = binary. */
  public static Formats of(boolean... binary) {
    return binary.length == 0 ? TEXT : new Formats(binary.clone());
  }

  /** Number of codes given: 0, 1 or one per value. */
  public int count() {
    return binary.length;
  }

  /** Whether value i is in binary format. */
  public boolean binary(int i) {
    return switch (binary.length) {
      case 0 -> false;
      case 1 -> binary[0];
      default -> binary[i];
    };
  }

  /**
   * Checks the number of codes against the number of result columns.
   *
   * @throws MillraceException 08P01 if they do not fit
   */
  public void checkResult(int columns) {
    if (binary.length > 1 && binary.length != columns) {
      throw new MillraceException(
          ErrorCode.PROTOCOL_VIOLATION,
          "bind message has "
              + binary.length
              + " result formats but query has "
              + columns
              + " columns");
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Formats f && Arrays.equals(binary, f.binary);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(binary);
  }

  @Override
  public String toString() {
    return "Formats" + Arrays.toString(binary);
  }
}
