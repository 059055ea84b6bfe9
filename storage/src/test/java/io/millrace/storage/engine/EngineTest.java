package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.key;
import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static io.millrace.storage.engine.Fixture.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.HeldSnapshot;
import io.millrace.storage.HoldKind;
import io.millrace.storage.KeyLocks;
import io.millrace.storage.KeyRows;
import io.millrace.storage.OpType;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionInfo;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.WriteGroup;
import io.millrace.storage.WriteGroup.Precondition;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineTest {
  private static final RegionId A = region(1);
  private static final RegionId B = region(2);

  @Test
  void rowsAreThereAfterFlushRestartAndBoth() {
    var sim = new SimEngine(1).with(A);
    sim.commit(put(A, 1, 10));
    sim.commit(put(A, 2, 20));
    sim.flush(A);
    sim.commit(put(A, 2, 21), put(A, 3, 30));
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 10L, 2, 21L, 3, 30L));
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 10L, 2, 21L, 3, 30L));
    RegionInfo info = sim.engine().info(A);
    assertThat(info.incarnation()).isEqualTo(2);
    assertThat(info.committedSequence()).isEqualTo(4);
    sim.flush(A);
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 10L, 2, 21L, 3, 30L));
  }

  @Test
  void aSnapshotStaysAsItWasThroughWritesFlushTruncateAndDrop() {
    var sim = new SimEngine(2).with(A);
    sim.commit(put(A, 1, 10));
    sim.flush(A);
    sim.commit(put(A, 2, 20));
    Snapshot s = sim.engine().snapshot(List.of(A));
    sim.commit(put(A, 1, 11));
    sim.flush(A);
    sim.request(new RegionRequest.Truncate(List.of(A)));
    sim.request(new RegionRequest.Drop(A));
    sim.environment().run(200);
    assertThat(Fixture.rows(sim.engine(), s, A)).isEqualTo(Map.of(1, 10L, 2, 20L));
    s.close();
    sim.environment().run(200);
    assertThat(sim.disk().objectKeys()).isEmpty();
  }

  @Test
  void truncateCountsTheRowsThatWereVisible() {
    var sim = new SimEngine(3).with(A, B);
    sim.commit(put(A, 1, 10), put(A, 2, 20), put(B, 1, 1));
    sim.commit(put(A, 2, 21), Fixture.delete(B, 1));
    assertThat(sim.request(new RegionRequest.Truncate(List.of(A, B))).rows()).isEqualTo(2);
    assertThat(sim.rows(A)).isEmpty();
    sim.commit(put(A, 2, 22));
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 22L));
  }

  @Test
  void onlyOneOfTwoCommitsWithTheSamePreconditionPasses() {
    for (int seed = 0; seed < 30; seed++) {
      var sim = new SimEngine(seed).with(A, B);
      sim.commit(put(A, 1, 10));
      var all = new ArrayList<CompletableFuture<CommitResult>>();
      for (int i = 0; i < 3; i++) {
        var condition = new Precondition(A, key(1), List.of(Fixture.V), value(10));
        all.add(
            sim.engine()
                .commit(
                    new WriteGroup(List.of(put(B, i, i), put(A, 1, 20 + i)), List.of(condition))));
      }
      int passed = 0;
      for (CompletableFuture<CommitResult> f : all) {
        ErrorCode code = sim.failure(f);
        passed += code == ErrorCode.SUCCESSFUL_COMPLETION ? 1 : 0;
        assertThat(code).isIn(ErrorCode.SUCCESSFUL_COMPLETION, ErrorCode.PRECONDITION_FAILED);
      }
      assertThat(passed).as("seed %s", seed).isEqualTo(1);
      assertThat(sim.rows(B)).hasSize(1);
    }
  }

  @Test
  void aPreconditionOfAbsenceAllowsTheFirstOnly() {
    var sim = new SimEngine(5).with(A);
    var group =
        new WriteGroup(
            List.of(put(A, 1, 1)), List.of(new Precondition(A, key(1), List.of(), null)));
    sim.await(sim.engine().commit(group));
    assertThat(sim.failure(sim.engine().commit(group))).isEqualTo(ErrorCode.PRECONDITION_FAILED);
  }

  @Test
  void writersWaitForAFlushWhenTheWriteBufferIsFullAndAllGetThrough() {
    var sim = new SimEngine(6).with(A, B);
    sim.engine().openGate();
    var all = new ArrayList<CompletableFuture<CommitResult>>();
    int n = 400;
    for (int i = 0; i < 60; i++) {
      int[] keys = new int[n];
      long[] values = new long[n];
      for (int k = 0; k < n; k++) {
        keys[k] = i * n + k;
      }
      all.add(sim.engine().commit(WriteGroup.of(List.of(put(i % 2 == 0 ? A : B, keys, values)))));
    }
    all.forEach(sim::await);
    assertThat(sim.rows(A)).hasSize(30 * n);
    assertThat(sim.rows(B)).hasSize(30 * n);
    assertThat(sim.engine().info(A).files()).isPositive();
    sim.crash();
    assertThat(sim.rows(A)).hasSize(30 * n);
  }

  @Test
  void theLogIsTrimmedByFlushes() {
    var sim = new SimEngine(7).with(A, B);
    for (int i = 0; i < 200; i++) {
      sim.commit(put(A, i, i), put(B, i, i));
    }
    int before = sim.disk().logNames().size();
    sim.flush(A);
    sim.environment().run(100);
    assertThat(sim.disk().logNames().size()).isGreaterThanOrEqualTo(before - 1);
    sim.flush(B);
    sim.environment().run(100);
    assertThat(sim.disk().logNames().size()).isLessThan(before);
    sim.crash();
    assertThat(sim.rows(A)).hasSize(200);
    assertThat(sim.rows(B)).hasSize(200);
  }

  @Test
  void rowIdsGrowAndNeverComeTwice() {
    var schema =
        new TableSchema(
            1,
            List.of(
                new ColumnSchema(1, "__rowid", SqlType.INT8, SemanticType.TIMESTAMP, false, null),
                new ColumnSchema(2, "v", SqlType.INT8, SemanticType.FIELD, true, null)),
            List.of(),
            1);
    var options =
        new RegionOptions(
            RegionOptions.KeyMode.ROW_ID, false, RegionOptions.MergeMode.LAST_ROW, 0, false, 0);
    var sim = new SimEngine(8);
    sim.request(new RegionRequest.Create(A, schema, options));
    for (int i = 0; i < 5; i++) {
      sim.commit(rowIdWrite(3));
      if (i == 2) {
        sim.flush(A);
        sim.crash();
      }
    }
    sim.crash();
    assertThat(rowIds(sim.engine())).hasSize(15).doesNotHaveDuplicates().isSorted();
  }

  private static RegionWrite rowIdWrite(int n) {
    return new RegionWrite(
        A,
        1,
        OpType.PUT,
        List.of(2),
        new Batch(List.of(new LongVector(SqlType.INT8, new long[n], n, null)), n));
  }

  private static List<Long> rowIds(RegionEngine engine) {
    var out = new ArrayList<Long>();
    ScanRequest all = ScanRequest.all(A, List.of(1));
    try (Snapshot s = engine.snapshot(List.of(A));
        RegionScanner scanner = engine.scan(s, all);
        PartitionReader reader = scanner.open(0)) {
      for (Batch b = reader.next(); b != null; b = reader.next()) {
        for (int i = 0; i < b.rows(); i++) {
          out.add(((LongVector) b.column(0)).get(i));
        }
      }
    }
    out.sort(null);
    return out;
  }

  @Test
  void alterIsOneCommitOverAllRegionsAndSurvivesAKill() {
    var sim = new SimEngine(9).with(A, B);
    sim.commit(put(A, 1, 10));
    TableSchema old = Fixture.SCHEMA;
    var columns = new ArrayList<>(old.columns());
    columns.add(new ColumnSchema(4, "w", SqlType.INT8, SemanticType.FIELD, true, "7"));
    var next = new TableSchema(2, columns, old.tagIds(), old.timeIndexId());
    sim.request(new RegionRequest.Alter(List.of(A, B), next, RegionOptions.DEFAULT));
    assertThat(sim.engine().info(B).schema()).isEqualTo(next);
    sim.commit(put(A, 2, 20));
    sim.crash();
    assertThat(sim.engine().info(A).schema()).isEqualTo(next);
    assertThat(sim.engine().info(B).schema()).isEqualTo(next);
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 10L, 2, 20L));
    sim.flush(A);
    sim.crash();
    assertThat(sim.engine().info(A).schema()).isEqualTo(next);
    try (Snapshot s = sim.engine().snapshot(List.of(A))) {
      KeyRows rows = sim.engine().lookup(s, A, key(1), List.of(4), null);
      assertThat(((LongVector) rows.rows().column(0)).get(0)).isEqualTo(7);
    }
  }

  @Test
  void aHeldSnapshotHasItsHoldsAtExactlyItsSequences() {
    var sim = new SimEngine(10).with(A, B);
    sim.commit(put(A, 1, 1), put(B, 1, 1), put(B, 2, 2));
    HeldSnapshot h = sim.engine().holdSnapshot(List.of(A, B), "flow", HoldKind.KEYS);
    assertThat(h.holds().get(0).sequence()).isEqualTo(h.snapshot().sequence(A)).isEqualTo(1);
    assertThat(h.holds().get(1).sequence()).isEqualTo(h.snapshot().sequence(B)).isEqualTo(2);
    h.snapshot().close();
    h.holds().forEach(x -> x.close());
  }

  @Test
  void theNthFailingCallLosesNothingAcknowledged() {
    for (int n = 1; n < 120; n += 2) {
      var sim = new SimEngine(n).with(A, B);
      sim.engine().openGate();
      sim.disk().failCall(sim.disk().calls() + n, "Input/output error");
      var acknowledged = new ArrayList<Integer>();
      for (int i = 0; i < 30; i++) {
        var f = sim.engine().commit(WriteGroup.of(List.of(put(A, i, i), put(B, i, i))));
        if (sim.failure(f) == ErrorCode.SUCCESSFUL_COMPLETION) {
          acknowledged.add(i);
        }
        if (i % 7 == 6) {
          sim.failure(sim.engine().request(new RegionRequest.Flush(A, "test")));
        }
      }
      sim.disk().failCall(-1, "");
      assertThat(sim.rows(A).keySet()).as("call %s", n).containsAll(acknowledged);
      sim.crash();
      assertThat(sim.rows(A).keySet()).as("call %s", n).containsAll(acknowledged);
      assertThat(sim.rows(B)).as("call %s", n).isEqualTo(sim.rows(A));
    }
  }

  @Test
  void damageInAnEarlierSegmentShutsTheRegionsWrittenLaterUntilRepaired() {
    var sim = new SimEngine(12).with(A, B);
    for (int i = 0; i < 50; i++) {
      sim.commit(put(A, i, i));
    }
    for (int i = 0; i < 300; i++) {
      sim.commit(put(B, i, i));
    }
    sim.stop();
    List<String> segments = sim.disk().logNames().stream().filter(s -> s.endsWith(".log")).toList();
    assertThat(segments.size()).isGreaterThan(3);
    sim.disk().log(segments.get(segments.size() - 2))[100] ^= 1;
    sim.start(false);
    assertThat(sim.rowsOrError(B)).isEqualTo(ErrorCode.DATA_CORRUPTED);
    assertThat(sim.rows(A)).hasSize(50);
    sim.commit(put(A, 50, 50));
    sim.crash();
    assertThat(sim.rowsOrError(B)).isEqualTo(ErrorCode.DATA_CORRUPTED);
    assertThat(sim.rows(A)).hasSize(51);
    sim.stop();
    sim.start(true);
    assertThat(sim.rows(A)).hasSize(51);
    assertThat(sim.rows(B)).hasSizeBetween(1, 299);
    int left = sim.rows(B).size();
    sim.commit(put(B, 1000, 1));
    sim.crash();
    assertThat(sim.rows(B)).hasSize(left + 1);
  }

  /** 12: no update is lost between sessions. */
  @Test
  void twoSessionsThatAddOneUnderLocksLoseNoUpdate(@TempDir Path dir) throws Exception {
    int each = 150;
    RegionEngine engine =
        RegionEngines.open(dir, Fixture.config(WalSync.NONE), RegionEngines.localEnvironment(1));
    engine.request(new RegionRequest.Create(A, Fixture.SCHEMA, RegionOptions.DEFAULT)).join();
    engine.commit(WriteGroup.of(List.of(put(A, 1, 0)))).join();
    ExecutorService sessions = Executors.newFixedThreadPool(2);
    try {
      var done = new ArrayList<Future<?>>();
      for (int s = 0; s < 2; s++) {
        done.add(
            sessions.submit(
                () -> {
                  for (int i = 0; i < each; i++) {
                    addOne(engine);
                  }
                }));
      }
      for (Future<?> f : done) {
        f.get();
      }
    } finally {
      sessions.shutdown();
    }
    assertThat(Fixture.rows(engine, A)).isEqualTo(Map.of(1, 2L * each));
    engine.close();
  }

  private static void addOne(RegionEngine engine) {
    KeyLocks.Owner owner = engine.locks().newOwner();
    engine.locks().lock(owner, A, key(1), 0).join();
    try (Snapshot s = engine.snapshot(List.of(A))) {
      KeyRows row = engine.lookup(s, A, key(1), List.of(Fixture.V), null);
      long v = ((LongVector) row.rows().column(0)).get(0);
      engine.commit(WriteGroup.of(List.of(put(A, 1, v + 1)))).join();
    } finally {
      engine.locks().releaseAll(owner);
    }
  }

  @Test
  void realThreadsAndDisksKeepEverythingOverARestart(@TempDir Path dir) {
    EngineConfig config = Fixture.config(WalSync.COMMIT);
    RegionEngine engine = RegionEngines.open(dir, config, RegionEngines.localEnvironment(2));
    for (RegionId r : List.of(A, B)) {
      engine.request(new RegionRequest.Create(r, Fixture.SCHEMA, RegionOptions.DEFAULT)).join();
    }
    var all = new ArrayList<CompletableFuture<CommitResult>>();
    for (int i = 0; i < 2000; i++) {
      all.add(engine.commit(WriteGroup.of(List.of(put(A, i, i), put(B, i, i)))));
    }
    all.forEach(CompletableFuture::join);
    assertThatThrownBy(
            () -> RegionEngines.open(dir, config, RegionEngines.localEnvironment(1)).close())
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OBJECT_IN_USE));
    engine.close();
    RegionEngine again = RegionEngines.open(dir, config, RegionEngines.localEnvironment(2));
    assertThat(Fixture.rows(again, A)).hasSize(2000);
    assertThat(Fixture.rows(again, B)).hasSize(2000);
    again.request(new RegionRequest.Flush(A, "test")).join();
    again.close();
    RegionEngine third = RegionEngines.open(dir, config, RegionEngines.localEnvironment(2));
    assertThat(Fixture.rows(third, A)).hasSize(2000);
    third.close();
  }
}
