package io.millrace.storage.read;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Disjoint ascending intervals of time, inclusive.
 *
 * <p>Where only one source has rows no merge can change them. {@link #contested} gives the times
 * that two sources share, or that a source must merge with itself for; {@link #complement} the
 * others.
 */
record Intervals(long[] lows, long[] highs) {
  static Intervals of(long low, long high) {
    return low > high
        ? new Intervals(new long[0], new long[0])
        : new Intervals(new long[] {low}, new long[] {high});
  }

  boolean isEmpty() {
    return lows.length == 0;
  }

  private record Span(long low, long high) {}

  static Intervals contested(List<Source> sources, long low, long high) {
    var out = new ArrayList<Span>();
    for (Source s : sources) {
      long lo = Math.max(low, s.minTime);
      long hi = Math.min(high, s.maxTime);
      if (lo > hi) {
        continue;
      }
      if (s.flagged()) {
        out.add(new Span(lo, hi));
      } else if (!s.fresh()) {
        for (Source older : sources) {
          boolean sibling = s.run() != 0 && s.run() == older.run();
          if (older != s && !sibling && older.minSequence < s.maxSequence) {
            long from = Math.max(lo, older.minTime);
            long to = Math.min(hi, older.maxTime);
            if (from <= to) {
              out.add(new Span(from, to));
            }
          }
        }
      }
    }
    return union(out);
  }

  private static Intervals union(List<Span> spans) {
    spans.sort(Comparator.comparingLong(Span::low));
    var out = new ArrayList<Span>();
    for (Span s : spans) {
      Span last = out.isEmpty() ? null : out.getLast();
      if (last != null && s.low <= last.high) {
        out.set(out.size() - 1, new Span(last.low, Math.max(last.high, s.high)));
      } else {
        out.add(s);
      }
    }
    return new Intervals(
        out.stream().mapToLong(Span::low).toArray(), out.stream().mapToLong(Span::high).toArray());
  }

  /** The rest of [low, high]. */
  Intervals complement(long low, long high) {
    var out = new ArrayList<Span>();
    long at = low;
    boolean done = false;
    for (int i = 0; i < lows.length && !done; i++) {
      if (lows[i] > at) {
        out.add(new Span(at, lows[i] - 1));
      }
      done = highs[i] >= high;
      at = done ? at : highs[i] + 1;
    }
    if (!done && at <= high) {
      out.add(new Span(at, high));
    }
    return union(out);
  }

  boolean touches(long min, long max) {
    for (int i = 0; i < lows.length; i++) {
      if (min <= highs[i] && max >= lows[i]) {
        return true;
      }
    }
    return false;
  }
}
