package io.millrace.common.batch;

import org.jspecify.annotations.Nullable;

/** Bitmaps as {@code long[]}, bit i in word i / 64. */
public final class Bits {
  private Bits() {}

  public static int words(int bits) {
    return bits + 63 >>> 6;
  }

  /** A bitmap with bits [0, n) set. */
  public static long[] allSet(int n) {
    long[] b = new long[words(n)];
    for (int i = 0; i < n >>> 6; i++) {
      b[i] = -1L;
    }
    if ((n & 63) != 0) {
      b[n >>> 6] = (1L << (n & 63)) - 1;
    }
    return b;
  }

  public static boolean get(long[] b, int i) {
    return (b[i >> 6] >>> i & 1) != 0;
  }

  public static void set(long[] b, int i) {
    b[i >> 6] |= 1L << i;
  }

  public static void clear(long[] b, int i) {
    b[i >> 6] &= ~(1L << i);
  }

  /** Number of set bits among the first n. */
  public static int count(long[] b, int n) {
    int c = 0;
    for (int i = 0; i < n >>> 6; i++) {
      c += Long.bitCount(b[i]);
    }
    if ((n & 63) != 0) {
      c += Long.bitCount(b[n >>> 6] & ((1L << (n & 63)) - 1));
    }
    return c;
  }

  public static long[] take(long[] b, int[] positions, int count) {
    long[] out = new long[words(count)];
    for (int i = 0; i < count; i++) {
      int p = positions[i];
      out[i >> 6] |= (b[p >> 6] >>> p & 1) << i;
    }
    return out;
  }

  public static long[] slice(long[] b, int from, int count) {
    int n = words(count);
    long[] out = new long[n];
    int shift = from & 63;
    int w = from >> 6;
    for (int i = 0; i < n; i++) {
      long lo = b[w + i] >>> shift;
      long hi = shift != 0 && w + i + 1 < b.length ? b[w + i + 1] << (64 - shift) : 0;
      out[i] = lo | hi;
    }
    return out;
  }

  /** Rows valid in both; null means all valid. */
  public static long @Nullable [] and(long @Nullable [] a, long @Nullable [] b, int n) {
    if (a == null) {
      return b;
    }
    if (b == null) {
      return a;
    }
    long[] out = new long[words(n)];
    for (int i = 0; i < out.length; i++) {
      out[i] = a[i] & b[i];
    }
    return out;
  }
}
