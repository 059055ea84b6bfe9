package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.storage.FileReferences;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.StagedRows;
import io.millrace.storage.WriteGroup;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Files that nobody needs go, and no others. */
class GarbageTest {
  private static final RegionId A = region(1);

  private static String path(RegionId region, String file) {
    return String.format("regions/%016x/sst/%s", region.value(), file);
  }

  private static long collect(SimEngine sim) {
    return sim.await(sim.engine().collectGarbage(0)).files();
  }

  private static List<String> files(SimEngine sim) {
    return sim.disk().objectKeys().stream().filter(k -> k.contains("/sst/")).toList();
  }

  private static SimEngine filled(long seed) {
    var sim = new SimEngine(seed).with(A);
    sim.engine().openGate();
    sim.commit(put(A, 1, 1));
    sim.flush(A);
    return sim;
  }

  @Test
  void whatNoManifestNamesGoes() {
    SimEngine sim = filled(1);
    byte[] data = sim.disk().object(sim.engine().files(A).getFirst().path());
    sim.disk().putObject(path(A, "orphan.parquet"), data);
    sim.disk().putObject(path(A, "orphan.puffin"), data);
    sim.disk().putObject(path(region(77), "left.parquet"), data);
    assertThat(sim.engine().storedFiles()).hasSize(4);
    assertThat(collect(sim)).isEqualTo(3);
    assertThat(collect(sim)).isZero();
    assertThat(files(sim)).containsExactly(sim.engine().files(A).getFirst().path());
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L));
  }

  @Test
  void whatIsYoungerThanTheGraceTimeStays() {
    SimEngine sim = filled(2);
    byte[] data = sim.disk().object(sim.engine().files(A).getFirst().path());
    sim.disk().putObject(path(A, "orphan.parquet"), data);
    long everything = 1_800_000_000_000_000L;
    assertThat(sim.await(sim.engine().collectGarbage(everything)).files()).isZero();
    assertThat(files(sim)).hasSize(2);
  }

  @Test
  void readersKeepTheirFiles() {
    SimEngine sim = filled(3);
    String file = sim.engine().files(A).getFirst().fileId();
    try (Snapshot s = sim.engine().snapshot(List.of(A))) {
      sim.request(new RegionRequest.Truncate(List.of(A)));
      sim.environment().run(1000);
      FileReferences r = sim.engine().fileReferences(List.of(A));
      assertThat(r.manifest().get(A)).isEmpty();
      assertThat(r.readers().get(A)).isEqualTo(Set.of(file));
      assertThat(collect(sim)).isZero();
      assertThat(Fixture.rows(sim.engine(), s, A)).isEqualTo(Map.of(1, 1L));
    }
    sim.environment().run(1000);
    assertThat(files(sim)).isEmpty();
  }

  @Test
  void stagedFilesStayUntilTheyAreCommittedOrGivenUp() {
    SimEngine sim = filled(4);
    StagedRows staged = sim.await(sim.engine().stage(A, List.of(put(A, 2, 2))));
    assertThat(sim.engine().fileReferences(List.of(A)).inFlight().get(A)).hasSize(2);
    assertThat(collect(sim)).isZero();
    assertThat(sim.engine().fileReferences(List.of(A)).inFlight().get(A)).hasSize(1);
    sim.await(sim.engine().commit(new WriteGroup(List.of(), List.of(), List.of(staged))));
    assertThat(collect(sim)).isZero();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 2L));
    sim.crash();
    assertThat(collect(sim)).isZero();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 2L));
  }

  @Test
  void aFileOfAnEditUnderWayStays() {
    SimEngine sim = filled(5);
    byte[] data = sim.disk().object(sim.engine().files(A).getFirst().path());
    for (int steps = 0; steps < 30; steps++) {
      String id = "brought" + steps;
      sim.disk().putObject(path(A, id + ".parquet"), data);
      var edit = sim.engine().request(new RegionRequest.Edit(A, List.of(id), List.of(), false));
      sim.environment().run(steps);
      var collected = sim.engine().collectGarbage(0);
      if (sim.failure(edit) == ErrorCode.SUCCESSFUL_COMPLETION) {
        sim.await(collected);
        assertThat(files(sim)).contains(path(A, id + ".parquet"));
      }
      assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L));
    }
  }

  @Test
  void aDroppedRegionWhoseRemovalFailedIsRemoved() {
    SimEngine sim = filled(6);
    var drop = sim.engine().request(new RegionRequest.Drop(A));
    sim.environment().runUntil(drop);
    sim.disk().failCall(sim.disk().calls() + 1, "Input/output error");
    sim.environment().run(1000);
    sim.disk().failCall(-1, "");
    collect(sim);
    collect(sim);
    assertThat(sim.disk().objectKeys()).isEmpty();
  }

  /** Its manifest does not name the file yet. */
  @Test
  void rowsWrittenAheadGoWithTheRegion() {
    SimEngine sim = filled(7);
    StagedRows staged = sim.await(sim.engine().stage(A, List.of(put(A, 2, 2))));
    sim.await(sim.engine().commit(new WriteGroup(List.of(), List.of(), List.of(staged))));
    sim.request(new RegionRequest.Drop(A));
    sim.environment().run(1000);
    assertThat(files(sim)).isEmpty();
  }
}
