package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.storage.RegionRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When and how memory becomes files. */
class FlushTest {
  private static final RegionId A = region(1);
  private static final RegionId B = region(2);

  private static double flushes(SimEngine sim, String reason) {
    return sim.engine().figures().figures().stream()
        .filter(f -> f.label().equals("reason=\"" + reason + "\""))
        .mapToDouble(f -> f.value())
        .sum();
  }

  private static void pass(SimEngine sim, long seconds) {
    for (int i = 0; i < seconds; i++) {
      sim.environment().advance(1_000_000);
      sim.environment().run(10_000);
    }
  }

  @Test
  void aFlushByHandTellsHowManyRowsItWrote() {
    var sim = new SimEngine(1).with(A);
    sim.engine().openGate(); // until then all versions are kept
    assertThat(sim.request(new RegionRequest.Flush(A, "test")).rows()).isZero();
    sim.commit(put(A, new int[] {1, 2, 1}, new long[] {1, 2, 3}));
    assertThat(sim.request(new RegionRequest.Flush(A, "test")).rows()).isEqualTo(2);
    assertThat(sim.request(new RegionRequest.Flush(A, "test")).rows()).isZero();
    assertThat(sim.engine().files(A)).hasSize(1);
    assertThat(sim.engine().info(A).flushedSequence()).isEqualTo(3);
  }

  @Test
  void aRegionThatIsFullIsFlushedByItself() {
    var sim = new SimEngine(2).with(A, B);
    sim.commit(put(B, 1, 1));
    for (int i = 0; i < 20; i++) {
      sim.commit(put(A, new int[300], new long[300]));
    }
    sim.environment().run(10_000);
    assertThat(flushes(sim, "size")).isPositive();
    assertThat(sim.engine().files(B)).isEmpty();
  }

  @Test
  void oldRowsAreFlushedByThemselves() {
    var sim = new SimEngine(3).with(A);
    sim.commit(put(A, 1, 1));
    pass(sim, 30);
    assertThat(sim.engine().files(A)).isEmpty();
    pass(sim, 40);
    assertThat(sim.engine().files(A)).hasSize(1);
    assertThat(flushes(sim, "interval")).isEqualTo(1);
  }

  @Test
  void whoeverKeepsTheLogFromBeingTrimmedIsFlushed() {
    var sim = new SimEngine(4).with(A, B);
    sim.commit(put(B, 1, 1));
    for (int i = 0; i < 120; i++) {
      sim.commit(put(A, new int[300], new long[300]));
      pass(sim, 0);
    }
    pass(sim, 5);
    assertThat(sim.engine().files(B)).isNotEmpty();
    assertThat(flushes(sim, "log size")).isPositive();
  }

  @Test
  void aFlushThatFailsLosesNothingAndTheNextOneSucceeds() {
    var sim = new SimEngine(5).with(A);
    sim.commit(put(A, 1, 1));
    sim.disk().failCall(sim.disk().calls() + 2, "Input/output error");
    assertThat(sim.failure(sim.engine().request(new RegionRequest.Flush(A, "test"))))
        .isEqualTo(ErrorCode.IO_ERROR);
    sim.disk().failCall(-1, "");
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L));
    sim.flush(A);
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L));
  }

  @Test
  void rowsWrittenDuringAFlushGoToTheNext() {
    var sim = new SimEngine(6).with(A);
    sim.commit(put(A, 1, 1));
    var flush = sim.engine().request(new RegionRequest.Flush(A, "test"));
    sim.commit(put(A, 2, 2));
    sim.await(flush);
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 2L));
    sim.flush(A);
    assertThat(sim.engine().statistics(A).memtableRows()).isZero();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 2L));
  }
}
