package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.id.RegionId;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.HoldKind;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.Truncation;
import io.millrace.storage.Truncation.TimeRange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The forms of truncate, and that they and their events survive a kill at any I/O. */
class TruncationTest {
  private static final RegionId A = region(1);
  private static final RegionId B = region(2);

  private static List<RegionEvent> events(SimEngine sim, RegionId region, long after) {
    try (Snapshot s = sim.engine().snapshot(List.of(region));
        ChangeFeed feed = sim.engine().changes(s, region, after, List.of(), false)) {
      return List.copyOf(feed.events());
    }
  }

  private static SimEngine filled(int seed) {
    var sim = new SimEngine(seed).with(A, B);
    sim.engine().openGate();
    sim.commit(put(A, 1, 1), put(B, 1, 1));
    sim.flush(A);
    sim.flush(B);
    sim.commit(put(A, 2, 2), put(B, 2, 2));
    return sim;
  }

  @Test
  void unflushedRowsGoAndFlushedOnesStay() {
    SimEngine sim = filled(5);
    long before = sim.engine().hold(A, "flow", HoldKind.KEYS).sequence();
    var r = sim.request(new RegionRequest.Truncate(List.of(A, B), new Truncation.Unflushed()));
    assertThat(r.rows()).isEqualTo(2);
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L));
    assertThat(events(sim, A, before)).containsExactly(new RegionEvent.ResetRange(3, 0, 0));
    sim.commit(put(A, 3, 3));
    sim.flush(A);
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 3, 3L));
    assertThat(sim.rows(B)).isEqualTo(Map.of(1, 1L));
  }

  @Test
  void filesGoWhoseTimesLieInTheRange() {
    SimEngine sim = filled(5);
    var outside = new Truncation.Files(List.of(new TimeRange(1, 9), new TimeRange(-9, -1)));
    assertThat(sim.request(new RegionRequest.Truncate(List.of(A), outside)).rows()).isZero();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 2L));
    var inside = new Truncation.Files(List.of(new TimeRange(0, 0)));
    assertThat(sim.request(new RegionRequest.Truncate(List.of(A), inside)).rows()).isOne();
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
    assertThat(sim.rows(B)).isEqualTo(Map.of(1, 1L, 2, 2L));
  }

  /** History 7. */
  @Test
  void aKillAtAnyCallLeavesEachFormDoneOrNotInAllRegions() {
    for (Truncation what :
        List.of(new Truncation.Unflushed(), new Truncation.Files(List.of(new TimeRange(0, 0))))) {
      int gone = what instanceof Truncation.Unflushed ? 2 : 1;
      for (int call = 1; call < 40; call++) {
        SimEngine sim = filled(call);
        long before = 2;
        sim.disk().dieAt(sim.disk().calls() + call);
        CompletableFuture<?> f =
            sim.engine().request(new RegionRequest.Truncate(List.of(A, B), what));
        sim.environment().run(500);
        boolean done = f.isDone() && !f.isCompletedExceptionally();
        sim.disk().dieAt(-1);
        sim.crash();
        boolean takenA = !sim.rows(A).containsKey(gone);
        assertThat(takenA).isEqualTo(!sim.rows(B).containsKey(gone));
        if (done) {
          assertThat(takenA).as("%s, call %s", what, call).isTrue();
        }
        if (takenA) {
          assertThat(events(sim, A, before)).isNotEmpty();
        }
      }
    }
  }
}
