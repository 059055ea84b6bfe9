package io.millrace.sql.exec.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.common.error.MillraceException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SketchTest {
  private static final long SEED = 20_240_131;

  /** Three times the standard error of 4,096 registers, 1.04 / 64. */
  private static final double HLL_ERROR = 0.05;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10, 1_000, 20_000, 500_000})
  void hll_counts_within_its_error(int distinct) {
    var random = new SplittableRandom(SEED);
    var hll = new Hll();
    for (int i = 0; i < distinct; i++) {
      long hash = random.nextLong();
      hll.add(hash);
      hll.add(hash);
    }
    assertThat((double) Hll.read(hll.write()).estimate())
        .as("seed %d", SEED)
        .isCloseTo(distinct, within(Math.max(0.5, HLL_ERROR * distinct)));
  }

  @Test
  void merged_hlls_are_the_hll_of_all() {
    var random = new SplittableRandom(SEED);
    var all = new Hll();
    var parts = new Hll[] {new Hll(), new Hll(), new Hll()};
    for (int i = 0; i < 5_000; i++) {
      long hash = random.nextLong();
      all.add(hash);
      parts[i % 3].add(hash);
      parts[(i + 1) % 3].add(hash);
    }
    var merged = Hll.read(parts[2].write());
    merged.merge(Hll.read(parts[0].write()));
    merged.merge(parts[1]);
    assertThat(merged.write()).as("seed %d", SEED).isEqualTo(all.write());
  }

  @Test
  void what_is_no_state_is_refused() {
    byte[] state = new UddSketch(16, 0.01).write();
    for (byte[] bad : new byte[][] {{}, {'H', 2, 0}, {'H', 1, 0, 127, 127, 1}, {'U', 1, 0}}) {
      assertThatThrownBy(() -> Hll.read(bad)).isInstanceOf(MillraceException.class);
      assertThatThrownBy(() -> UddSketch.read(bad)).isInstanceOf(MillraceException.class);
    }
    assertThatThrownBy(() -> UddSketch.read(Arrays.copyOf(state, state.length - 1)))
        .isInstanceOf(MillraceException.class);
  }

  private static double[] values(int n) {
    var random = new SplittableRandom(SEED);
    double[] out = new double[n];
    for (int i = 0; i < n; i++) {
      double x = Math.exp(random.nextDouble() * 12 - 4);
      out[i] = i % 50 == 0 ? 0 : i % 7 == 0 ? -x : x;
    }
    return out;
  }

  @Test
  void quantiles_of_uddsketch_are_within_its_error() {
    double[] values = values(20_000);
    var sketch = new UddSketch(10_000, 0.01);
    for (double v : values) {
      sketch.add(v);
    }
    Arrays.sort(values);
    for (double p : new double[] {0, 0.01, 0.1, 0.5, 0.9, 0.999, 1}) {
      double exact = values[Math.max(0, (int) Math.ceil(p * values.length) - 1)];
      assertThat(UddSketch.read(sketch.write()).quantile(p))
          .as("seed %d, p %s", SEED, p)
          .isCloseTo(exact, within(0.010_001 * Math.abs(exact)));
    }
  }

  @Test
  void merged_uddsketches_are_the_sketch_of_all_however_often_they_collapsed() {
    double[] values = values(3_000);
    var all = new UddSketch(64, 0.001);
    var few = new UddSketch(64, 0.001);
    var rest = new UddSketch(64, 0.001);
    for (int i = 0; i < values.length; i++) {
      all.add(values[i]);
      (i < 20 ? few : rest).add(values[i]);
    }
    var merged = UddSketch.read(few.write());
    merged.merge(rest);
    assertThat(merged.write()).as("seed %d", SEED).isEqualTo(all.write());
    rest.merge(few);
    assertThat(rest.write()).as("seed %d", SEED).isEqualTo(all.write());
  }

  @Test
  void quantiles_of_a_digest_have_about_the_right_rank_also_when_it_was_merged() {
    double[] values = values(100_000);
    var merged = new TDigest();
    for (int part = 0; part < 10; part++) {
      var digest = new TDigest();
      for (int i = part; i < values.length; i += 10) {
        digest.add(values[i], 1);
      }
      merged.merge(digest.state());
    }
    Arrays.sort(values);
    for (double p : new double[] {0, 0.001, 0.1, 0.5, 0.9, 0.999, 1}) {
      double got = merged.quantile(p);
      int below = 0;
      int notAbove = 0;
      for (double v : values) {
        below += v < got ? 1 : 0;
        notAbove += v <= got ? 1 : 0;
      }
      double rank = p * values.length;
      assertThat(Math.max(0, Math.max(below - rank, rank - notAbove)))
          .as("seed %d, p %s", SEED, p)
          .isLessThan(0.002 * values.length);
    }
  }

  @Test
  void a_digest_of_few_values_is_exact() {
    var digest = new TDigest();
    for (int i = 1_000; i > 0; i--) {
      digest.add(i, 1);
    }
    assertThat(digest.quantile(0.5)).isEqualTo(500.5);
    assertThat(digest.quantile(0)).isEqualTo(1);
    assertThat(digest.quantile(1)).isEqualTo(1_000);
  }
}
