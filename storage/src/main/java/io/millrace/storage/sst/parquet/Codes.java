package io.millrace.storage.sst.parquet;

import io.millrace.common.batch.Words;
import java.util.Arrays;

/**
 * Dictionary codes of a page, RLE and bit packing mixed, read piece by piece: into codes, or
 * through a dictionary into its values. Up to eight bits wide, eight codes come from one load. One
 * thread.
 */
final class Codes {
  private final byte[] b;
  private final int end;
  private final int width;
  private final int mask;
  private int at;

  /** What is left of the current run: of one code, or of packed codes that begin at a bit. */
  private int left;

  private boolean packed;
  private int code;
  private long bit;

  Codes(byte[] b, int off, int end, int width) {
    if (width < 0 || width > 31) {
      throw new IllegalStateException("codes of " + width + " bits");
    }
    this.b = b;
    this.at = off;
    this.end = end;
    this.width = width;
    this.mask = (1 << width) - 1;
  }

  /** Makes {@link #left} positive. */
  private void run() {
    while (left == 0) {
      if (at >= end) {
        throw new IllegalStateException("codes end early");
      }
      int h = header();
      packed = (h & 1) != 0;
      if (packed) {
        left = (h >>> 1) * 8;
        bit = (long) at * 8;
        at += (h >>> 1) * width;
      } else {
        left = h >>> 1;
        code = 0;
        for (int k = 0; k < width + 7 >>> 3; k++) {
          code |= (b[at++] & 0xff) << (8 * k);
        }
      }
    }
  }

  private int header() {
    int r = 0;
    int s = 0;
    for (; ; ) {
      byte x = b[at++];
      r |= (x & 0x7f) << s;
      if (x >= 0) {
        return r;
      }
      s += 7;
    }
  }

  /** The next n codes. */
  void next(int[] out, int n) {
    int i = 0;
    while (i < n) {
      run();
      int take = Math.min(left, n - i);
      if (packed) {
        unpack(out, i, take);
      } else {
        Arrays.fill(out, i, i + take, code);
      }
      left -= take;
      i += take;
    }
  }

  /** The values of the next n codes. */
  void next(double[] out, int n, double[] dictionary) {
    int i = 0;
    while (i < n) {
      run();
      int take = Math.min(left, n - i);
      if (packed) {
        unpack(out, i, take, dictionary);
      } else {
        Arrays.fill(out, i, i + take, dictionary[code]);
      }
      left -= take;
      i += take;
    }
  }

  /** Eight codes from one load are safe up to this place. */
  private int fastEnd(int from, int take) {
    boolean fits = width > 0 && 8 * width + (int) (bit & 7) <= 64;
    long groups = fits ? Math.floorDiv((b.length - 8L) * 8 - bit, 8L * width) + 1 : 0;
    return from + (int) Math.max(0, Math.min(groups, take / 8)) * 8;
  }

  private void unpack(int[] out, int from, int take) {
    int m = mask;
    int w = width;
    int i = from;
    for (int stop = fastEnd(from, take); i < stop; i += 8) {
      long x = Words.getLong(b, (int) (bit >>> 3)) >>> (bit & 7);
      out[i] = (int) x & m;
      out[i + 1] = (int) (x >>> w) & m;
      out[i + 2] = (int) (x >>> 2 * w) & m;
      out[i + 3] = (int) (x >>> 3 * w) & m;
      out[i + 4] = (int) (x >>> 4 * w) & m;
      out[i + 5] = (int) (x >>> 5 * w) & m;
      out[i + 6] = (int) (x >>> 6 * w) & m;
      out[i + 7] = (int) (x >>> 7 * w) & m;
      bit += 8L * w;
    }
    for (; i < from + take; i++) {
      out[i] = one();
    }
  }

  private void unpack(double[] out, int from, int take, double[] dictionary) {
    int m = mask;
    int w = width;
    int i = from;
    for (int stop = fastEnd(from, take); i < stop; i += 8) {
      long x = Words.getLong(b, (int) (bit >>> 3)) >>> (bit & 7);
      out[i] = dictionary[(int) x & m];
      out[i + 1] = dictionary[(int) (x >>> w) & m];
      out[i + 2] = dictionary[(int) (x >>> 2 * w) & m];
      out[i + 3] = dictionary[(int) (x >>> 3 * w) & m];
      out[i + 4] = dictionary[(int) (x >>> 4 * w) & m];
      out[i + 5] = dictionary[(int) (x >>> 5 * w) & m];
      out[i + 6] = dictionary[(int) (x >>> 6 * w) & m];
      out[i + 7] = dictionary[(int) (x >>> 7 * w) & m];
      bit += 8L * w;
    }
    for (; i < from + take; i++) {
      out[i] = dictionary[one()];
    }
  }

  private int one() {
    int p = (int) (bit >>> 3);
    long x;
    if (p + 8 <= b.length) {
      x = Words.getLong(b, p);
    } else {
      x = 0;
      for (int i = 0; p + i < b.length; i++) {
        x |= (b[p + i] & 0xffL) << (8 * i);
      }
    }
    int v = (int) (x >>> (bit & 7)) & mask;
    bit += width;
    return v;
  }
}
