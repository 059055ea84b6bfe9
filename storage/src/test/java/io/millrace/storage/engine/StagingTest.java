package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.delete;
import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.OpType;
import io.millrace.storage.Overlay;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.StagedRows;
import io.millrace.storage.Truncation;
import io.millrace.storage.WriteGroup;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rows written ahead of their commit. */
class StagingTest {
  private static final RegionId A = region(1);
  private static final RegionId B = region(2);

  private static StagedRows stage(SimEngine sim, RegionId region, RegionWrite... writes) {
    return sim.await(sim.engine().stage(region, List.of(writes)));
  }

  private static CompletableFuture<CommitResult> commit(
      SimEngine sim, List<StagedRows> staged, RegionWrite... writes) {
    return sim.engine().commit(new WriteGroup(List.of(writes), List.of(), staged));
  }

  private static long files(SimEngine sim) {
    return sim.disk().objectKeys().stream().filter(k -> k.endsWith(".parquet")).count();
  }

  /** Lets the manifests follow, compactions run and files be deleted. */
  private static void pass(SimEngine sim) {
    for (int i = 0; i < 8; i++) {
      sim.environment().advance(1_000_000);
      sim.environment().run(10_000);
    }
  }

  @Test
  void stagedRowsWinOverOlderOnesAndLoseToLaterOnes() {
    var sim = new SimEngine(1).with(A);
    sim.commit(put(A, new int[] {1, 2, 3, 4}, new long[] {1, 1, 1, 1}));
    StagedRows first =
        stage(sim, A, put(A, new int[] {2, 3, 4, 5}, new long[] {2, 2, 2, 2}), delete(A, 5));
    StagedRows second = stage(sim, A, put(A, 3, 3), delete(A, 4));
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 1L, 3, 1L, 4, 1L));
    sim.await(commit(sim, List.of(first, second), put(A, 6, 6)));
    var expected = new TreeMap<>(Map.of(1, 1L, 2, 2L, 3, 3L, 6, 6L));
    assertThat(sim.rows(A)).isEqualTo(expected);
    sim.commit(put(A, 2, 9), put(A, 5, 9));
    expected.put(2, 9L);
    expected.put(5, 9L);
    assertThat(sim.rows(A)).isEqualTo(expected);
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(expected);
    sim.engine().openGate();
    sim.flush(A);
    sim.request(new RegionRequest.Compact(A, false));
    assertThat(sim.rows(A)).isEqualTo(expected);
    assertThat(sim.engine().info(A).rows()).isEqualTo(expected.size());
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(expected);
  }

  /** The log still has the commit when its file has long been merged into another. */
  @Test
  void aFileThatWasMergedSinceDoesNotComeBackAtReplay() {
    var sim = new SimEngine(2).with(A);
    sim.engine().openGate();
    sim.commit(put(A, 1, 1));
    sim.flush(A);
    sim.await(commit(sim, List.of(stage(sim, A, put(A, new int[] {1, 2}, new long[] {2, 2})))));
    pass(sim);
    sim.request(new RegionRequest.Compact(A, false));
    pass(sim);
    assertThat(files(sim)).isOne();
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 2L, 2, 2L));
    assertThat(sim.engine().info(A).files()).isOne();
    assertThat(files(sim)).isOne();
  }

  @Test
  void rowsAfterAStagedCommitAreNotTakenForNewKeys() {
    var sim = new SimEngine(3).with(A);
    sim.commit(put(A, 1, 1));
    StagedRows s = stage(sim, A, put(A, new int[] {7, 8}, new long[] {1, 1}));
    sim.await(commit(sim, List.of(s)));
    sim.commit(put(A, 7, 2));
    sim.flush(A);
    sim.commit(put(A, 8, 3));
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 7, 2L, 8, 3L));
  }

  /** A COPY may bring a key early, written ahead, and again with its last rows. */
  @Test
  void rowsOfTheSameCommitReplaceStagedOnes() {
    var sim = new SimEngine(7).with(A);
    sim.await(
        commit(
            sim,
            List.of(stage(sim, A, put(A, new int[] {7, 8}, new long[] {1, 1}))),
            put(A, 7, 2)));
    assertThat(sim.rows(A)).isEqualTo(Map.of(7, 2L, 8, 1L));
    sim.engine().openGate();
    sim.flush(A);
    assertThat(sim.rows(A)).isEqualTo(Map.of(7, 2L, 8, 1L));
  }

  @Test
  void stagedRowsStayWhenTheLogHasForgottenTheirCommit() {
    var sim = new SimEngine(8).with(A, B);
    sim.engine().openGate();
    sim.await(commit(sim, List.of(stage(sim, A, put(A, new int[] {1, 2}, new long[] {5, 5})))));
    pass(sim);
    fillLog(sim);
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 5L, 2, 5L));
    sim.commit(put(A, 1, 6));
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 6L, 2, 5L));
  }

  /** Writes to B until the log's first segment is gone. */
  private static void fillLog(SimEngine sim) {
    String first = sim.disk().logNames().getFirst();
    for (int i = 0; i < 200 && sim.disk().logNames().contains(first); i++) {
      sim.commit(put(B, new int[] {1, 2, 3, 4, 5, 6, 7, 8}, new long[8]));
      sim.flush(B);
    }
    assertThat(sim.disk().logNames()).doesNotContain(first);
  }

  /** A flow that has seen an event must not miss the row after it. */
  @Test
  void theSequenceOfAnEventIsNotGivenToARowAfterTheLogHasForgottenIt() {
    var sim = new SimEngine(9).with(A, B);
    sim.engine().openGate();
    sim.commit(put(A, 1, 1));
    sim.flush(A);
    sim.request(
        new RegionRequest.Truncate(
            List.of(A), new Truncation.Files(List.of(new Truncation.TimeRange(1, 2)))));
    long seen = sim.engine().info(A).committedSequence();
    pass(sim);
    fillLog(sim);
    sim.crash();
    CommitResult r = sim.commit(put(A, 1, 2));
    assertThat(r.lastSequences().get(A)).isGreaterThan(seen);
  }

  @Test
  void rowsAfterATruncateOfUnflushedOnesAreNotTakenForNewKeysBesideStagedFiles() {
    var sim = new SimEngine(10).with(A);
    sim.await(commit(sim, List.of(stage(sim, A, put(A, new int[] {7, 8}, new long[] {1, 1})))));
    sim.request(new RegionRequest.Truncate(List.of(A), new Truncation.Unflushed()));
    sim.commit(put(A, 7, 2));
    assertThat(sim.rows(A)).isEqualTo(Map.of(7, 2L, 8, 1L));
  }

  /** Rows in memory may be older than a staged file. */
  @Test
  void aStagedTombstoneStaysWhileOlderRowsAreInMemory() {
    var sim = new SimEngine(11).with(A);
    sim.engine().openGate();
    sim.commit(put(A, new int[] {1, 2}, new long[] {1, 1}));
    sim.await(commit(sim, List.of(stage(sim, A, delete(A, 1), put(A, 3, 3)))));
    sim.request(new RegionRequest.Compact(A, false));
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 1L, 3, 3L));
    sim.flush(A);
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 1L, 3, 3L));
  }

  /** One waits at the other's gate, the other for the first one's. */
  @Test
  void aStagedCommitWithPlainRowsElsewhereDoesNotStopAnother() {
    var sim = new SimEngine(12).with(A, B);
    StagedRows one = stage(sim, B, put(B, 1, 1));
    StagedRows two = stage(sim, A, put(A, 2, 2));
    StagedRows three = stage(sim, B, put(B, 2, 2));
    long start = sim.environment().clock().wallMicros();
    var first = commit(sim, List.of(one), put(A, 1, 1));
    var second = commit(sim, List.of(two, three));
    sim.await(first);
    sim.await(second);
    assertThat(sim.environment().clock().wallMicros() - start).isLessThan(1_000_000);
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 2, 2L));
    assertThat(sim.rows(B)).isEqualTo(Map.of(1, 1L, 2, 2L));
  }

  @Test
  void aTransactionSeesWhatItHasStaged() {
    var sim = new SimEngine(4).with(A);
    sim.commit(put(A, new int[] {1, 2}, new long[] {1, 1}));
    StagedRows first = stage(sim, A, put(A, 2, 2), delete(A, 1));
    StagedRows second = stage(sim, A, put(A, new int[] {2, 3}, new long[] {3, 3}));
    var overlay = new Overlay(List.of(put(A, 4, 4)), List.of(first, second));
    assertThat(rows(sim, overlay)).isEqualTo(Map.of(2, 3L, 3, 3L, 4, 4L));
    sim.await(commit(sim, List.of(first, second)));
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 3L, 3, 3L));
  }

  private static Map<Integer, Long> rows(SimEngine sim, Overlay overlay) {
    var out = new TreeMap<Integer, Long>();
    ScanRequest all = ScanRequest.all(A, List.of(Fixture.K, Fixture.V));
    var request =
        new ScanRequest(
            A,
            all.columnIds(),
            List.of(),
            all.minTime(),
            all.maxTime(),
            -1,
            all.order(),
            0,
            overlay,
            all.selector(),
            false,
            1);
    try (Snapshot s = sim.engine().snapshot(List.of(A));
        RegionScanner scanner = sim.engine().scan(s, request);
        PartitionReader reader = scanner.open(0)) {
      for (Batch b = reader.next(); b != null; b = reader.next()) {
        for (int i = 0; i < b.rows(); i++) {
          out.put(((IntVector) b.column(0)).get(i), ((LongVector) b.column(1)).get(i));
        }
      }
    }
    return out;
  }

  @Test
  void whatIsGivenUpOrForgottenLeavesNoFile() {
    var sim = new SimEngine(5).with(A);
    sim.commit(put(A, 1, 1));
    StagedRows s = stage(sim, A, put(A, 1, 2));
    assertThat(files(sim)).isOne();
    sim.engine().discard(s);
    pass(sim);
    assertThat(files(sim)).isZero();
    assertThat(stage(sim, A, put(A, 1, 3)).rows()).isOne();
    sim.crash();
    assertThat(files(sim)).isZero();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L));
  }

  @Test
  void anAlteredRegionRefusesRowsThatWereMergedOtherwise() {
    var sim = new SimEngine(6).with(A);
    StagedRows s = stage(sim, A, put(A, 1, 1));
    var other =
        new RegionOptions(
            RegionOptions.KeyMode.TIME_INDEX,
            false,
            RegionOptions.MergeMode.LAST_NON_NULL,
            0,
            false,
            0);
    sim.request(new RegionRequest.Alter(List.of(A), Fixture.SCHEMA, other));
    assertThat(sim.failure(commit(sim, List.of(s)))).isEqualTo(ErrorCode.SERIALIZATION_FAILURE);
    pass(sim);
    assertThat(files(sim)).isZero();
  }

  /** History 10 for staged rows. */
  @Test
  void aKillAtAnyCallLeavesAllRegionsWithTheRowsOrNone() {
    for (int n = 1; n < 50; n++) {
      var sim = new SimEngine(n).with(A, B);
      sim.commit(put(A, 1, 1), put(B, 1, 1));
      sim.disk().dieAt(sim.disk().calls() + n);
      var a = sim.engine().stage(A, List.of(put(A, 2, 2)));
      var b = sim.engine().stage(B, List.of(put(B, 2, 2)));
      sim.environment().run(200);
      boolean acknowledged = false;
      if (a.isDone()
          && !a.isCompletedExceptionally()
          && b.isDone()
          && !b.isCompletedExceptionally()) {
        var f = commit(sim, List.of(a.join(), b.join()), put(A, 3, 3));
        CompletableFuture<?> flushed = sim.engine().request(new RegionRequest.Flush(A, "test"));
        sim.environment().run(600);
        acknowledged = f.isDone() && !f.isCompletedExceptionally();
        assertThat(flushed).isNotNull();
      }
      sim.disk().dieAt(-1);
      sim.crash();
      Map<Integer, Long> rows = sim.rows(A);
      assertThat(rows).as("call %s", n).containsEntry(1, 1L);
      assertThat(sim.rows(B).containsKey(2)).as("call %s", n).isEqualTo(rows.containsKey(2));
      assertThat(rows.containsKey(3)).as("call %s", n).isEqualTo(rows.containsKey(2));
      if (acknowledged) {
        assertThat(rows).as("call %s", n).containsKey(2);
      }
    }
  }

  /** Ten thousand values of a kilobyte are more than a record of the log takes. */
  @Test
  void aCommitThatIsTooLargeForARecordIsWrittenAhead() {
    var sim = new SimEngine(20, EngineConfig.DEFAULT);
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                new ColumnSchema(1, "k", SqlType.INT4, SemanticType.TAG, false, null),
                new ColumnSchema(2, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null),
                new ColumnSchema(3, "t", SqlType.TEXT, SemanticType.FIELD, true, null)),
            List.of(1),
            2);
    sim.request(new RegionRequest.Create(A, schema, RegionOptions.DEFAULT));
    sim.with(B);
    sim.commit(texts(3, 10));
    sim.commit(texts(10_000, 1000), put(B, 1, 1));
    byte[] log = sim.disk().log(sim.disk().logNames().getFirst());
    int used = log.length;
    while (used > 0 && log[used - 1] == 0) {
      used--;
    }
    assertThat(used).isBetween(1, 1 << 20);
    assertThat(files(sim)).isOne();
    sim.commit(texts(1, 5_000_000));
    sim.commit(texts(1, 20_000_000));
    sim.crash();
    assertThat(sim.rows(B)).isEqualTo(Map.of(1, 1L));
    assertThat(lengths(sim)).hasSize(10_000).containsEntry(0, 20_000_000).containsEntry(1, 1000);
  }

  /** The values lie in the dictionary, of which the rows have only codes. */
  @Test
  void valuesOfDictionariesCountWhereACommitIsTooLargeForARecord() {
    var sim = new SimEngine(21, EngineConfig.DEFAULT);
    var schema =
        new TableSchema(
            1,
            List.of(
                new ColumnSchema(1, "k", SqlType.INT4, SemanticType.TAG, false, null),
                new ColumnSchema(2, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null),
                new ColumnSchema(3, "t", SqlType.TEXT, SemanticType.FIELD, true, null)),
            List.of(1),
            2);
    sim.request(new RegionRequest.Create(A, schema, RegionOptions.DEFAULT));
    sim.request(new RegionRequest.Create(B, schema, RegionOptions.DEFAULT));
    sim.commit(coded(A), coded(B));
    assertThat(lengths(sim)).isEqualTo(Map.of(0, 3_000_000, 1, 3_000_000, 2, 3_000_000));
  }

  private static RegionWrite coded(RegionId region) {
    int entries = 3;
    int length = 3_000_000;
    int[] offsets = new int[entries + 1];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = i * length;
    }
    byte[] bytes = new byte[entries * length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) ('a' + i / length);
    }
    var dictionary = new DictVector.FixedDictionary(offsets, bytes, entries, true);
    List<Vector> columns =
        List.of(
            new IntVector(SqlType.INT4, new int[] {0, 1, 2}, 3, null),
            new LongVector(SqlType.TIMESTAMP, new long[3], 3, null),
            new DictVector(SqlType.TEXT, new int[] {0, 1, 2}, dictionary, 3, null));
    return new RegionWrite(region, 1, OpType.PUT, List.of(1, 2, 3), new Batch(columns, 3));
  }

  private static RegionWrite texts(int rows, int length) {
    int[] keys = new int[rows];
    var text = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, rows);
    byte[] value = new byte[length];
    java.util.Arrays.fill(value, (byte) 'x');
    for (int i = 0; i < rows; i++) {
      keys[i] = i;
      text.append(value);
    }
    List<Vector> columns =
        List.of(
            new IntVector(SqlType.INT4, keys, rows, null),
            new LongVector(SqlType.TIMESTAMP, new long[rows], rows, null),
            text.build());
    return new RegionWrite(A, 1, OpType.PUT, List.of(1, 2, 3), new Batch(columns, rows));
  }

  private static Map<Integer, Integer> lengths(SimEngine sim) {
    var out = new TreeMap<Integer, Integer>();
    try (Snapshot s = sim.engine().snapshot(List.of(A));
        RegionScanner scanner = sim.engine().scan(s, ScanRequest.all(A, List.of(1, 3)))) {
      for (int p = 0; p < scanner.partitions(); p++) {
        try (PartitionReader reader = scanner.open(p)) {
          for (Batch b = reader.next(); b != null; b = reader.next()) {
            for (int i = 0; i < b.rows(); i++) {
              out.put(((IntVector) b.column(0)).get(i), ((BytesColumn) b.column(1)).size(i));
            }
          }
        }
      }
    }
    return out;
  }
}
