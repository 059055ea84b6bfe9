package io.millrace.storage.engine;

import static io.millrace.storage.engine.Door.put;
import static io.millrace.storage.engine.Door.row;
import static io.millrace.storage.engine.Door.scan;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.WriteGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A region that merges nothing. */
class AppendModeTest {
  private static final RegionId A = region(1);

  private static SimEngine appending(long seed) {
    var sim = new SimEngine(seed);
    sim.request(
        new RegionRequest.Create(
            A, Fixture.SCHEMA, Door.options(true, RegionOptions.MergeMode.LAST_ROW)));
    sim.engine().openGate();
    return sim;
  }

  @Test
  void equalKeysStayThroughFlushCompactionAndRestart() {
    SimEngine sim = appending(1);
    List<String> expected = List.of("1,0,1", "1,0,1", "1,0,2", "2,0,5");
    sim.commit(put(A, row(1, 0, 1L), row(1, 0, 1L)));
    sim.flush(A);
    sim.commit(put(A, row(1, 0, 2L), row(2, 0, 5L)));
    assertThat(scan(A).rows(sim.engine())).containsExactlyInAnyOrderElementsOf(expected);
    sim.crash();
    assertThat(scan(A).rows(sim.engine())).containsExactlyInAnyOrderElementsOf(expected);
    sim.engine().openGate();
    sim.flush(A);
    assertThat(sim.request(new RegionRequest.Compact(A, false)).rows()).isEqualTo(4);
    assertThat(scan(A).rows(sim.engine())).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void deletesAndReplacementsAreRefused() {
    SimEngine sim = appending(2);
    sim.commit(put(A, row(1, 0, 1L)));
    for (OpType op : List.of(OpType.DELETE, OpType.REPLACE, OpType.CLEAR)) {
      var group = WriteGroup.of(List.of(Door.write(A, op, row(1, 0, 1L))));
      assertThat(sim.failure(sim.engine().commit(group)))
          .isEqualTo(ErrorCode.FEATURE_NOT_SUPPORTED);
    }
    assertThat(scan(A).rows(sim.engine())).containsExactly("1,0,1");
  }

  @Test
  void aScanAboveASequenceGivesTheLaterRows() {
    SimEngine sim = appending(3);
    sim.commit(put(A, row(1, 0, 1L), row(1, 0, 2L)));
    long after = sim.engine().committedSequence(A);
    sim.commit(put(A, row(1, 0, 3L)));
    sim.flush(A);
    sim.commit(put(A, row(1, 0, 4L)));
    assertThat(scan(A).after(after).rows(sim.engine())).containsExactlyInAnyOrder("1,0,3", "1,0,4");
  }
}
