package io.millrace.storage.sst.parquet;

import io.millrace.common.batch.Words;

/** Parquet's value encodings, written from primitive arrays. */
final class Encoders {
  private static final int DELTA_BLOCK = 128;
  private static final int MINI_BLOCKS = 4;
  private static final int MINI = DELTA_BLOCK / MINI_BLOCKS;

  private Encoders() {}

  /** RLE and bit packing mixed: runs of at least eight equal values become RLE runs. */
  static void hybrid(int[] v, int n, int width, Buffer out) {
    int bytes = width + 7 >>> 3;
    int i = 0;
    int packedFrom = 0;
    while (i < n) {
      int j = i + 1;
      int x = v[i];
      while (j < n && v[j] == x) {
        j++;
      }
      int run = j - i;
      int lead = i - packedFrom & 7;
      int fill = lead == 0 ? 0 : 8 - lead;
      if (run - fill >= 8) {
        int start = i + fill;
        packed(v, packedFrom, start, width, out);
        out.putVar((long) (j - start) << 1);
        for (int k = 0; k < bytes; k++) {
          out.put(x >>> (8 * k));
        }
        packedFrom = j;
      }
      i = j;
    }
    packed(v, packedFrom, n, width, out);
  }

  private static void packed(int[] v, int from, int to, int width, Buffer out) {
    int count = to - from;
    if (count == 0) {
      return;
    }
    int groups = count + 7 >>> 3;
    out.putVar((long) groups << 1 | 1);
    bits(v, from, to, groups * 8, width, out);
  }

  private static void bits(int[] v, int from, int to, int padded, int width, Buffer out) {
    out.ensure(padded * width / 8 + 8);
    long acc = 0;
    int have = 0;
    for (int i = 0; i < padded; i++) {
      long x = from + i < to ? v[from + i] & 0xffffffffL : 0;
      acc |= x << have;
      have += width;
      while (have >= 8) {
        out.data[out.size++] = (byte) acc;
        acc >>>= 8;
        have -= 8;
      }
    }
    if (have > 0) {
      out.data[out.size++] = (byte) acc;
    }
  }

  static int width(int maxValue) {
    return 32 - Integer.numberOfLeadingZeros(maxValue);
  }

  /** DELTA_BINARY_PACKED of 64-bit values, or of 32-bit ones with deltas that wrap at 32 bits. */
  static void delta(long[] v, int n, boolean ints, Buffer out) {
    out.putVar(DELTA_BLOCK);
    out.putVar(MINI_BLOCKS);
    out.putVar(n);
    out.putZigZag(n == 0 ? 0 : v[0]);
    long[] d = new long[DELTA_BLOCK];
    for (int at = 1; at < n; at += DELTA_BLOCK) {
      int c = Math.min(DELTA_BLOCK, n - at);
      long min = Long.MAX_VALUE;
      for (int i = 0; i < c; i++) {
        long x = v[at + i] - v[at + i - 1];
        x = ints ? (int) x : x;
        d[i] = x;
        min = Math.min(min, x);
      }
      out.putZigZag(min);
      int widths = out.size;
      out.ensure(MINI_BLOCKS);
      out.size += MINI_BLOCKS;
      for (int m = 0; m < MINI_BLOCKS; m++) {
        int from = m * MINI;
        int to = Math.min(c, from + MINI);
        if (from >= c) {
          out.data[widths + m] = 0;
          continue;
        }
        long or = 0;
        for (int i = from; i < to; i++) {
          d[i] -= min;
          d[i] = ints ? d[i] & 0xffffffffL : d[i];
          or |= d[i];
        }
        int w = 64 - Long.numberOfLeadingZeros(or);
        out.data[widths + m] = (byte) w;
        packLongs(d, from, to, w, out);
      }
    }
  }

  private static void packLongs(long[] d, int from, int to, int w, Buffer out) {
    if (w == 0) {
      return;
    }
    int bytes = MINI * w / 8;
    out.ensure(bytes + 16);
    java.util.Arrays.fill(out.data, out.size, out.size + bytes + 16, (byte) 0);
    int bit = 0;
    for (int i = from; i < to; i++, bit += w) {
      int p = out.size + (bit >>> 3);
      int s = bit & 7;
      Words.putLong(out.data, p, Words.getLong(out.data, p) | d[i] << s);
      if (s + w > 64) {
        out.data[p + 8] |= (byte) (d[i] >>> (64 - s));
      }
    }
    out.size += bytes;
  }

  /** BYTE_STREAM_SPLIT of 8-byte values. */
  static void splitLongs(long[] v, int n, Buffer out) {
    out.ensure(n * 8);
    byte[] b = out.data;
    int p = out.size;
    for (int i = 0; i < n; i++) {
      long x = v[i];
      b[p + i] = (byte) x;
      b[p + n + i] = (byte) (x >>> 8);
      b[p + 2 * n + i] = (byte) (x >>> 16);
      b[p + 3 * n + i] = (byte) (x >>> 24);
      b[p + 4 * n + i] = (byte) (x >>> 32);
      b[p + 5 * n + i] = (byte) (x >>> 40);
      b[p + 6 * n + i] = (byte) (x >>> 48);
      b[p + 7 * n + i] = (byte) (x >>> 56);
    }
    out.size += n * 8;
  }

  /** BYTE_STREAM_SPLIT of 4-byte values. */
  static void splitInts(int[] v, int n, Buffer out) {
    out.ensure(n * 4);
    byte[] b = out.data;
    int p = out.size;
    for (int i = 0; i < n; i++) {
      int x = v[i];
      b[p + i] = (byte) x;
      b[p + n + i] = (byte) (x >>> 8);
      b[p + 2 * n + i] = (byte) (x >>> 16);
      b[p + 3 * n + i] = (byte) (x >>> 24);
    }
    out.size += n * 4;
  }

  static void plainLongs(long[] v, int n, Buffer out) {
    out.ensure(n * 8);
    for (int i = 0; i < n; i++) {
      Words.putLong(out.data, out.size + i * 8, v[i]);
    }
    out.size += n * 8;
  }

  static void plainInts(int[] v, int n, Buffer out) {
    out.ensure(n * 4);
    for (int i = 0; i < n; i++) {
      Words.putInt(out.data, out.size + i * 4, v[i]);
    }
    out.size += n * 4;
  }

  static void plainBooleans(boolean[] v, int n, Buffer out) {
    out.ensure(n + 7 >>> 3);
    for (int i = 0; i < n; i += 8) {
      int x = 0;
      for (int k = 0; k < 8 && i + k < n; k++) {
        x |= (v[i + k] ? 1 : 0) << k;
      }
      out.data[out.size++] = (byte) x;
    }
  }
}
