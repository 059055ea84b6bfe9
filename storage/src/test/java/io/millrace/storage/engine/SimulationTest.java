package io.millrace.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Runs {@link Simulation} for a few seconds (sim.millis), from a seed (sim.seed). */
class SimulationTest {
  @Test
  void nothingAcknowledgedIsLostAndNoCommitIsTorn() {
    long seed = Long.getLong("sim.seed", System.nanoTime());
    var seeds = new Random(seed);
    long until = System.nanoTime() + Long.getLong("sim.millis", 4000) * 1_000_000;
    int rounds = 0;
    int checked = 0;
    while (System.nanoTime() < until) {
      try {
        var simulation = new Simulation(seed);
        simulation.round();
        checked += simulation.checked();
      } catch (Throwable e) {
        throw new AssertionError("again with -Dsim.seed=" + seed, e);
      }
      seed = seeds.nextLong();
      rounds++;
    }
    System.out.println("simulation: " + rounds + " rounds, " + checked + " feeds");
    assertThat(rounds).isPositive();
  }
}
