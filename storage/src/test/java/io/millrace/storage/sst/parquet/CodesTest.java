package io.millrace.storage.sst.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Codes come back as they were encoded, whatever the pieces they are read in. */
class CodesTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 8, 9, 12, 16, 21})
  void codesComeBackInPieces(int width) {
    var random = new Random(width);
    for (int round = 0; round < 60; round++) {
      int[] codes = codes(random, width);
      int n = codes.length;
      var out = new Buffer(16);
      Encoders.hybrid(codes, n, width, out);
      byte[] bytes = Arrays.copyOf(out.data, out.size);
      var ints = new Codes(bytes, 0, bytes.length, width);
      var doubles = new Codes(bytes, 0, bytes.length, width);
      double[] dictionary = new double[1 << width];
      for (int i = 0; i < dictionary.length; i++) {
        dictionary[i] = i / 8.0;
      }
      int at = 0;
      while (at < n) {
        int m = Math.min(n - at, 1 + random.nextInt(100));
        int[] piece = new int[m];
        double[] values = new double[m];
        ints.next(piece, m);
        doubles.next(values, m, dictionary);
        for (int i = 0; i < m; i++) {
          assertThat(piece[i]).isEqualTo(codes[at + i]);
          assertThat(values[i]).isEqualTo(codes[at + i] / 8.0);
        }
        at += m;
      }
    }
  }

  /** Some runs, some codes that all differ. */
  private static int[] codes(Random random, int width) {
    int[] out = new int[1 + random.nextInt(300)];
    int i = 0;
    while (i < out.length) {
      int run = Math.min(out.length - i, random.nextBoolean() ? 1 : 1 + random.nextInt(60));
      Arrays.fill(out, i, i + run, random.nextInt(1 << width));
      i += run;
    }
    return out;
  }
}
