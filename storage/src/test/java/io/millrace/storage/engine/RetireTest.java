package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.storage.CommitResult;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.WriteGroup;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Regions that make way for others. */
class RetireTest {
  private static final RegionId OLD = region(1);
  private static final RegionId NEW = region(2);

  private static CompletableFuture<CommitResult> write(SimEngine sim, RegionId region, int key) {
    return sim.engine().commit(WriteGroup.of(List.of(put(region, key, key))));
  }

  @Test
  void whatIsCommittedMeanwhileWaitsAndIsRefused() {
    var sim = new SimEngine(1).with(OLD, NEW);
    sim.commit(put(OLD, 1, 1), put(OLD, 2, 2));
    var work = new CompletableFuture<String>();
    CompletableFuture<String> retired = sim.engine().retire(List.of(OLD), () -> work);
    CompletableFuture<CommitResult> late = write(sim, OLD, 3);
    sim.environment().run(10_000);
    assertThat(late).isNotDone();
    assertThat(sim.rows(OLD)).isEqualTo(Map.of(1, 1L, 2, 2L));
    sim.await(write(sim, NEW, 4));
    work.complete("moved");
    assertThat(sim.await(retired)).isEqualTo("moved");
    assertThat(sim.failure(late)).isEqualTo(ErrorCode.REGION_NOT_READY);
    assertThat(sim.failure(write(sim, OLD, 5))).isEqualTo(ErrorCode.REGION_NOT_READY);
    sim.request(new RegionRequest.Drop(OLD));
    assertThat(sim.failure(write(sim, OLD, 6))).isEqualTo(ErrorCode.REGION_NOT_FOUND);
    assertThat(sim.rows(NEW)).isEqualTo(Map.of(4, 4L));
  }

  @Test
  void aFailureLetsTheWritersGoOn() {
    var sim = new SimEngine(2).with(OLD);
    var work = new CompletableFuture<String>();
    CompletableFuture<String> retired = sim.engine().retire(List.of(OLD), () -> work);
    CompletableFuture<CommitResult> late = write(sim, OLD, 1);
    sim.environment().run(10_000);
    assertThat(late).isNotDone();
    work.completeExceptionally(new MillraceException(ErrorCode.QUERY_CANCELED, "stop"));
    assertThat(sim.failure(retired)).isEqualTo(ErrorCode.QUERY_CANCELED);
    sim.await(late);
    assertThat(sim.rows(OLD)).isEqualTo(Map.of(1, 1L));
  }

  /** Else a TRUNCATE would be acknowledged whose rows live on in the other region. */
  @Test
  void whatWaitedToChangeTheRegionIsRefusedToo() {
    var sim = new SimEngine(3).with(OLD);
    var work = new CompletableFuture<String>();
    CompletableFuture<String> retired = sim.engine().retire(List.of(OLD), () -> work);
    var truncated = sim.engine().request(new RegionRequest.Truncate(List.of(OLD)));
    var again = sim.engine().retire(List.of(OLD), () -> new CompletableFuture<String>());
    sim.environment().run(10_000);
    assertThat(truncated).isNotDone();
    work.complete("moved");
    sim.await(retired);
    assertThat(sim.failure(truncated)).isEqualTo(ErrorCode.REGION_NOT_READY);
    assertThat(sim.failure(again)).isEqualTo(ErrorCode.REGION_NOT_READY);
  }
}
