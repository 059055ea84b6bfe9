package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.delete;
import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.id.RegionId;
import io.millrace.storage.ChangeBatch;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.EngineEnvironment.Point;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.WriteGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Histories that broke earlier designs, as fixed schedules. */
class HistoriesTest {
  private static final RegionId A = region(1);
  private static final RegionId B = region(2);

  private static long sequence(SimEngine sim, RegionId region) {
    try (Snapshot s = sim.engine().snapshot(List.of(region))) {
      return s.sequence(region);
    }
  }

  private record Change(@Nullable Long now, @Nullable Long old) {}

  private static Map<Integer, Change> changes(
      SimEngine sim, RegionId region, long after, List<RegionEvent> events) {
    var out = new HashMap<Integer, Change>();
    try (Snapshot s = sim.engine().snapshot(List.of(region));
        ChangeFeed feed = sim.engine().changes(s, region, after, List.of(Fixture.V), true)) {
      events.addAll(feed.events());
      for (ChangeBatch b = feed.next(); b != null; b = feed.next()) {
        var keys = (IntVector) b.keys().column(0);
        for (int i = 0; i < b.keys().rows(); i++) {
          Long now = Bits.get(b.present(), i) ? ((LongVector) b.now().column(0)).get(i) : null;
          Long old = null;
          if (b.old() != null && b.oldPresent() != null && Bits.get(b.oldPresent(), i)) {
            old = ((LongVector) b.old().column(0)).get(i);
          }
          out.put(keys.get(i), new Change(now, old));
        }
      }
    }
    return out;
  }

  /** 1: a row above a flow's checkpoint is in the feed after a restart. */
  @Test
  void theFeedFromACheckpointHasEverythingCommittedSinceAfterAKill() {
    var sim = new SimEngine(1).with(A);
    sim.commit(put(A, 1, 10));
    long checkpoint = sequence(sim, A);
    sim.commit(put(A, 2, 20));
    sim.crash();
    assertThat(changes(sim, A, checkpoint, new ArrayList<>()))
        .isEqualTo(Map.of(2, new Change(20L, null)));
  }

  /** 3: the row as it was at a hold is still there after an overwrite and a flush. */
  @Test
  void aHoldKeepsTheOldRowThroughAFlush() {
    var sim = new SimEngine(3).with(A);
    sim.engine().openGate();
    sim.commit(put(A, 1, 10));
    try (Hold hold = sim.engine().hold(A, "flow", HoldKind.ROWS)) {
      sim.commit(put(A, 1, 20));
      sim.commit(put(A, 1, 30), put(A, 2, 5));
      sim.flush(A);
      sim.commit(delete(A, 2));
      assertThat(changes(sim, A, hold.sequence(), new ArrayList<>()))
          .containsEntry(1, new Change(30L, 10L))
          .doesNotContainEntry(2, new Change(5L, null));
    }
  }

  /** 3: … and through a compaction, a kill, and a compaction after it. */
  @Test
  void aHoldMadeAgainAfterAKillKeepsTheOldRowThroughCompactions() {
    var sim = new SimEngine(5).with(A);
    sim.engine().openGate();
    sim.commit(put(A, 1, 10));
    sim.flush(A);
    long checkpoint = sim.engine().hold(A, "flow", HoldKind.ROWS).sequence();
    sim.commit(put(A, 1, 20));
    sim.flush(A);
    sim.request(new RegionRequest.Compact(A, false));
    sim.crash();
    Hold again = sim.engine().restoreHold(A, "flow", HoldKind.ROWS, checkpoint);
    sim.engine().openGate();
    sim.commit(put(A, 2, 5));
    sim.flush(A);
    sim.request(new RegionRequest.Compact(A, false));
    assertThat(changes(sim, A, checkpoint, new ArrayList<>()))
        .isEqualTo(Map.of(1, new Change(20L, 10L), 2, new Change(5L, null)));
    again.close();
  }

  /** A kill before the gate opens: nothing that a hold may need is folded away meanwhile. */
  @Test
  void beforeTheGateOpensAFlushKeepsAllVersions() {
    var sim = new SimEngine(4).with(A);
    sim.commit(put(A, 1, 10));
    long checkpoint = sequence(sim, A);
    sim.commit(put(A, 1, 20));
    sim.crash();
    sim.flush(A);
    Hold hold = sim.engine().restoreHold(A, "flow", HoldKind.ROWS, checkpoint);
    sim.engine().openGate();
    assertThat(changes(sim, A, checkpoint, new ArrayList<>()))
        .isEqualTo(Map.of(1, new Change(20L, 10L)));
    hold.close();
  }

  /** 7: a truncate is seen after a kill, whether its manifest edit came through or not. */
  @Test
  void aTruncateLeavesAnEventThatSurvivesAKillAtAnyCall() {
    for (int n = 1; n < 40; n++) {
      var sim = new SimEngine(n).with(A, B);
      sim.commit(put(A, 1, 10), put(B, 1, 10));
      sim.flush(A);
      long checkpoint = sequence(sim, A);
      sim.disk().dieAt(sim.disk().calls() + n);
      CompletableFuture<?> f = sim.engine().request(new RegionRequest.Truncate(List.of(A, B)));
      sim.environment().run(400);
      boolean acknowledged = f.isDone() && !f.isCompletedExceptionally();
      sim.disk().dieAt(-1);
      sim.crash();
      boolean gone = sim.rows(A).isEmpty();
      assertThat(sim.rows(B).isEmpty()).as("call %s", n).isEqualTo(gone);
      if (acknowledged) {
        assertThat(gone).as("call %s", n).isTrue();
      }
      var events = new ArrayList<RegionEvent>();
      changes(sim, A, checkpoint, events);
      assertThat(events.stream().anyMatch(e -> e instanceof RegionEvent.ResetAll))
          .as("call %s", n)
          .isEqualTo(gone);
    }
  }

  /** 10: two rows in two regions, a kill at any call: both or none; acknowledged: both. */
  @Test
  void aCommitOverTwoRegionsSurvivesAKillAtAnyCallWhollyOrNotAtAll() {
    for (int n = 1; n < 60; n++) {
      var sim = new SimEngine(n).with(A, B);
      sim.commit(put(A, 1, 1), put(B, 1, 1));
      sim.disk().dieAt(sim.disk().calls() + n);
      CompletableFuture<CommitResult> f =
          sim.engine().commit(WriteGroup.of(List.of(put(A, 2, 2), put(B, 2, 2))));
      CompletableFuture<?> flushed = sim.engine().request(new RegionRequest.Flush(A, "test"));
      sim.environment().run(400);
      boolean acknowledged = f.isDone() && !f.isCompletedExceptionally();
      assertThat(flushed).isNotNull();
      sim.disk().dieAt(-1);
      sim.crash();
      assertThat(sim.rows(A)).containsEntry(1, 1L);
      assertThat(sim.rows(A).containsKey(2)).as("call %s", n).isEqualTo(sim.rows(B).containsKey(2));
      if (acknowledged) {
        assertThat(sim.rows(A)).as("call %s", n).containsKey(2);
      }
    }
  }

  /** 10: a reader between publications sees commits whole and in order. */
  @Test
  void aReaderAtEveryPointSeesCommitsWholeAndInOrder() {
    var sim = new SimEngine(10).with(A, B);
    var seen = new ArrayList<List<Integer>>();
    sim.environment()
        .onPoint(
            p -> {
              if (p == Point.AFTER_APPLY || p == Point.AFTER_FORCE || p == Point.BEFORE_NOTICE) {
                try (Snapshot s = sim.engine().snapshot(List.of(A, B))) {
                  seen.add(
                      List.of(
                          Fixture.rows(sim.engine(), s, A).size(),
                          Fixture.rows(sim.engine(), s, B).size()));
                }
              }
            });
    var all = new ArrayList<CompletableFuture<CommitResult>>();
    for (int i = 0; i < 30; i++) {
      all.add(sim.engine().commit(WriteGroup.of(List.of(put(A, i, i), put(B, i, i)))));
    }
    all.forEach(sim::await);
    assertThat(seen).isNotEmpty().allMatch(pair -> pair.get(0).equals(pair.get(1)));
    for (int i = 1; i < seen.size(); i++) {
      assertThat(seen.get(i).getFirst()).isGreaterThanOrEqualTo(seen.get(i - 1).getFirst());
    }
  }

  /** 11: freeze and flush between a reader's version and sequence lose it no row. */
  @Test
  void aFreezeBetweenVersionAndSequenceLosesNoRow() {
    for (int seed = 0; seed < 20; seed++) {
      var sim = new SimEngine(seed).with(A);
      sim.engine().openGate();
      sim.environment().shuffled(false);
      for (int i = 0; i < 10; i++) {
        sim.commit(put(A, i, i));
      }
      var busy = new boolean[1];
      int more = seed;
      sim.environment()
          .onPoint(
              p -> {
                if (p == Point.BETWEEN_VERSION_AND_SEQUENCE && !busy[0]) {
                  busy[0] = true;
                  CompletableFuture<?> flush =
                      sim.engine().request(new RegionRequest.Flush(A, "test"));
                  CompletableFuture<CommitResult> c =
                      sim.engine().commit(WriteGroup.of(List.of(put(A, 3, 33), put(A, 100, 1))));
                  sim.environment().run(more * 2);
                  assertThat(flush).isNotNull();
                  assertThat(c).isNotNull();
                }
              });
      Map<Integer, Long> rows = sim.rows(A);
      assertThat(rows).hasSizeBetween(10, 11);
      assertThat(rows.get(3)).isIn(3L, 33L);
      assertThat(rows.containsKey(100)).isEqualTo(Long.valueOf(33).equals(rows.get(3)));
    }
  }

  /** 15: tail damaged below what files tell; what is acknowledged afterwards stays. */
  @Test
  void commitsAfterACutTailAreNeverSkippedByAReplay() {
    var sim = new SimEngine(15).with(A, B);
    for (int i = 0; i < 10; i++) {
      sim.commit(put(A, i, i));
      sim.commit(put(B, i, i));
    }
    sim.flush(A);
    sim.stop();
    String last = segments(sim).getLast();
    byte[] log = sim.disk().log(last);
    int end = log.length;
    while (log[end - 1] == 0) {
      end--;
    }
    log[end - 300] ^= 1;
    sim.start(false);
    assertThat(sim.rows(A)).hasSize(10);
    int left = sim.rows(B).size();
    assertThat(left).isLessThan(10);
    for (int i = 100; i < 105; i++) {
      sim.commit(put(A, i, i), put(B, i, i));
    }
    sim.crash();
    assertThat(sim.rows(A)).hasSize(15);
    assertThat(sim.rows(B)).hasSize(left + 5);
    sim.crash();
    assertThat(sim.rows(B)).hasSize(left + 5);
  }

  private static List<String> segments(SimEngine sim) {
    return sim.disk().logNames().stream().filter(n -> n.endsWith(".log")).toList();
  }

  /** 16: a failed force: nothing of the group is visible, reads go on, writes are refused. */
  @Test
  void afterAFailedForceReadsGoOnAndWritesAreRefusedUntilARestart() {
    var sim = new SimEngine(16).with(A);
    sim.commit(put(A, 1, 1));
    sim.disk().forceFails(true);
    CompletableFuture<CommitResult> f = sim.engine().commit(WriteGroup.of(List.of(put(A, 2, 2))));
    assertThat(sim.failure(f)).isEqualTo(ErrorCode.IO_ERROR);
    sim.disk().forceFails(false);
    assertThat(sim.rows(A)).isEqualTo(Map.of(1, 1L));
    assertThat(sim.failure(sim.engine().commit(WriteGroup.of(List.of(put(A, 3, 3))))))
        .isEqualTo(ErrorCode.IO_ERROR);
    assertThat(sim.failure(sim.engine().request(new RegionRequest.Flush(A, "test"))))
        .isEqualTo(ErrorCode.IO_ERROR);
    sim.crash();
    sim.commit(put(A, 4, 4));
    assertThat(sim.rows(A)).containsEntry(1, 1L).containsEntry(4, 4L).doesNotContainKey(3);
  }

  /** 16: on a full disk writes are refused; flush, truncate and drop work from the reserve. */
  @Test
  void aFullDiskRefusesWritesAndLeavesFlushTruncateAndDropTheReserve() {
    EngineConfig c = Fixture.config(WalSync.COMMIT);
    var config =
        new EngineConfig(
            c.walSync(),
            c.walSyncIntervalMicros(),
            c.walSegmentBytes(),
            c.writeBufferBytes(),
            c.writeBufferHardBytes(),
            c.regionWriteBufferBytes(),
            16384,
            c.pageCacheBytes(),
            c.workers(),
            c.autoFlushMicros());
    var sim = new SimEngine(17, config).with(A, B);
    sim.environment().advance(1_000_000);
    sim.environment().run(50);
    assertThat(sim.disk().logNames()).contains("reserve");
    sim.commit(put(A, 1, 1), put(B, 1, 1));
    sim.disk().capacity(sim.disk().used());
    ErrorCode code = ErrorCode.SUCCESSFUL_COMPLETION;
    int written = 0;
    while (code == ErrorCode.SUCCESSFUL_COMPLETION) {
      code = sim.failure(sim.engine().commit(WriteGroup.of(List.of(put(A, 2 + written, 1)))));
      written += code == ErrorCode.SUCCESSFUL_COMPLETION ? 1 : 0;
    }
    assertThat(code).isEqualTo(ErrorCode.DISK_FULL);
    assertThat(sim.rows(A)).hasSize(1 + written);
    sim.flush(A);
    sim.request(new RegionRequest.Truncate(List.of(A)));
    assertThat(sim.rows(A)).isEmpty();
    sim.request(new RegionRequest.Drop(B));
    sim.disk().capacity(Long.MAX_VALUE);
    sim.environment().advance(1_000_000);
    sim.commit(put(A, 7, 7));
    sim.crash();
    assertThat(sim.rows(A)).isEqualTo(Map.of(7, 7L));
    assertThat(sim.engine().regions()).containsExactly(A);
  }

  /** 16: whatever is configured, log and reserve leave room for rows on a small disk. */
  @Test
  void onASmallFileSystemTheLogIsShorterAndTrimmedSoThatWritesGoOn() {
    var sim = new SimEngine(18, EngineConfig.DEFAULT).with(A);
    sim.disk().capacity(24 << 20);
    sim.crash();
    int[] keys = IntStream.range(0, 1000).toArray();
    for (int round = 0; round < 12; round++) {
      long[] values = new long[keys.length];
      Arrays.fill(values, round);
      for (int i = 0; i < 50; i++) {
        sim.commit(Fixture.put(A, keys, values));
      }
      sim.environment().advance(1_000_000);
      sim.environment().run(200);
      sim.crash();
    }
    assertThat(sim.rows(A)).hasSize(1000).allSatisfy((_, v) -> assertThat(v).isEqualTo(11));
  }
}
