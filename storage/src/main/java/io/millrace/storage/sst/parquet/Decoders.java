package io.millrace.storage.sst.parquet;

import io.millrace.common.batch.Words;
import java.util.Arrays;

/** Parquet's value encodings, read into primitive arrays. One per thread: keeps a read position. */
final class Decoders {
  private int at;

  /** RLE and bit packing mixed, n values of the width from b[off, end). */
  void hybrid(byte[] b, int off, int end, int width, int[] out, int n) {
    at = off;
    int i = 0;
    int bytes = width + 7 >>> 3;
    while (i < n) {
      if (at >= end) {
        throw new IllegalStateException("levels or codes end early");
      }
      int h = (int) var(b);
      if ((h & 1) == 0) {
        int run = Math.min(n - i, h >>> 1);
        int x = 0;
        for (int k = 0; k < bytes; k++) {
          x |= (b[at++] & 0xff) << (8 * k);
        }
        Arrays.fill(out, i, i + run, x);
        i += run;
      } else {
        int count = (h >>> 1) * 8;
        int take = Math.min(n - i, count);
        long bit = (long) at * 8;
        long mask = (1L << width) - 1;
        for (int k = 0; k < take; k++, bit += width) {
          out[i + k] = (int) (load(b, (int) (bit >>> 3)) >>> (bit & 7) & mask);
        }
        at += count * width / 8;
        i += take;
      }
    }
  }

  /** Whether b[off, end) is one run of at least n ones, of width 1. */
  static boolean allOnes(byte[] b, int off, int end, int n) {
    long h = 0;
    int p = off;
    int s = 0;
    while (p < end && s < 35) {
      byte x = b[p++];
      h |= (long) (x & 0x7f) << s;
      if (x >= 0) {
        return (h & 1) == 0 && h >>> 1 >= n && p < end && b[p] == 1;
      }
      s += 7;
    }
    return false;
  }

  private long var(byte[] b) {
    long r = 0;
    int s = 0;
    for (; ; ) {
      byte x = b[at++];
      r |= (long) (x & 0x7f) << s;
      if (x >= 0) {
        return r;
      }
      s += 7;
    }
  }

  private long zigzag(byte[] b) {
    long u = var(b);
    return u >>> 1 ^ -(u & 1);
  }

  private static long load(byte[] b, int p) {
    if (p + 8 <= b.length) {
      return Words.getLong(b, p);
    }
    long r = 0;
    for (int i = 0; p + i < b.length; i++) {
      r |= (b[p + i] & 0xffL) << (8 * i);
    }
    return r;
  }

  /** DELTA_BINARY_PACKED; 32-bit values come out right after a cast to int. */
  void delta(byte[] b, int off, long[] out, int n) {
    at = off;
    int block = (int) var(b);
    int minis = (int) var(b);
    int total = (int) var(b);
    long v = zigzag(b);
    if (total != n) {
      throw new IllegalStateException("page holds " + total + " values, not " + n);
    }
    if (n == 0) {
      return;
    }
    int per = block / minis;
    int done = 1;
    out[0] = v;
    while (done < n) {
      long min = zigzag(b);
      int widths = at;
      at += minis;
      for (int m = 0; m < minis && done < n; m++) {
        int w = b[widths + m];
        int c = Math.min(per, n - done);
        if (w == 0) {
          for (int i = 0; i < c; i++) {
            v += min;
            out[done + i] = v;
          }
        } else {
          long mask = w == 64 ? -1L : (1L << w) - 1;
          long bit = (long) at * 8;
          for (int i = 0; i < c; i++, bit += w) {
            int p = (int) (bit >>> 3);
            int s = (int) (bit & 7);
            long x = load(b, p) >>> s;
            if (s + w > 64) {
              x |= load(b, p + 8) << (64 - s);
            }
            v += min + (x & mask);
            out[done + i] = v;
          }
        }
        at += per * w / 8;
        done += c;
      }
    }
  }

  /**
   * BYTE_STREAM_SPLIT of 8-byte values, eight at a time: eight 8-byte loads, an 8 × 8 byte
   * transpose in registers, eight stores.
   */
  static void splitDoubles(byte[] b, int off, double[] out, int n) {
    int i = 0;
    for (; i + 7 < n; i += 8) {
      int p = off + i;
      long a0 = Words.getLong(b, p);
      long a1 = Words.getLong(b, p + n);
      long a2 = Words.getLong(b, p + 2 * n);
      long a3 = Words.getLong(b, p + 3 * n);
      long a4 = Words.getLong(b, p + 4 * n);
      long a5 = Words.getLong(b, p + 5 * n);
      long a6 = Words.getLong(b, p + 6 * n);
      long a7 = Words.getLong(b, p + 7 * n);
      long m = 0x00FF00FF00FF00FFL;
      long t = (a0 >>> 8 ^ a1) & m;
      a1 ^= t;
      a0 ^= t << 8;
      t = (a2 >>> 8 ^ a3) & m;
      a3 ^= t;
      a2 ^= t << 8;
      t = (a4 >>> 8 ^ a5) & m;
      a5 ^= t;
      a4 ^= t << 8;
      t = (a6 >>> 8 ^ a7) & m;
      a7 ^= t;
      a6 ^= t << 8;
      m = 0x0000FFFF0000FFFFL;
      t = (a0 >>> 16 ^ a2) & m;
      a2 ^= t;
      a0 ^= t << 16;
      t = (a1 >>> 16 ^ a3) & m;
      a3 ^= t;
      a1 ^= t << 16;
      t = (a4 >>> 16 ^ a6) & m;
      a6 ^= t;
      a4 ^= t << 16;
      t = (a5 >>> 16 ^ a7) & m;
      a7 ^= t;
      a5 ^= t << 16;
      m = 0x00000000FFFFFFFFL;
      t = (a0 >>> 32 ^ a4) & m;
      a4 ^= t;
      a0 ^= t << 32;
      t = (a1 >>> 32 ^ a5) & m;
      a5 ^= t;
      a1 ^= t << 32;
      t = (a2 >>> 32 ^ a6) & m;
      a6 ^= t;
      a2 ^= t << 32;
      t = (a3 >>> 32 ^ a7) & m;
      a7 ^= t;
      a3 ^= t << 32;
      out[i] = Double.longBitsToDouble(a0);
      out[i + 1] = Double.longBitsToDouble(a1);
      out[i + 2] = Double.longBitsToDouble(a2);
      out[i + 3] = Double.longBitsToDouble(a3);
      out[i + 4] = Double.longBitsToDouble(a4);
      out[i + 5] = Double.longBitsToDouble(a5);
      out[i + 6] = Double.longBitsToDouble(a6);
      out[i + 7] = Double.longBitsToDouble(a7);
    }
    for (; i < n; i++) {
      long x = 0;
      for (int k = 0; k < 8; k++) {
        x |= (b[off + k * n + i] & 0xffL) << (8 * k);
      }
      out[i] = Double.longBitsToDouble(x);
    }
  }

  static void splitFloats(byte[] b, int off, float[] out, int n) {
    for (int i = 0; i < n; i++) {
      int x =
          b[off + i] & 0xff
              | (b[off + n + i] & 0xff) << 8
              | (b[off + 2 * n + i] & 0xff) << 16
              | (b[off + 3 * n + i] & 0xff) << 24;
      out[i] = Float.intBitsToFloat(x);
    }
  }
}
