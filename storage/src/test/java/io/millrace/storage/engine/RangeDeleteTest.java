package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.key;
import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.KeyRows;
import io.millrace.storage.OpType;
import io.millrace.storage.Overlay;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.StagedRows;
import io.millrace.storage.WriteGroup;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Deletes of ranges: rows that are not there any more, wherever they lie. */
class RangeDeleteTest {
  private static final RegionId A = region(1);

  /** A series with times; the value is the time. */
  private static RegionWrite series(int k, long from, long to) {
    int n = (int) (to - from);
    int[] keys = new int[n];
    long[] times = new long[n];
    for (int i = 0; i < n; i++) {
      keys[i] = k;
      times[i] = from + i;
    }
    List<Vector> columns =
        List.of(
            new IntVector(SqlType.INT4, keys, n, null),
            new LongVector(SqlType.TIMESTAMP, times, n, null),
            new LongVector(SqlType.INT8, times.clone(), n, null));
    return new RegionWrite(
        A, 1, OpType.PUT, List.of(Fixture.K, Fixture.TS, Fixture.V), new Batch(columns, n));
  }

  private static RegionWrite times(long from, long to, long cover) {
    return new RangeDelete(List.of(), List.of(), from, to, cover).write(A, 1);
  }

  private static RegionWrite times(long from, long to) {
    return times(from, to, Long.MAX_VALUE);
  }

  private static RegionWrite tag(int k, long from, long to) {
    List<Vector> value = List.of(new IntVector(SqlType.INT4, new int[] {k}, 1, null));
    return new RangeDelete(List.of(Fixture.K), value, from, to, Long.MAX_VALUE).write(A, 1);
  }

  private static SimEngine sim(long seed) {
    var sim = new SimEngine(seed).with(A);
    sim.engine().openGate();
    return sim;
  }

  /** Times per series. */
  private static Map<Integer, List<Long>> rows(SimEngine sim, Overlay overlay) {
    return rows(sim, overlay, ScanRequest.RowSelector.ALL);
  }

  private static Map<Integer, List<Long>> rows(SimEngine sim) {
    return rows(sim, null, ScanRequest.RowSelector.ALL);
  }

  private static Map<Integer, List<Long>> rows(
      SimEngine sim, Overlay overlay, ScanRequest.RowSelector selector) {
    var out = new TreeMap<Integer, List<Long>>();
    var request =
        new ScanRequest(
            A,
            List.of(Fixture.K, Fixture.V),
            List.of(),
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            -1,
            ScanRequest.Order.KEY,
            0,
            overlay,
            selector,
            false,
            1);
    try (Snapshot s = sim.engine().snapshot(List.of(A));
        RegionScanner scanner = sim.engine().scan(s, request);
        PartitionReader reader = scanner.open(0)) {
      for (Batch b = reader.next(); b != null; b = reader.next()) {
        for (int i = 0; i < b.rows(); i++) {
          out.computeIfAbsent(((IntVector) b.column(0)).get(i), _ -> new java.util.ArrayList<>())
              .add(((LongVector) b.column(1)).get(i));
        }
      }
    }
    return out;
  }

  private static long committed(SimEngine sim) {
    return sim.engine().info(A).committedSequence();
  }

  private static long files(SimEngine sim) {
    return sim.disk().objectKeys().stream().filter(k -> k.endsWith(".parquet")).count();
  }

  private static void pass(SimEngine sim) {
    for (int i = 0; i < 8; i++) {
      sim.environment().advance(1_000_000);
      sim.environment().run(10_000);
    }
  }

  @Test
  void rowsInFilesAndInMemoryAreGoneForScansLookupsAndLastRows() {
    var sim = sim(1);
    sim.commit(series(1, 0, 6), series(2, 0, 6));
    sim.flush(A);
    sim.commit(series(1, 6, 10), series(2, 6, 10));
    sim.commit(tag(1, 2, 7), times(9, 20));
    var expected = Map.of(1, List.of(0L, 1L, 8L), 2, List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L));
    assertThat(rows(sim)).isEqualTo(expected);
    assertThat(rows(sim, null, ScanRequest.RowSelector.LAST_ROW))
        .isEqualTo(Map.of(1, List.of(8L), 2, List.of(8L)));
    try (Snapshot s = sim.engine().snapshot(List.of(A))) {
      Batch keys =
          new Batch(
              List.of(
                  new IntVector(SqlType.INT4, new int[] {1, 1, 2, 2}, 4, null),
                  new LongVector(SqlType.TIMESTAMP, new long[] {3, 1, 3, 9}, 4, null)),
              4);
      KeyRows found = sim.engine().lookup(s, A, keys, List.of(Fixture.V), null);
      assertThat(found.found()[0] & 15).isEqualTo(0b0110);
    }
    sim.crash();
    assertThat(rows(sim)).isEqualTo(expected);
    sim.engine().openGate();
    sim.flush(A);
    assertThat(rows(sim)).isEqualTo(expected);
    sim.request(new RegionRequest.Compact(A, false));
    assertThat(rows(sim)).isEqualTo(expected);
    assertThat(sim.engine().info(A).rows()).isEqualTo(12);
    sim.crash();
    assertThat(rows(sim)).isEqualTo(expected);
  }

  @Test
  void rowsWrittenAfterwardsAreThereAlsoInTheSameCommit() {
    var sim = sim(2);
    sim.commit(series(1, 0, 5));
    sim.commit(series(2, 0, 5), times(0, 3), series(2, 2, 3));
    assertThat(rows(sim)).isEqualTo(Map.of(1, List.of(4L), 2, List.of(2L, 4L)));
    sim.commit(series(1, 0, 2));
    sim.flush(A);
    pass(sim);
    assertThat(rows(sim)).isEqualTo(Map.of(1, List.of(0L, 1L, 4L), 2, List.of(2L, 4L)));
  }

  @Test
  void rowsOfOthersThatTheDeleteDidNotSeeStay() {
    var sim = sim(3);
    sim.commit(series(1, 0, 3));
    long seen = committed(sim);
    sim.commit(series(1, 2, 5));
    sim.commit(series(2, 0, 2), times(0, 100, seen), series(3, 0, 1));
    var expected = Map.of(1, List.of(2L, 3L, 4L), 3, List.of(0L));
    assertThat(rows(sim)).isEqualTo(expected);
    sim.crash();
    assertThat(rows(sim)).isEqualTo(expected);
    sim.engine().openGate();
    sim.flush(A);
    sim.request(new RegionRequest.Compact(A, false));
    assertThat(rows(sim)).isEqualTo(expected);
  }

  @Test
  void filesOfWhichNothingIsLeftGoAndThenTheDeleteItself() {
    var sim = sim(4);
    for (int i = 0; i < 3; i++) {
      sim.commit(series(i, i * 100, i * 100 + 50));
      sim.flush(A);
    }
    sim.commit(times(0, 149));
    pass(sim);
    assertThat(rows(sim)).containsOnlyKeys(2);
    assertThat(files(sim)).isOne();
    sim.commit(series(7, 0, 1));
    sim.flush(A);
    sim.crash();
    assertThat(rows(sim)).containsOnlyKeys(2, 7);
    sim.commit(series(8, 0, 1));
    assertThat(rows(sim)).containsOnlyKeys(2, 7, 8);
  }

  @Test
  void aTransactionSeesItsOwnRangeDeletesWhereTheyLie() {
    var sim = sim(5);
    sim.commit(series(1, 0, 4));
    var own = new Overlay(List.of(series(2, 0, 4), times(1, 2, committed(sim)), series(2, 2, 3)));
    assertThat(rows(sim, own)).isEqualTo(Map.of(1, List.of(0L, 3L), 2, List.of(0L, 2L, 3L)));
    StagedRows first = sim.await(sim.engine().stage(A, List.of(series(2, 0, 4), series(3, 0, 4))));
    StagedRows second =
        sim.await(sim.engine().stage(A, List.of(series(4, 0, 9), times(1, 2), series(3, 1, 2))));
    StagedRows third = sim.await(sim.engine().stage(A, List.of(tag(4, 5, 9))));
    List<StagedRows> staged = List.of(first, second, third);
    var expected =
        Map.of(
            1, List.of(0L, 3L),
            2, List.of(0L, 3L),
            3, List.of(0L, 1L, 3L),
            4, List.of(0L, 3L));
    List<RegionWrite> last = List.of(times(4, 4));
    assertThat(rows(sim, new Overlay(last, staged))).isEqualTo(expected);
    sim.await(sim.engine().commit(new WriteGroup(last, List.of(), staged)));
    assertThat(rows(sim)).isEqualTo(expected);
    sim.crash();
    assertThat(rows(sim)).isEqualTo(expected);
    sim.engine().openGate();
    sim.request(new RegionRequest.Compact(A, false));
    assertThat(rows(sim)).isEqualTo(expected);
  }

  @Test
  void rowsThatAHoldNeedsAreKeptUntilItIsReleased() {
    var sim = sim(6);
    sim.commit(series(1, 0, 4));
    Hold hold = sim.engine().hold(A, "flow", HoldKind.ROWS);
    sim.commit(times(1, 2));
    sim.commit(series(1, 2, 3));
    sim.flush(A);
    sim.request(new RegionRequest.Compact(A, false));
    pass(sim);
    assertThat(rows(sim)).isEqualTo(Map.of(1, List.of(0L, 2L, 3L)));
    try (Snapshot s = sim.engine().snapshot(List.of(A));
        ChangeFeed feed = sim.engine().changes(s, A, hold.sequence(), List.of(Fixture.V), true)) {
      assertThat(feed.events())
          .singleElement()
          .isInstanceOfSatisfying(
              RegionEvent.ResetRange.class,
              e -> {
                assertThat(e.minTime()).isEqualTo(1);
                assertThat(e.maxTime()).isEqualTo(2);
              });
      var changed = feed.next();
      assertThat(changed.keys().rows()).isOne();
      assertThat(Bits.get(changed.oldPresent(), 0)).isTrue();
    }
    hold.close();
    sim.request(new RegionRequest.Compact(A, false));
    assertThat(rows(sim)).isEqualTo(Map.of(1, List.of(0L, 2L, 3L)));
    assertThat(sim.engine().info(A).rows()).isEqualTo(3);
  }

  @Test
  void itCutsHistoryWhereFieldsMerge() {
    var sim = new SimEngine(7);
    sim.request(
        new RegionRequest.Create(
            A,
            Fixture.SCHEMA,
            new RegionOptions(
                RegionOptions.KeyMode.TIME_INDEX,
                false,
                RegionOptions.MergeMode.LAST_NON_NULL,
                0,
                false,
                0)));
    sim.engine().openGate();
    sim.commit(put(A, 1, 5));
    sim.commit(tag(1, 0, 0));
    Batch k = key(1);
    sim.commit(new RegionWrite(A, 1, OpType.PUT, List.of(Fixture.K, Fixture.TS), k));
    for (int i = 0; i < 2; i++) {
      try (Snapshot s = sim.engine().snapshot(List.of(A))) {
        KeyRows found = sim.engine().lookup(s, A, k, List.of(Fixture.V), null);
        assertThat(Bits.get(found.found(), 0)).isTrue();
        assertThat(found.rows().column(0).isNull(0)).isTrue();
      }
      sim.flush(A);
    }
  }

  @Test
  void appendOnlyRegionsRefuseIt() {
    var sim = new SimEngine(8);
    sim.request(
        new RegionRequest.Create(
            A,
            Fixture.SCHEMA,
            new RegionOptions(
                RegionOptions.KeyMode.TIME_INDEX,
                true,
                RegionOptions.MergeMode.LAST_ROW,
                0,
                false,
                0)));
    assertThatThrownBy(() -> sim.commit(times(0, 1))).hasMessageContaining("append_mode");
  }

  /** The delete takes the newer version of a key, and not the older one, which it did not see. */
  @Test
  void aRowOfOthersUnderAnOwnOneThatIsTakenShowsBeforeAndAfterAFlush() {
    var sim = sim(9);
    sim.commit(series(1, 0, 1));
    long seen = committed(sim);
    sim.commit(series(1, 2, 4));
    sim.commit(series(1, 1, 3), times(0, 100, seen));
    var expected = Map.of(1, List.of(2L, 3L));
    assertThat(rows(sim)).isEqualTo(expected);
    assertThat(rows(sim, null, ScanRequest.RowSelector.LAST_ROW)).isEqualTo(Map.of(1, List.of(3L)));
    sim.flush(A);
    assertThat(rows(sim)).isEqualTo(expected);
  }

  @Test
  void aCommitMayAskForARowAndDeleteARange() {
    var sim = sim(10);
    sim.commit(series(1, 0, 5));
    long start = sim.environment().clock().wallMicros();
    var absent = new WriteGroup.Precondition(A, key(7), List.of(), null);
    sim.await(
        sim.engine()
            .commit(
                new WriteGroup(
                    List.of(series(7, 0, 1), times(2, 3), series(7, 0, 1)), List.of(absent))));
    assertThat(sim.environment().clock().wallMicros() - start).isLessThan(1_000_000);
    assertThat(rows(sim)).isEqualTo(Map.of(1, List.of(0L, 1L, 4L), 7, List.of(0L)));
  }
}
