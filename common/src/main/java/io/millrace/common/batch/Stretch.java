package io.millrace.common.batch;

/*
 * Where times enter and leave an interval. Nothing is taken for granted about their order, but rows
 * in key order have long stretches on one side, so pieces of a few hundred values are judged as a
 * whole first, by a loop without branches that the compiler turns into vector instructions.
 *
 * A value is in [lo, hi] iff x = value - lo (modulo 2^64), taken as unsigned, is at most w = hi - lo.
 * With w below 2^63 that is: neither x nor w - x has its upper bit set.
 */
/** Stretches of numbers within an interval. */
public final class Stretch {
  private static final int PIECE = 256;

  private Stretch() {}

  /** The first place in [from, to) whose value is not in [lo, hi]; {@code to} if there is none. */
  public static int end(long[] v, int from, int to, long lo, long hi) {
    long w = hi - lo;
    int i = from;
    if (w >= 0) {
      while (i + PIECE <= to && anyOutside(v, i, lo, w) >= 0) {
        i += PIECE;
      }
    }
    while (i < to && v[i] >= lo && v[i] <= hi) {
      i++;
    }
    return i;
  }

  /** The first place in [from, to) whose value is in [lo, hi]; {@code to} if there is none. */
  public static int begin(long[] v, int from, int to, long lo, long hi) {
    long w = hi - lo;
    int i = from;
    if (w >= 0) {
      while (i + PIECE <= to && allOutside(v, i, lo, w) < 0) {
        i += PIECE;
      }
    }
    while (i < to && (v[i] < lo || v[i] > hi)) {
      i++;
    }
    return i;
  }

  /** Below 0 if a value of a piece is outside. */
  private static long anyOutside(long[] v, int from, long lo, long w) {
    long any = 0;
    for (int i = from; i < from + PIECE; i++) {
      long x = v[i] - lo;
      any |= x | w - x;
    }
    return any;
  }

  /** Below 0 if all values of a piece are outside. */
  private static long allOutside(long[] v, int from, long lo, long w) {
    long all = -1;
    for (int i = from; i < from + PIECE; i++) {
      long x = v[i] - lo;
      all &= x | w - x;
    }
    return all;
  }
}
