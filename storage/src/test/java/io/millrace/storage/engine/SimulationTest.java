package io.millrace.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Runs {@link Simulation}: a few rounds of always the same seeds in the build, as many steps from
 * any seed as wanted by bin/simulate (sim.seed, sim.steps).
 */
class SimulationTest {
  @Test
  void nothingAcknowledgedIsLostAndNoCommitIsTorn() {
    long seed = Long.getLong("sim.seed", 20_261_130);
    long wanted = Long.getLong("sim.steps", 10_000);
    var seeds = new Random(seed);
    long steps = 0;
    int rounds = 0;
    int checked = 0;
    while (steps < wanted) {
      var simulation = new Simulation(seed);
      try {
        simulation.round();
      } catch (Throwable e) {
        throw new AssertionError("again with: bin/simulate --seed " + seed + " --steps 1", e);
      }
      checked += simulation.checked();
      steps += simulation.taken();
      seed = seeds.nextLong();
      rounds++;
    }
    System.out.println(
        "simulation: " + rounds + " rounds, " + steps + " steps, " + checked + " feeds");
    assertThat(rounds).isPositive();
  }
}
