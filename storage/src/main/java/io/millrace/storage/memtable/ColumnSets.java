package io.millrace.storage.memtable;

import java.util.Arrays;
import java.util.Collection;

/** Sets of column ids as bytes: sorted, four bytes each, little-endian. The form of __cleared. */
public final class ColumnSets {
  private ColumnSets() {}

  public static byte[] encode(Collection<Integer> ids) {
    int[] sorted = ids.stream().mapToInt(Integer::intValue).sorted().distinct().toArray();
    byte[] out = new byte[sorted.length * 4];
    for (int i = 0; i < sorted.length; i++) {
      for (int k = 0; k < 4; k++) {
        out[i * 4 + k] = (byte) (sorted[i] >>> (8 * k));
      }
    }
    return out;
  }

  public static int[] decode(byte[] data, int from, int to) {
    int[] out = new int[(to - from) / 4];
    for (int i = 0; i < out.length; i++) {
      int p = from + i * 4;
      out[i] =
          data[p] & 0xff
              | (data[p + 1] & 0xff) << 8
              | (data[p + 2] & 0xff) << 16
              | (data[p + 3] & 0xff) << 24;
    }
    return out;
  }

  public static boolean contains(byte[] data, int from, int to, int id) {
    return Arrays.binarySearch(decode(data, from, to), id) >= 0;
  }
}
