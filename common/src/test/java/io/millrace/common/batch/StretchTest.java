package io.millrace.common.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Stretches found piece by piece are those found value by value. */
class StretchTest {
  private static final long[] EDGES = {
    Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, 1L << 62, Long.MAX_VALUE - 1, Long.MAX_VALUE
  };

  private static int naive(long[] v, int from, int to, long lo, long hi, boolean inside) {
    int i = from;
    while (i < to && (v[i] >= lo && v[i] <= hi) != inside) {
      i++;
    }
    return i;
  }

  @Test
  void placesAreThoseFoundOneByOne() {
    var random = new SplittableRandom(7);
    for (int round = 0; round < 2000; round++) {
      int n = random.nextInt(1500);
      long[] v = new long[n];
      long lo = value(random);
      long hi = value(random);
      // Long stretches on one side, broken now and then.
      boolean inside = random.nextBoolean();
      for (int i = 0; i < n; i++) {
        if (random.nextInt(400) == 0) {
          inside = !inside;
        }
        v[i] = inside && lo <= hi ? random.nextBoolean() ? lo : hi : value(random);
      }
      int from = random.nextInt(n + 1);
      assertThat(Stretch.begin(v, from, n, lo, hi))
          .as("begin of round %s", round)
          .isEqualTo(naive(v, from, n, lo, hi, true));
      assertThat(Stretch.end(v, from, n, lo, hi))
          .as("end of round %s", round)
          .isEqualTo(naive(v, from, n, lo, hi, false));
    }
  }

  private static long value(SplittableRandom random) {
    return random.nextBoolean() ? EDGES[random.nextInt(EDGES.length)] : random.nextLong();
  }
}
