package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.storage.RegionRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The committed sequence is raised by hand. */
class BumpSequenceTest {
  private static final RegionId A = region(1);

  @Test
  void laterRowsAreAbove() {
    var sim = new SimEngine(1).with(A);
    sim.commit(put(A, 1, 1));
    assertThat(sim.request(new RegionRequest.BumpSequence(A, 500)).sequence()).isEqualTo(500);
    assertThat(sim.engine().committedSequence(A)).isEqualTo(500);
    assertThat(sim.commit(put(A, 2, 2)).lastSequences()).isEqualTo(Map.of(A, 501L));
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 2L));
  }

  @Test
  void itNeverFalls() {
    var sim = new SimEngine(2).with(A);
    sim.request(new RegionRequest.BumpSequence(A, 500));
    assertThat(sim.request(new RegionRequest.BumpSequence(A, 20)).sequence()).isEqualTo(500);
    assertThat(sim.engine().committedSequence(A)).isEqualTo(500);
  }

  @Test
  void aRestartKeepsItBeforeAndAfterAFlush() {
    var sim = new SimEngine(3).with(A);
    sim.request(new RegionRequest.BumpSequence(A, 500));
    sim.crash();
    assertThat(sim.engine().committedSequence(A)).isEqualTo(500);
    sim.commit(put(A, 1, 1));
    sim.request(new RegionRequest.BumpSequence(A, 900));
    sim.flush(A);
    sim.crash();
    sim.crash();
    assertThat(sim.engine().committedSequence(A)).isEqualTo(900);
    assertThat(sim.commit(put(A, 2, 2)).lastSequences()).isEqualTo(Map.of(A, 901L));
  }

  @Test
  void aRegionThatIsNotThereOrNotOpenRefuses() {
    var sim = new SimEngine(4).with(A);
    assertThat(sim.failure(sim.engine().request(new RegionRequest.BumpSequence(region(9), 5))))
        .isEqualTo(ErrorCode.REGION_NOT_FOUND);
    sim.request(new RegionRequest.Close(A, false));
    assertThat(sim.failure(sim.engine().request(new RegionRequest.BumpSequence(A, 5))))
        .isEqualTo(ErrorCode.REGION_NOT_READY);
  }
}
