package io.millrace.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Runs {@link Simulation}: a few rounds of always the same seeds in the build, as many steps from
 * any seed as wanted by bin/simulate (sim.seed, sim.steps).
 */
class SimulationTest {
  private static final int REDUCTION_RUNS = 400;

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
        throw new AssertionError(
            "again with: bin/simulate --seed " + seed + " --steps 1\n" + reduced(seed, simulation),
            e);
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

  /** The history of a shorter run from the same seed that fails too. */
  private static String reduced(long seed, Simulation failed) {
    Set<Integer> skipped =
        new Reducer(REDUCTION_RUNS)
            .reduce(failed.steps(), without -> fails(new Simulation(seed, without)));
    var last = new Simulation(seed, skipped);
    String how =
        fails(last) ? "reduced to" : "not reduced, all of"; // a failure that comes and goes
    return how
        + " "
        + last.steps().size()
        + " of "
        + failed.steps().size()
        + " steps:\n"
        + String.join("\n", last.history());
  }

  private static boolean fails(Simulation simulation) {
    try {
      simulation.round();
      return false;
    } catch (RuntimeException | AssertionError e) {
      return true;
    }
  }
}
