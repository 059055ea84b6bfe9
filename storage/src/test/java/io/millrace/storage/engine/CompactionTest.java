package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.delete;
import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.ChangeBatch;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.CompactionOptions;
import io.millrace.storage.FileOptions;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.KeyRows;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionInfo;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Compaction through the engine's door. */
class CompactionTest {
  private static final RegionId A = region(1);
  private static final long HOUR = 3_600_000_000L;
  private static final long NOW = 1_700_000_000_000_000L;

  private static RegionOptions options(RegionOptions.MergeMode mode, long ttl, long window) {
    return new RegionOptions(
        RegionOptions.KeyMode.TIME_INDEX,
        false,
        mode,
        ttl,
        false,
        0,
        new CompactionOptions(window, 4, 0));
  }

  private static SimEngine open(RegionOptions options) {
    var sim = new SimEngine(1);
    sim.request(new RegionRequest.Create(A, Fixture.SCHEMA, options));
    sim.engine().openGate();
    return sim;
  }

  private static SimEngine open() {
    return open(options(RegionOptions.MergeMode.LAST_ROW, 0, 0));
  }

  private static RegionWrite at(long time, int key, long value) {
    return new RegionWrite(
        A,
        1,
        OpType.PUT,
        List.of(Fixture.K, Fixture.TS, Fixture.V),
        new Batch(
            List.of(
                new IntVector(SqlType.INT4, new int[] {key}, 1, null),
                new LongVector(SqlType.TIMESTAMP, new long[] {time}, 1, null),
                new LongVector(SqlType.INT8, new long[] {value}, 1, null)),
            1));
  }

  private static void compact(SimEngine sim, boolean strict) {
    sim.request(new RegionRequest.Compact(A, strict));
  }

  private static RegionInfo info(SimEngine sim) {
    return sim.engine().info(A);
  }

  /** Lets background work happen for some seconds. */
  private static void pass(SimEngine sim, int seconds) {
    for (int i = 0; i < seconds; i++) {
      sim.environment().advance(1_000_000);
      sim.environment().run(10_000);
    }
  }

  @Test
  void overlappingFilesBecomeOneByThemselvesAndTheirFilesGo() {
    SimEngine sim = open();
    var expected = new TreeMap<Integer, Long>();
    for (int i = 0; i < 8; i++) {
      sim.commit(put(A, new int[] {1, 2, 10 + i}, new long[] {i, -i, i}));
      expected.put(1, (long) i);
      expected.put(2, (long) -i);
      expected.put(10 + i, (long) i);
      sim.flush(A);
    }
    pass(sim, 20);
    assertThat(info(sim).files()).isLessThan(4);
    assertThat(sim.rows(A)).isEqualTo(expected);
    assertThat(files(sim)).hasSize(info(sim).files());
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(expected);
  }

  private static List<String> files(SimEngine sim) {
    return sim.disk().objectKeys().stream().filter(k -> k.endsWith(".parquet")).toList();
  }

  @Test
  void deletedRowsAndTheirTombstonesAreGoneAfterwards() {
    SimEngine sim = open();
    sim.commit(put(A, new int[] {1, 2, 3}, new long[] {1, 2, 3}));
    sim.flush(A);
    sim.commit(delete(A, 2));
    sim.flush(A);
    compact(sim, false);
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L, 3, 3L));
    assertThat(info(sim).rows()).isEqualTo(2);
  }

  @Test
  void aTombstoneOverAFileThatIsNotMergedStays() {
    SimEngine sim = open(options(RegionOptions.MergeMode.LAST_ROW, 0, HOUR));
    sim.commit(at(0, 1, 1), at(10 * HOUR, 1, 2));
    sim.flush(A);
    sim.commit(
        new RegionWrite(
            A,
            1,
            OpType.DELETE,
            List.of(Fixture.K, Fixture.TS),
            new Batch(
                List.of(
                    new IntVector(SqlType.INT4, new int[] {1}, 1, null),
                    new LongVector(SqlType.TIMESTAMP, new long[1], 1, null)),
                1)));
    sim.flush(A);
    for (int i = 0; i < 6; i++) {
      sim.commit(at(1 + i, 5 + i, i + 10));
      sim.flush(A);
      pass(sim, 5);
    }
    assertThat(info(sim).files()).isLessThan(8);
    assertThat(sim.rows(A)).containsEntry(1, 2L).doesNotContainValue(1L).hasSize(7);
  }

  private static Map<Integer, Long> old(SimEngine sim, long after) {
    var out = new TreeMap<Integer, Long>();
    try (Snapshot s = sim.engine().snapshot(List.of(A));
        ChangeFeed feed = sim.engine().changes(s, A, after, List.of(Fixture.V), true)) {
      for (ChangeBatch b = feed.next(); b != null; b = feed.next()) {
        for (int i = 0; i < b.keys().rows(); i++) {
          if (b.old() != null && b.oldPresent() != null && !b.old().column(0).isNull(i)) {
            out.put(
                ((IntVector) b.keys().column(0)).get(i), ((LongVector) b.old().column(0)).get(i));
          }
        }
      }
    }
    return out;
  }

  @Test
  void aRowsHoldKeepsTheVersionItSeesAndWhatIsBelowIsStale() {
    SimEngine sim = open();
    sim.commit(put(A, 1, 10));
    sim.flush(A);
    sim.commit(put(A, 1, 20));
    sim.flush(A);
    Hold hold = sim.engine().hold(A, "flow", HoldKind.ROWS);
    sim.commit(put(A, 1, 30));
    sim.flush(A);
    sim.commit(put(A, 1, 40));
    sim.flush(A);
    compact(sim, false);
    assertThat(info(sim).files()).isOne();
    assertThat(info(sim).rows()).isEqualTo(2);
    assertThat(old(sim, hold.sequence())).isEqualTo(Map.of(1, 20L));
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 40L));
    hold.close();
    compact(sim, false);
    assertThat(info(sim).rows()).isOne();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 40L));
    assertThat(stale(sim, 1)).isEqualTo(ErrorCode.STALE_CURSOR);
  }

  private static ErrorCode stale(SimEngine sim, long after) {
    try {
      old(sim, after);
    } catch (io.millrace.common.error.MillraceException e) {
      return e.code();
    }
    return ErrorCode.SUCCESSFUL_COMPLETION;
  }

  @Test
  void nothingRunsBeforeTheGateOpens() {
    var sim = new SimEngine(1).with(A);
    for (int i = 0; i < 8; i++) {
      sim.commit(put(A, 1, i));
      sim.flush(A);
    }
    pass(sim, 10);
    assertThat(info(sim).files()).isEqualTo(8);
    assertThat(sim.failure(sim.engine().request(new RegionRequest.Compact(A, false))))
        .isEqualTo(ErrorCode.REGION_NOT_READY);
    sim.engine().openGate();
    pass(sim, 10);
    assertThat(info(sim).files()).isLessThan(4);
  }

  @Test
  void strictWindowsCutFilesAtWindowBounds() {
    SimEngine sim = open(options(RegionOptions.MergeMode.LAST_ROW, 0, HOUR));
    sim.commit(at(5, 1, 1), at(2 * HOUR - 1, 1, 2), at(2 * HOUR, 1, 3), at(-1, 1, 4));
    sim.flush(A);
    assertThat(info(sim).files()).isOne();
    compact(sim, true);
    assertThat(info(sim).files()).isEqualTo(4);
    compact(sim, false);
    assertThat(info(sim).files()).isOne();
    assertThat(info(sim).rows()).isEqualTo(4);
  }

  @Test
  void whatIsOlderThanItsTimeToLiveGoesWithAnEvent() {
    SimEngine sim = open(options(RegionOptions.MergeMode.LAST_ROW, 10 * HOUR, HOUR));
    sim.commit(at(NOW - 20 * HOUR, 1, 1));
    sim.flush(A);
    sim.commit(at(NOW, 2, 2));
    sim.flush(A);
    long before = sim.engine().hold(A, "flow", HoldKind.KEYS).sequence();
    pass(sim, 5);
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
    assertThat(files(sim)).hasSize(1);
    assertThat(expired(sim, before)).hasSize(1).allMatch(b -> Math.abs(b - NOW) < 11 * HOUR);
    sim.commit(at(NOW - 30 * HOUR, 3, 3));
    sim.flush(A);
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
    assertThat(expired(sim, before)).hasSize(1);
  }

  @Test
  void aRegionsOwnIntervalBringsItsRowsToFilesAfterACrashToo() {
    SimEngine sim = open(RegionOptions.DEFAULT.withFiles(new FileOptions(20_000_000, 1000)));
    sim.crash();
    assertThat(sim.engine().info(A).files()).isZero();
    sim.engine().openGate();
    sim.commit(at(NOW, 1, 1));
    pass(sim, 10);
    assertThat(info(sim).files()).isZero();
    pass(sim, 15);
    assertThat(info(sim).files()).isOne();
  }

  @Test
  void rowsOlderThanTheirTimeToLiveGoWhenFilesAreWritten() {
    SimEngine sim = open(options(RegionOptions.MergeMode.LAST_ROW, 10 * HOUR, 100 * HOUR));
    sim.commit(at(NOW - 20 * HOUR, 1, 1), at(NOW, 2, 2));
    sim.flush(A);
    long before = sim.engine().hold(A, "flow", HoldKind.KEYS).sequence();
    assertThat(info(sim).rows()).isEqualTo(2); // no bound has been committed yet
    compact(sim, false);
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
    assertThat(expired(sim, before)).hasSize(1);
    sim.commit(at(NOW - 20 * HOUR, 3, 3), at(NOW, 4, 4));
    sim.flush(A);
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L, 4, 4L)); // a flush minds the bound too
    assertThat(expired(sim, before)).hasSize(1); // which time has hardly moved
  }

  @Test
  void theExpiryOfADeleteDoesNotBringTheRowBack() {
    SimEngine sim = open(options(RegionOptions.MergeMode.LAST_ROW, 10 * HOUR, 100 * HOUR));
    sim.commit(at(NOW - 9 * HOUR, 1, 1), at(NOW, 2, 2));
    sim.flush(A);
    sim.commit(deleteAt(NOW - 9 * HOUR, 1));
    sim.environment().advance(2 * HOUR);
    pass(sim, 3);
    sim.flush(A); // the old row's file is outside
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
    compact(sim, false);
    assertThat(sim.rows(A)).isEqualTo(Map.of(2, 2L));
    assertThat(info(sim).rows()).isEqualTo(1);
  }

  private static RegionWrite deleteAt(long time, int key) {
    return new RegionWrite(
        A,
        1,
        OpType.DELETE,
        List.of(Fixture.K, Fixture.TS),
        new Batch(
            List.of(
                new IntVector(SqlType.INT4, new int[] {key}, 1, null),
                new LongVector(SqlType.TIMESTAMP, new long[] {time}, 1, null)),
            1));
  }

  private static List<Long> expired(SimEngine sim, long after) {
    var out = new ArrayList<Long>();
    try (Snapshot s = sim.engine().snapshot(List.of(A));
        ChangeFeed feed = sim.engine().changes(s, A, after, List.of(), false)) {
      for (RegionEvent e : feed.events()) {
        if (e instanceof RegionEvent.Expired x) {
          out.add(x.below());
        }
      }
    }
    return out;
  }

  @Test
  void aTruncateOrDropDuringACompactionMakesItFutile() {
    SimEngine sim = open();
    for (int i = 0; i < 3; i++) {
      sim.commit(put(A, 1, i));
      sim.flush(A);
    }
    var compaction = sim.engine().request(new RegionRequest.Compact(A, false));
    var truncate = sim.engine().request(new RegionRequest.Truncate(List.of(A)));
    sim.await(truncate);
    sim.await(compaction);
    assertThat(sim.rows(A)).isEmpty();
    pass(sim, 3);
    assertThat(files(sim)).isEmpty();
    sim.crash();
    assertThat(sim.rows(A)).isEmpty();
  }

  private static RegionWrite fields(OpType op, long time, @Nullable Long a, @Nullable Long b) {
    var columns = new ArrayList<Vector>();
    columns.add(new IntVector(SqlType.INT4, new int[] {1}, 1, null));
    columns.add(new LongVector(SqlType.TIMESTAMP, new long[] {time}, 1, null));
    var ids = new ArrayList<>(List.of(Fixture.K, Fixture.TS));
    if (a != null) {
      ids.add(Fixture.V);
      columns.add(new LongVector(SqlType.INT8, new long[] {a}, 1, null));
    }
    if (b != null) {
      ids.add(W);
      columns.add(new LongVector(SqlType.INT8, new long[] {b}, 1, null));
    }
    return new RegionWrite(A, 1, op, ids, new Batch(columns, 1));
  }

  private static final int W = 4;

  /** Values v and w of the only key; null where there is none. */
  private static List<@Nullable Long> row(SimEngine sim) {
    try (Snapshot s = sim.engine().snapshot(List.of(A))) {
      KeyRows r = sim.engine().lookup(s, A, Fixture.key(1), List.of(Fixture.V, W), null);
      var out = new ArrayList<@Nullable Long>();
      for (Vector v : r.rows().columns()) {
        out.add(v.isNull(0) ? null : ((LongVector) v).get(0));
      }
      return out;
    }
  }

  private static SimEngine openTwoFields(RegionOptions.MergeMode mode) {
    var columns = new ArrayList<>(Fixture.SCHEMA.columns());
    columns.add(new ColumnSchema(W, "w", SqlType.INT8, SemanticType.FIELD, true, null));
    var schema = new TableSchema(1, columns, List.of(Fixture.K), Fixture.TS);
    var sim = new SimEngine(1);
    sim.request(
        new RegionRequest.Create(
            A,
            schema,
            new RegionOptions(
                RegionOptions.KeyMode.TIME_INDEX,
                false,
                mode,
                0,
                false,
                0,
                new CompactionOptions(HOUR, 3, 0))));
    return sim;
  }

  /** History 6: what a delete or a clear cut off never comes back, whoever folds the versions. */
  @Test
  void deleteAndPutFoldedTogetherBringNoOlderValuesBack() {
    SimEngine sim = openTwoFields(RegionOptions.MergeMode.LAST_NON_NULL);
    sim.engine().openGate();
    sim.commit(fields(OpType.PUT, 0, 1L, 2L));
    sim.flush(A);
    sim.commit(fields(OpType.DELETE, 0, null, null));
    sim.commit(fields(OpType.PUT, 0, null, 3L));
    assertThat(row(sim)).containsExactly(null, 3L);
    sim.flush(A);
    assertThat(row(sim)).containsExactly(null, 3L);
    sim.commit(fields(OpType.PUT, 0, 4L, null));
    sim.commit(fields(OpType.CLEAR, 0, null, 0L));
    sim.flush(A);
    assertThat(row(sim)).containsExactly(4L, null);
    sim.commit(fields(OpType.CLEAR, 0, 0L, null));
    sim.commit(fields(OpType.PUT, 0, null, 5L));
    sim.flush(A);
    assertThat(row(sim)).containsExactly(null, 5L);
    sim.crash();
    sim.engine().openGate();
    compact(sim, false);
    assertThat(row(sim)).containsExactly(null, 5L);
  }

  /** A large file stays out of a merge although its rows lie between those of the small ones. */
  private static void largeFileBetween(SimEngine sim, RegionWrite between) {
    int n = 20_000;
    int[] keys = new int[n];
    long[] values = new long[n];
    var random = new Random(1);
    for (int i = 0; i < n; i++) {
      keys[i] = 1000 + i;
      values[i] = random.nextLong();
    }
    sim.commit(between, put(A, keys, values));
    sim.flush(A);
  }

  @Test
  void fieldsOfAFileThatIsNotMergedWinOverThoseOfOlderOnes() {
    SimEngine sim = openTwoFields(RegionOptions.MergeMode.LAST_NON_NULL);
    sim.commit(fields(OpType.PUT, 0, 1L, null));
    sim.flush(A);
    largeFileBetween(sim, fields(OpType.PUT, 0, 2L, null));
    sim.commit(fields(OpType.PUT, 0, null, 3L));
    sim.flush(A);
    assertThat(row(sim)).containsExactly(2L, 3L);
    sim.engine().openGate();
    pass(sim, 10);
    assertThat(info(sim).files()).isLessThan(3);
    assertThat(row(sim)).containsExactly(2L, 3L);
    compact(sim, false);
    assertThat(row(sim)).containsExactly(2L, 3L);
    assertThat(info(sim).rows()).isEqualTo(20_001);
  }

  @Test
  void aClearedFieldDoesNotHideARowThatIsNotMerged() {
    SimEngine sim = openTwoFields(RegionOptions.MergeMode.LAST_ROW);
    sim.commit(fields(OpType.PUT, 0, 1L, 1L));
    sim.flush(A);
    largeFileBetween(sim, fields(OpType.PUT, 0, 2L, 2L));
    sim.commit(fields(OpType.CLEAR, 0, 0L, null));
    sim.flush(A);
    assertThat(row(sim)).containsExactly(null, 2L);
    sim.engine().openGate();
    pass(sim, 10);
    assertThat(row(sim)).containsExactly(null, 2L);
    compact(sim, false);
    assertThat(row(sim)).containsExactly(null, 2L);
  }

  /** Both requests wait for a running job; the second must not wait for another one to end. */
  @Test
  void requestsThatWaitForAJobAllEnd() {
    SimEngine sim = open();
    for (int i = 0; i < 3; i++) {
      sim.commit(put(A, 1, i));
      sim.flush(A);
    }
    var all = new ArrayList<CompletableFuture<RegionResponse>>();
    for (int i = 0; i < 3; i++) {
      all.add(sim.engine().request(new RegionRequest.Compact(A, false)));
    }
    sim.await(sim.engine().request(new RegionRequest.Truncate(List.of(A))));
    for (CompletableFuture<RegionResponse> f : all) {
      sim.await(f);
    }
    assertThat(sim.rows(A)).isEmpty();
  }

  @Test
  void aFailedCompactionLeavesTheInputsAndIsTriedAgain() {
    SimEngine sim = open();
    for (int i = 0; i < 3; i++) {
      sim.commit(put(A, 1, i));
      sim.flush(A);
    }
    sim.disk().failCall(sim.disk().calls() + 6, "Input/output error");
    assertThat(sim.failure(sim.engine().request(new RegionRequest.Compact(A, false))))
        .isEqualTo(ErrorCode.IO_ERROR);
    sim.disk().failCall(-1, "");
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 2L));
    compact(sim, false);
    assertThat(info(sim).files()).isOne();
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 2L));
    pass(sim, 2);
    assertThat(files(sim)).hasSize(1);
  }
}
