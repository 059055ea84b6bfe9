package io.millrace.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parameter values as they came: value i is bytes[offsets[i], offsets[i] + lengths[i]), NULL if
 * lengths[i] is -1. The arrays are not copied: read only.
 */
public record RawParameters(byte[] bytes, int[] offsets, int[] lengths, Formats formats) {
  public static final RawParameters NONE =
      new RawParameters(new byte[0], new int[0], new int[0], Formats.TEXT);

  /** Values in text format, null = NULL. */
  public static RawParameters ofText(@Nullable String... values) {
    byte[] bytes = new byte[16];
    int end = 0;
    int[] offsets = new int[values.length];
    int[] lengths = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      String value = values[i];
      offsets[i] = end;
      lengths[i] = -1;
      if (value != null) {
        byte[] v = value.getBytes(StandardCharsets.UTF_8);
        if (end + v.length > bytes.length) {
          bytes = Arrays.copyOf(bytes, Math.max(end + v.length, 2 * bytes.length));
        }
        System.arraycopy(v, 0, bytes, end, v.length);
        lengths[i] = v.length;
        end += v.length;
      }
    }
    return new RawParameters(bytes, offsets, lengths, Formats.TEXT);
  }

  public int count() {
    return offsets.length;
  }

  public boolean isNull(int i) {
    return lengths[i] < 0;
  }

  public boolean binary(int i) {
    return formats.binary(i);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RawParameters p
        && Arrays.equals(bytes, p.bytes)
        && Arrays.equals(offsets, p.offsets)
        && Arrays.equals(lengths, p.lengths)
        && formats.equals(p.formats);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(bytes) + Arrays.hashCode(offsets);
  }

  @Override
  public String toString() {
    return "RawParameters[" + count() + "]";
  }
}
