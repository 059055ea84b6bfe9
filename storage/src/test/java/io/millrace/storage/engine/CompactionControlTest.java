package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.id.RegionId;
import io.millrace.storage.EngineFigures;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.SstInfo;
import io.millrace.storage.Truncation;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What ends a compaction, and what it leaves out. */
class CompactionControlTest {
  private static final RegionId A = region(1);

  private static SimEngine filled(long seed, int files) {
    var sim = new SimEngine(seed).with(A);
    for (int i = 0; i < files; i++) {
      sim.commit(put(A, i, i));
      sim.flush(A);
    }
    sim.engine().openGate();
    return sim;
  }

  private static double figure(SimEngine sim, String name) {
    return sim.engine().figures().figures().stream()
        .filter(f -> f.name().equals(name))
        .mapToDouble(EngineFigures.Figure::value)
        .sum();
  }

  /** Whatever the region's change, and whatever comes first: the rows are right afterwards. */
  private static void during(
      Function<RegionEngine, CompletableFuture<?>> change, Map<Integer, Long> expected) {
    int cancelled = 0;
    for (int seed = 0; seed < 40; seed++) {
      SimEngine sim = filled(seed, 3);
      CompletableFuture<RegionResponse> f =
          sim.engine().request(new RegionRequest.Compact(A, false));
      sim.environment().run(seed % 3);
      sim.await(change.apply(sim.engine()));
      sim.environment().runUntil(f);
      cancelled += (int) figure(sim, "compactions_cancelled_total");
      assertThat(sim.rows(A)).as("seed %s", seed).isEqualTo(expected);
      sim.crash();
      assertThat(sim.rows(A)).as("restart of seed %s", seed).isEqualTo(expected);
    }
    assertThat(cancelled).isPositive();
  }

  private static final Map<Integer, Long> ALL = new TreeMap<>(Map.of(0, 0L, 1, 1L, 2, 2L));

  @Test
  void aTruncateEndsIt() {
    during(e -> e.request(new RegionRequest.Truncate(List.of(A))), Map.of());
  }

  @Test
  void aTruncateOfFilesEndsIt() {
    var all = new Truncation.Files(List.of(new Truncation.TimeRange(0, 0)));
    during(e -> e.request(new RegionRequest.Truncate(List.of(A), all)), Map.of());
  }

  @Test
  void anAlterEndsIt() {
    during(
        e ->
            e.request(
                new RegionRequest.Alter(List.of(A), Fixture.schema(2), RegionOptions.DEFAULT)),
        ALL);
  }

  @Test
  void aPlanFromBeforeACloseIsIgnored() {
    during(
        e ->
            e.request(new RegionRequest.Close(A, false))
                .thenCompose(_ -> e.request(new RegionRequest.Open(A))),
        ALL);
  }

  @Test
  void aFileThatCannotBeReadIsLeftOut() {
    var sim = new SimEngine(1).with(A);
    for (int i = 0; i < 6; i++) {
      sim.commit(put(A, i, i));
      sim.flush(A);
    }
    SstInfo bad = sim.engine().files(A).get(2);
    byte[] data = sim.disk().object(bad.path());
    data[16] ^= 1;
    sim.disk().putObject(bad.path(), data);
    sim.engine().openGate();
    for (int i = 0; i < 20; i++) {
      sim.environment().advance(1_000_000);
      sim.environment().run(10_000);
    }
    assertThat(sim.engine().files(A))
        .hasSizeLessThan(4)
        .anyMatch(f -> f.fileId().equals(bad.fileId()));
    assertThat(figure(sim, "compaction_failures_total")).isEqualTo(1);
    sim.request(new RegionRequest.DropDamaged(A, bad.fileId()));
    assertThat(sim.rows(A)).isEqualTo(Map.of(0, 0L, 1, 1L, 3, 3L, 4, 4L, 5, 5L));
  }

  @Test
  void figuresTellWhatWasDone() {
    SimEngine sim = filled(2, 3);
    sim.request(new RegionRequest.Compact(A, false));
    assertThat(figure(sim, "flushes_total")).isEqualTo(3);
    assertThat(figure(sim, "flush_rows_total")).isEqualTo(3);
    assertThat(figure(sim, "compactions_total")).isEqualTo(1);
    assertThat(figure(sim, "compaction_rows_total")).isEqualTo(3);
    assertThat(figure(sim, "commits_total")).isEqualTo(3);
    assertThat(figure(sim, "wal_bytes_total")).isPositive();
    sim.commit(put(A, 9, 9));
    sim.crash();
    assertThat(figure(sim, "replay_records_total")).isPositive();
  }
}
