package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.SstInfo;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A file that cannot be read any more. */
class ScanCorruptTest {
  private static final RegionId A = region(1);
  private static final RegionId B = region(2);

  /** Two files in A, the first of them damaged. */
  private static String damaged(SimEngine sim) {
    sim.engine().openGate();
    sim.commit(put(A, 1, 1));
    sim.flush(A);
    sim.commit(put(A, 2, 2), put(B, 2, 2));
    sim.flush(A);
    SstInfo first = sim.engine().files(A).getFirst();
    byte[] data = sim.disk().object(first.path());
    data[16] ^= 1;
    sim.disk().putObject(first.path(), data);
    return first.fileId();
  }

  @Test
  void queriesThatNeedItFailAndOthersGoOn() {
    var sim = new SimEngine(1).with(A, B);
    damaged(sim);
    assertThat(sim.rowsOrError(A)).isEqualTo(ErrorCode.DATA_CORRUPTED);
    assertThat(sim.rows(B)).isEqualTo(Map.of(2, 2L));
    sim.commit(put(A, 3, 3));
    sim.flush(A);
    assertThat(sim.engine().files(A)).hasSize(3);
  }

  @Test
  void itsLossCanBeAccepted() {
    var sim = new SimEngine(2).with(A, B);
    String file = damaged(sim);
    assertThat(sim.request(new RegionRequest.DropDamaged(A, file)).rows()).isOne();
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
    try (Snapshot s = sim.engine().snapshot(List.of(A));
        ChangeFeed feed = sim.engine().changes(s, A, 2, List.of(), false)) {
      assertThat(feed.events()).containsExactly(new RegionEvent.ResetRange(3, 0, 0));
    }
    sim.request(new RegionRequest.DropDamaged(A, file));
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
  }

  @Test
  void aSoundFileIsLeftAlone() {
    var sim = new SimEngine(3).with(A, B);
    damaged(sim);
    String sound = sim.engine().files(A).getLast().fileId();
    assertThat(sim.failure(sim.engine().request(new RegionRequest.DropDamaged(A, sound))))
        .isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE);
    assertThat(sim.engine().files(A)).hasSize(2);
  }
}
