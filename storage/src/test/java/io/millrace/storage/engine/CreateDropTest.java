package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.WriteGroup;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Regions come and go. */
class CreateDropTest {
  private static final RegionId A = region(1);
  private static final RegionId B = region(2);

  @Test
  void creatingAgainLeavesItAsItIs() {
    var sim = new SimEngine(1).with(A);
    sim.commit(put(A, 1, 1));
    sim.with(A);
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L));
    assertThat(sim.engine().regions()).containsExactly(A);
  }

  @Test
  void anotherSchemaIsRefused() {
    var sim = new SimEngine(2).with(A);
    var other = new RegionRequest.Create(A, Fixture.schema(2), RegionOptions.DEFAULT);
    assertThat(sim.failure(sim.engine().request(other))).isEqualTo(ErrorCode.DUPLICATE_OBJECT);
  }

  @Test
  void optionsAndSchemaSurviveARestart() {
    var sim = new SimEngine(3);
    RegionOptions options = Door.options(true, RegionOptions.MergeMode.LAST_ROW);
    sim.request(new RegionRequest.Create(A, Fixture.SCHEMA, options));
    sim.crash();
    assertThat(sim.engine().info(A).options()).isEqualTo(options);
    assertThat(sim.engine().info(A).schema()).isEqualTo(Fixture.SCHEMA);
  }

  @Test
  void aDroppedRegionIsGoneWithItsFilesAndDropsAgain() {
    var sim = new SimEngine(4).with(A, B);
    sim.commit(put(A, 1, 1), put(B, 1, 1));
    sim.flush(A);
    sim.request(new RegionRequest.Drop(A));
    sim.request(new RegionRequest.Drop(A));
    sim.environment().run(1000);
    assertThat(sim.disk().objectKeys())
        .noneMatch(k -> k.startsWith(String.format("regions/%016x/", A.value())));
    assertThat(sim.rowsOrError(A)).isEqualTo(ErrorCode.REGION_NOT_FOUND);
    assertThat(sim.failure(sim.engine().commit(WriteGroup.of(List.of(put(A, 1, 1))))))
        .isEqualTo(ErrorCode.REGION_NOT_FOUND);
    assertThat(sim.rows(B)).isEqualTo(Map.of(1, 1L));
  }

  @Test
  void aReaderKeepsADroppedRegionsFilesUntilItLetsGo() {
    var sim = new SimEngine(5).with(A);
    sim.commit(put(A, 1, 1));
    sim.flush(A);
    try (Snapshot s = sim.engine().snapshot(List.of(A))) {
      sim.request(new RegionRequest.Drop(A));
      sim.environment().run(1000);
      assertThat(Fixture.rows(sim.engine(), s, A)).isEqualTo(Map.of(1, 1L));
    }
    sim.environment().run(1000);
    assertThat(sim.disk().objectKeys()).isEmpty();
  }

  @Test
  void aRegionCreatedAnewHasNothingOfTheOldOneEvenAfterARestart() {
    var sim = new SimEngine(6).with(A);
    sim.commit(put(A, 1, 1));
    sim.request(new RegionRequest.Drop(A));
    sim.environment().run(1000);
    sim.with(A);
    assertThat(sim.rows(A)).isEmpty();
    sim.crash();
    assertThat(sim.rows(A)).isEmpty();
  }
}
