package io.millrace.storage.engine;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Randomness that starts anew with every step, so that a step does the same whatever steps before
 * it were left out.
 */
final class StepRandom implements RandomGenerator {
  private static final RandomGeneratorFactory<RandomGenerator> KIND =
      RandomGeneratorFactory.of("L64X128MixRandom");
  private final long seed;
  private RandomGenerator now;

  StepRandom(long seed) {
    this.seed = seed;
    this.now = KIND.create(seed);
  }

  void begin(int step) {
    now = KIND.create(seed + 0x9E3779B97F4A7C15L * (step + 1));
  }

  @Override
  public long nextLong() {
    return now.nextLong();
  }
}
