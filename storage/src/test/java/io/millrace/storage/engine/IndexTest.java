package io.millrace.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.IndexInfo;
import io.millrace.storage.IndexKind;
import io.millrace.storage.IndexOptions;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Truncation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Indexes through the engine's door: made, built later, lost, damaged, and cut off by crashes. */
class IndexTest {
  private static final RegionId REGION = Fixture.region(0);
  private static final RegionOptions PLAIN = RegionOptions.DEFAULT;
  private static final RegionOptions INDEXED =
      PLAIN.withIndex(
          new IndexOptions(true, true, List.of(ColumnIndex.of(Fixture.V, IndexKind.INVERTED))));

  private static SimEngine engine(RegionOptions options) {
    var e = new SimEngine(7);
    e.request(new RegionRequest.Create(REGION, Fixture.SCHEMA, options));
    return e;
  }

  /** Keys 0 to 9 with values ten times as large. */
  private static void fill(SimEngine e) {
    for (int k = 0; k < 10; k++) {
      e.commit(Fixture.put(REGION, k, 10 * k));
    }
  }

  private static Map<Integer, Long> filled() {
    var out = new TreeMap<Integer, Long>();
    for (int k = 0; k < 10; k++) {
      out.put(k, 10L * k);
    }
    return out;
  }

  private static void index(SimEngine e) {
    e.request(new RegionRequest.Alter(List.of(REGION), Fixture.SCHEMA, INDEXED));
  }

  private static long build(SimEngine e) {
    return e.request(new RegionRequest.BuildIndex(REGION, List.of())).rows();
  }

  private static List<IndexKind> kinds(SimEngine e) {
    return e.engine().indexes(REGION).stream().map(IndexInfo::kind).toList();
  }

  private static List<String> sideCars(SimEngine e) {
    return e.disk().objectKeys().stream().filter(k -> k.endsWith(".puffin")).toList();
  }

  /** Rows with the value, rows read for that, and side-cars that could not be used. */
  private static List<Long> keysOf(SimEngine e, long value) {
    var wanted = new LongVector(SqlType.INT8, new long[] {value}, 1, null);
    var all = ScanRequest.all(REGION, List.of(Fixture.V));
    var request =
        new ScanRequest(
            REGION,
            all.columnIds(),
            List.of(new ColumnPredicate.Compare(Fixture.V, ColumnPredicate.Op.EQ, wanted)),
            all.minTime(),
            all.maxTime(),
            -1,
            all.order(),
            0,
            null,
            all.selector(),
            false,
            1);
    long rows = 0;
    try (var s = e.engine().snapshot(List.of(REGION));
        var scan = e.engine().scan(s, request);
        var p = scan.open(0)) {
      for (Batch b = p.next(); b != null; b = p.next()) {
        rows += b.rows();
      }
      return List.of(rows, scan.statistics().rowsRead(), scan.statistics().indexFailures());
    }
  }

  @Test
  void filesAreWrittenWithTheirIndexes() {
    SimEngine e = engine(INDEXED);
    fill(e);
    e.flush(REGION);
    assertThat(kinds(e)).containsExactly(IndexKind.KEY_BLOOM, IndexKind.INVERTED);
    assertThat(keysOf(e, 30)).containsExactly(1L, 1L, 0L);
  }

  @Test
  void filesThatWereThereBeforeGetThemWhenBuiltOnce() {
    SimEngine e = engine(PLAIN);
    fill(e);
    e.flush(REGION);
    assertThat(kinds(e)).isEmpty();
    index(e);
    assertThat(build(e)).isEqualTo(1);
    assertThat(build(e)).isZero();
    assertThat(kinds(e)).containsExactly(IndexKind.KEY_BLOOM, IndexKind.INVERTED);
    assertThat(keysOf(e, 30)).containsExactly(1L, 1L, 0L);
    e.crash();
    assertThat(kinds(e)).containsExactly(IndexKind.KEY_BLOOM, IndexKind.INVERTED);
    assertThat(e.rows(REGION)).isEqualTo(filled());
  }

  /** Several builds at once: one wins, and what the others wrote goes, not what it wrote. */
  @Test
  void buildsAtTheSameTimeLeaveTheIndexThatIsNamed() {
    SimEngine e = engine(PLAIN);
    fill(e);
    e.flush(REGION);
    index(e);
    var builds = new ArrayList<CompletableFuture<RegionResponse>>();
    for (int i = 0; i < 4; i++) {
      builds.add(e.engine().request(new RegionRequest.BuildIndex(REGION, List.of())));
    }
    long built = 0;
    for (CompletableFuture<RegionResponse> b : builds) {
      built += e.await(b).rows();
    }
    e.environment().run(1000);
    assertThat(built).isEqualTo(1);
    assertThat(sideCars(e))
        .containsExactlyElementsOf(
            e.engine().indexes(REGION).stream().map(IndexInfo::path).distinct().toList());
    assertThat(keysOf(e, 30)).containsExactly(1L, 1L, 0L);
  }

  @Test
  void indexesThatAreNoLongerWantedGo() {
    SimEngine e = engine(INDEXED);
    fill(e);
    e.flush(REGION);
    e.request(new RegionRequest.Alter(List.of(REGION), Fixture.SCHEMA, PLAIN));
    assertThat(build(e)).isEqualTo(1);
    e.environment().run(1000);
    assertThat(sideCars(e)).isEmpty();
    assertThat(e.rows(REGION)).isEqualTo(filled());
  }

  /** Whatever call to the disk fails during a flush: no row is lost, and the next flush works. */
  @Test
  void aFailureWhileAnIndexIsWrittenLosesNothing() {
    int withoutIndex = 0;
    for (int n = 1; n < 40; n++) {
      SimEngine e = engine(INDEXED);
      fill(e);
      e.disk().failCall(e.disk().calls() + n, "Input/output error");
      e.failure(e.engine().request(new RegionRequest.Flush(REGION, "test")));
      e.disk().failCall(-1, "");
      withoutIndex += e.engine().info(REGION).files() == 1 && kinds(e).isEmpty() ? 1 : 0;
      assertThat(e.rows(REGION)).as("call " + n).isEqualTo(filled());
      e.crash();
      assertThat(e.rows(REGION)).as("call " + n).isEqualTo(filled());
      e.flush(REGION);
      assertThat(e.rows(REGION)).as("call " + n).isEqualTo(filled());
    }
    assertThat(withoutIndex).isPositive();
  }

  /** The machine stops after any number of its tasks: the old state or the new, and no orphan. */
  @Test
  void aCrashWhileIndexesAreBuiltLeavesTheOldOrTheNew() {
    int old = 0;
    int built = 0;
    for (int tasks = 0; tasks < 30; tasks++) {
      SimEngine e = engine(PLAIN);
      fill(e);
      e.flush(REGION);
      index(e);
      var _ = e.engine().request(new RegionRequest.BuildIndex(REGION, List.of()));
      e.environment().run(tasks);
      e.crash();
      assertThat(e.rows(REGION)).as("after " + tasks).isEqualTo(filled());
      assertThat(sideCars(e))
          .isSubsetOf(e.engine().indexes(REGION).stream().map(IndexInfo::path).toList());
      old += kinds(e).isEmpty() ? 1 : 0;
      built += kinds(e).isEmpty() ? 0 : 1;
      boolean lacking = kinds(e).isEmpty();
      assertThat(build(e)).isEqualTo(lacking ? 1 : 0);
    }
    assertThat(old).isPositive();
    assertThat(built).isPositive();
  }

  /** Whichever comes first, the compaction's file has its indexes and nothing else is left. */
  @Test
  void aCompactionThatTakesTheFileWinsOverTheBuild() {
    for (int tasks = 0; tasks < 20; tasks++) {
      SimEngine e = engine(PLAIN);
      e.engine().openGate();
      fill(e);
      e.flush(REGION);
      fill(e);
      e.flush(REGION);
      index(e);
      var compacted = e.engine().request(new RegionRequest.Compact(REGION, false));
      e.environment().run(tasks);
      var built = e.engine().request(new RegionRequest.BuildIndex(REGION, List.of()));
      e.failure(compacted);
      e.await(built);
      build(e);
      e.environment().run(1000);
      assertThat(e.rows(REGION)).isEqualTo(filled());
      assertThat(sideCars(e))
          .as("after " + tasks)
          .containsExactlyInAnyOrderElementsOf(
              e.engine().indexes(REGION).stream().map(IndexInfo::path).distinct().toList());
      assertThat(keysOf(e, 30).getFirst()).isEqualTo(1);
    }
  }

  @Test
  void sideCarsGoWithTheirFiles() {
    SimEngine e = engine(INDEXED);
    fill(e);
    e.flush(REGION);
    assertThat(sideCars(e)).hasSize(1);
    e.request(new RegionRequest.Truncate(List.of(REGION), new Truncation.All()));
    e.environment().run(1000);
    assertThat(sideCars(e)).isEmpty();
    fill(e);
    e.flush(REGION);
    e.request(new RegionRequest.Drop(REGION));
    e.environment().run(1000);
    assertThat(e.disk().objectKeys()).isEmpty();
  }

  @Test
  void aDamagedOrMissingSideCarIsDoneWithout() throws IOException {
    for (boolean missing : new boolean[] {false, true}) {
      SimEngine e = engine(INDEXED);
      fill(e);
      e.flush(REGION);
      String key = sideCars(e).getFirst();
      if (missing) {
        e.disk().objectStore().delete(key);
      } else {
        e.disk().objectStore().put(key, new byte[] {1, 2, 3});
      }
      assertThat(keysOf(e, 30)).containsExactly(1L, 10L, 1L);
      assertThat(e.rows(REGION)).isEqualTo(filled());
      try (var s = e.engine().snapshot(List.of(REGION))) {
        assertThat(e.engine().lookup(s, REGION, Fixture.key(3), List.of(3), null).found())
            .containsExactly(1);
      }
    }
  }

  @Test
  void aSideCarThatCouldNotBeReadOnceIsUsedAgainAfterAWhile() {
    SimEngine e = engine(INDEXED);
    fill(e);
    e.flush(REGION);
    List<Long> pruned = keysOf(e, 30);
    e.crash();
    String key = sideCars(e).getFirst();
    byte[] good = e.disk().object(key);
    e.disk().putObject(key, new byte[] {1, 2, 3});
    List<Long> whole = keysOf(e, 30);
    assertThat(whole).isNotEqualTo(pruned);
    e.disk().putObject(key, good);
    assertThat(keysOf(e, 30)).isEqualTo(whole);
    e.environment().advance(6_000_000);
    assertThat(keysOf(e, 30)).isEqualTo(pruned);
  }
}
