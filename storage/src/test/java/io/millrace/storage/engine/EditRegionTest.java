package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.SstInfo;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Files that are made visible by hand. */
class EditRegionTest {
  private static final RegionId A = region(1);
  private static final RegionId B = region(2);

  /** Copies B's only file into A's folder, as a tool would. */
  private static void bring(SimEngine sim, String as) {
    SstInfo file = sim.engine().files(B).getFirst();
    sim.disk().putObject(path(as), sim.disk().object(file.path()));
  }

  private static String path(String file) {
    return String.format("regions/%016x/sst/%s.parquet", A.value(), file);
  }

  private static SimEngine filled(long seed) {
    var sim = new SimEngine(seed).with(A, B);
    sim.engine().openGate();
    sim.commit(put(A, new int[] {1, 2}, new long[] {1, 1}));
    sim.commit(put(B, new int[] {2, 3}, new long[] {7, 7}));
    sim.flush(B);
    return sim;
  }

  private static CompletableFuture<?> add(SimEngine sim, String... files) {
    return sim.engine().request(new RegionRequest.Edit(A, List.of(files), List.of(), false));
  }

  @Test
  void rowsOfAnAddedFileAreAsIfWrittenNow() {
    SimEngine sim = filled(1);
    bring(sim, "brought");
    sim.await(add(sim, "brought"));
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 7L, 3, 7L));
    sim.commit(put(A, 3, 9));
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 7L, 3, 9L));
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 7L, 3, 9L));
    sim.engine().openGate();
    sim.flush(A);
    sim.request(new RegionRequest.Compact(A, false));
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 7L, 3, 9L));
  }

  @Test
  void aSnapshotFromBeforeDoesNotSeeIt() {
    SimEngine sim = filled(2);
    bring(sim, "brought");
    try (Snapshot before = sim.engine().snapshot(List.of(A))) {
      sim.await(add(sim, "brought"));
      assertThat(Fixture.rows(sim.engine(), before, A)).isEqualTo(Map.of(1, 1L, 2, 1L));
    }
  }

  @Test
  void theFeedTellsOfTheFileAndGivesItsRows() {
    SimEngine sim = filled(3);
    bring(sim, "brought");
    try (Hold hold = sim.engine().hold(A, "flow", HoldKind.ROWS)) {
      sim.await(add(sim, "brought"));
      try (Snapshot s = sim.engine().snapshot(List.of(A));
          ChangeFeed feed = sim.engine().changes(s, A, hold.sequence(), List.of(Fixture.V), true)) {
        assertThat(feed.events()).containsExactly(new RegionEvent.FilesAdded(3, 0, 0));
        var b = feed.next();
        assertThat(b).isNotNull();
        assertThat(b.keys().rows()).isEqualTo(2);
      }
    }
  }

  @Test
  void whatIsInMemoryCanBeFlushedFirst() {
    SimEngine sim = filled(4);
    bring(sim, "brought");
    sim.request(new RegionRequest.Edit(A, List.of("brought"), List.of(), true));
    assertThat(sim.engine().files(A)).hasSize(2);
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 7L, 3, 7L));
  }

  @Test
  void onlyAddingIsValid() {
    SimEngine sim = filled(5);
    bring(sim, "brought");
    for (RegionRequest.Edit edit :
        List.of(
            new RegionRequest.Edit(A, List.of(), List.of(), false),
            new RegionRequest.Edit(A, List.of(), List.of("brought"), false),
            new RegionRequest.Edit(A, List.of("brought"), List.of("x"), false),
            new RegionRequest.Edit(A, List.of("brought", "brought"), List.of(), false))) {
      assertThat(sim.failure(sim.engine().request(edit)))
          .isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE);
    }
  }

  @Test
  void anEditWithoutEffectIsRefused() {
    SimEngine sim = filled(6);
    bring(sim, "brought");
    sim.await(add(sim, "brought"));
    assertThat(sim.failure(add(sim, "brought"))).isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE);
  }

  @Test
  void aFileThatIsMissingOrDamagedIsRefusedAndNothingChanges() {
    SimEngine sim = filled(7);
    assertThat(sim.failure(add(sim, "missing"))).isEqualTo(ErrorCode.IO_ERROR);
    bring(sim, "torn");
    byte[] data = sim.disk().object(path("torn"));
    data[20] ^= 1;
    sim.disk().putObject(path("torn"), data);
    assertThat(sim.failure(add(sim, "torn"))).isEqualTo(ErrorCode.DATA_CORRUPTED);
    sim.disk()
        .putObject(
            path("text"), "no file at all".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertThat(sim.failure(add(sim, "text"))).isEqualTo(ErrorCode.DATA_CORRUPTED);
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 1L));
    bring(sim, "torn");
    sim.await(add(sim, "torn"));
    assertThat(sim.rows(A)).hasSize(3);
  }

  /** History 7: a kill at any I/O leaves the file in the region or not, and its event with it. */
  @Test
  void aKillAtAnyCallLeavesTheEditDoneOrNot() {
    for (int call = 1; call < 40; call++) {
      SimEngine sim = filled(call);
      bring(sim, "brought");
      long before = sim.engine().committedSequence(A);
      sim.disk().dieAt(sim.disk().calls() + call);
      CompletableFuture<?> f = add(sim, "brought");
      sim.environment().run(500);
      boolean done = f.isDone() && !f.isCompletedExceptionally();
      sim.disk().dieAt(-1);
      sim.crash();
      boolean there = sim.rows(A).size() == 3;
      assertThat(there || !done).as("call %s", call).isTrue();
      assertThat(sim.rows(A)).isEqualTo(there ? Map.of(1, 1L, 2, 7L, 3, 7L) : Map.of(1, 1L, 2, 1L));
      try (Snapshot s = sim.engine().snapshot(List.of(A));
          ChangeFeed feed = sim.engine().changes(s, A, before, List.of(), false)) {
        assertThat(feed.events()).hasSize(there ? 1 : 0);
      }
    }
  }
}
