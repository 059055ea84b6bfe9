package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.delete;
import static io.millrace.storage.engine.Fixture.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.Truncation;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Logs that are much longer than the write buffer. */
class ReplayMemoryTest {
  private static final RegionId A = Fixture.region(0);
  private static final RegionId B = Fixture.region(1);
  private static final long BUFFER = 16 << 10;
  private static final int COMMITS = 600;
  private static final int ROWS = 20;

  private final Map<Integer, Long> a = new TreeMap<>();
  private final Map<Integer, Long> b = new TreeMap<>();

  private static EngineConfig buffer(long bytes) {
    return new EngineConfig(
        WalSync.COMMIT, 10_000, 32 << 10, bytes, 2 * bytes, bytes, 4096, 1 << 20, 2, 600_000_000);
  }

  /** A machine that has stopped with a long log, of which no file tells. */
  private SimEngine stopped(int seed) {
    var sim = new SimEngine(seed, buffer(64 << 20)).with(A, B);
    for (int i = 0; i < COMMITS; i++) {
      commit(sim, i);
    }
    sim.stop();
    sim.configure(buffer(BUFFER));
    return sim;
  }

  /** Over both regions, with two parts in A of which the second takes a row of the first. */
  private void commit(SimEngine sim, int i) {
    if (i == COMMITS / 2) {
      sim.request(new RegionRequest.Truncate(List.of(A), new Truncation.All()));
      a.clear();
      return;
    }
    int[] keys = new int[ROWS];
    long[] values = new long[ROWS];
    for (int r = 0; r < ROWS; r++) {
      keys[r] = i % 7 * 1000 + r;
      values[r] = i;
      a.put(keys[r], values[r]);
      b.put(keys[r], values[r]);
    }
    int gone = keys[i % ROWS];
    a.remove(gone);
    sim.commit(put(A, keys, values), delete(A, gone), put(B, keys, values));
  }

  private void check(SimEngine sim, String when) {
    assertThat(sim.rows(A)).as(when).isEqualTo(a);
    assertThat(sim.rows(B)).as(when).isEqualTo(b);
  }

  private static double figure(SimEngine sim, String name) {
    return sim.engine().figures().figures().stream()
        .filter(f -> f.name().equals(name))
        .mapToDouble(f -> f.value())
        .sum();
  }

  @Test
  void aReplayTakesNoMoreThanTheWriteBuffer() {
    SimEngine sim = stopped(1);
    sim.start(false);
    long record = 4 * ROWS * 64L;
    assertThat(figure(sim, "replay_bytes_total")).isGreaterThan(20d * BUFFER);
    assertThat(figure(sim, "write_buffer_peak_bytes")).isLessThanOrEqualTo(BUFFER + record);
    check(sim, "after the replay");
    sim.crash();
    check(sim, "after another");
    commit(sim, 3);
    sim.crash();
    check(sim, "after a commit");
  }

  @Test
  void aCrashAtAnyCallOfSuchAReplayLosesNothing() {
    SimEngine whole = new ReplayMemoryTest().stopped(2);
    long before = whole.disk().calls();
    whole.start(false);
    long calls = whole.disk().calls() - before;
    for (long n = 1; n <= calls; n += 1 + calls / 70) {
      var test = new ReplayMemoryTest();
      SimEngine sim = test.stopped((int) n);
      sim.disk().dieAt(sim.disk().calls() + n);
      startOrFail(sim);
      sim.crash();
      test.check(sim, "died at call " + n + " of " + calls);
      test.commit(sim, 5);
      sim.crash();
      test.check(sim, "died at call " + n + " of " + calls + ", after a commit");
    }
  }

  @Test
  void aFlushThatFailsInAReplayDoesNotKeepTheEngineFromStarting() {
    SimEngine sim = stopped(3);
    sim.disk().capacity(sim.disk().used() + 1500); // for manifests, not for a file
    sim.start(false);
    check(sim, "on a full disk");
    assertThat(figure(sim, "write_buffer_bytes")).isGreaterThan(10d * BUFFER);
    sim.disk().capacity(Long.MAX_VALUE);
    sim.crash();
    check(sim, "with space again");
  }

  private static void startOrFail(SimEngine sim) {
    try {
      sim.start(false);
    } catch (MillraceException e) {
      assertThat(e.message()).contains("the machine has stopped");
    }
  }
}
