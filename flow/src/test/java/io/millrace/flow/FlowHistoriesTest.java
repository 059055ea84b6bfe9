package io.millrace.flow;

import static io.millrace.flow.FlowRig.DAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.storage.Truncation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Histories that broke earlier designs of flows, as fixed schedules. */
@Timeout(120)
class FlowHistoriesTest {
  private static final String DAILY =
      "SELECT " + DAY + " AS d, host, sum(v) AS total, count(*) AS n FROM s GROUP BY d, host";
  private static final String SHOW_DAILY = "SELECT d, host, total, n FROM k";
  private static final String PROJECTION = "SELECT ts, v FROM s";

  @TempDir Path folder;

  private FlowRig daily() {
    var rig = new FlowRig(folder);
    rig.table("s", "@ts timestamp", "#host text", "v int");
    rig.createFlow("CREATE FLOW f SINK TO k AS " + DAILY);
    rig.flushFlow("f");
    return rig;
  }

  private static void assertSinkIsQuery(FlowRig rig) {
    rig.flushFlow("f");
    assertThat(rig.query(SHOW_DAILY)).isEqualTo(rig.query(DAILY));
  }

  /** A day, so far from the next that their ranges are never joined. */
  private static String lonelyDay(int n) {
    return java.time.LocalDate.of(2000, 1, 1).plusDays(10L * n).toString();
  }

  /** 1: a window whose notice was still queued when the checkpoint passed it. */
  @Test
  void aRowWhoseNoticeIsStillQueuedIsNotLostWhenTheCheckpointPassesIt() {
    try (FlowRig rig = daily()) {
      rig.insert("s", "2024-01-01 10:00|a|1");
      rig.holdNotices(true);
      rig.insert("s", "2024-02-02 10:00|a|2");
      rig.killAfterFlowCommits(1);
      rig.flushUntilStopped("f");
      assertThat(rig.machine().stopped()).isTrue();
      rig.crash();
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).hasSize(2);
    }
  }

  /** 2: the checkpoint of a part of the dirty windows, then a kill. */
  @Test
  void windowsLeftOverByAnEvaluationAreEvaluatedAfterAKill() {
    try (FlowRig rig = daily()) {
      var rows = new ArrayList<String>();
      for (int i = 0; i < 300; i++) {
        rows.add(lonelyDay(i) + "|a|" + i);
      }
      rig.insert("s", rows.toArray(String[]::new));
      rig.killAfterFlowCommits(1);
      rig.flushUntilStopped("f");
      rig.crashWithoutFlows();
      assertThat(rig.query(SHOW_DAILY)).hasSizeBetween(1, 299);
      rig.startFlows();
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).hasSize(300);
    }
  }

  /** 4: rows that agree in all that the query shows, but not in their key. */
  @Test
  void outputRowsThatLookAlikeAreAllInTheSink() {
    try (FlowRig rig = new FlowRig(folder)) {
      rig.table("s", "@ts timestamp", "#host text", "v int");
      rig.createFlow("CREATE FLOW f SINK TO k AS " + PROJECTION);
      String hidden = "SELECT sum(v) AS total FROM s GROUP BY " + DAY + ", host";
      rig.createFlow("CREATE FLOW g SINK TO h AS " + hidden);
      rig.insert(
          "s",
          "2024-01-01 10:00|a|7",
          "2024-01-01 10:00|b|7",
          "2024-01-02 10:00|a|7",
          "2024-01-02 11:00||7",
          "2024-01-02 12:00||");
      rig.flushFlow("f");
      rig.flushFlow("g");
      assertThat(rig.query("SELECT ts, v FROM k")).hasSize(5).isEqualTo(rig.query(PROJECTION));
      assertThat(rig.query("SELECT total FROM h")).containsExactly("7", "7", "7", "7");
      rig.write(rig.delete("s", "2024-01-01 10:00|a"));
      rig.flushFlow("f");
      rig.flushFlow("g");
      assertThat(rig.query("SELECT ts, v FROM k")).hasSize(4).isEqualTo(rig.query(PROJECTION));
      assertThat(rig.query("SELECT total FROM h")).containsExactly("7", "7", "7");
    }
  }

  /** 5: two flows and a user feed one sink, each its own hosts of the same window. */
  @Test
  void aLateRowOfOneFlowLeavesTheRowsOfOthersInTheSameWindow() {
    try (FlowRig rig = new FlowRig(folder)) {
      rig.table("s", "@ts timestamp", "#host text", "v int");
      rig.table("k", "@d timestamp", "#host text", "total bigint", "n bigint");
      for (String host : List.of("a", "b")) {
        rig.createFlow(
            "CREATE FLOW of_"
                + host
                + " SINK TO k AS "
                + DAILY.replace("FROM s", "FROM s WHERE host = '" + host + "'"));
      }
      rig.insert("k", "2024-01-01 00:00|user|100|1");
      rig.insert("s", "2024-01-01 10:00|a|1", "2024-01-01 10:00|b|2");
      rig.flushFlow("of_a");
      rig.flushFlow("of_b");
      rig.insert("s", "2024-01-01 09:00|a|5");
      rig.flushFlow("of_a");
      assertThat(rig.query(SHOW_DAILY))
          .containsExactly(
              "2024-01-01 00:00:00|a|6|2",
              "2024-01-01 00:00:00|b|2|1",
              "2024-01-01 00:00:00|user|100|1");
      rig.write(rig.delete("s", "2024-01-01 10:00|a"), rig.delete("s", "2024-01-01 09:00|a"));
      rig.crash();
      rig.flushFlow("of_a");
      rig.flushFlow("of_b");
      assertThat(rig.query(SHOW_DAILY))
          .containsExactly("2024-01-01 00:00:00|b|2|1", "2024-01-01 00:00:00|user|100|1");
    }
  }

  /** 6: two flows fill columns of one row; when one's group vanishes the other's column stays. */
  @Test
  void aGroupThatVanishesTakesOnlyItsOwnColumnsAlong() {
    try (FlowRig rig = new FlowRig(folder)) {
      rig.table("s", "@ts timestamp", "#host text", "v int");
      rig.table(
          "k",
          Map.of("merge_mode", "last_non_null"),
          "@d timestamp",
          "#host text",
          "low int",
          "high int");
      String days = DAY + " AS d, host";
      rig.createFlow(
          "CREATE FLOW low SINK TO k AS SELECT "
              + days
              + ", min(v) AS low FROM s WHERE v < 10 GROUP BY d, host");
      rig.createFlow(
          "CREATE FLOW high SINK TO k AS SELECT "
              + days
              + ", max(v) AS high FROM s WHERE v >= 10 GROUP BY d, host");
      rig.insert("s", "2024-01-01 10:00|a|1", "2024-01-01 11:00|a|20");
      rig.flushFlow("low");
      rig.flushFlow("high");
      String show = "SELECT d, host, low, high FROM k";
      assertThat(rig.query(show)).containsExactly("2024-01-01 00:00:00|a|1|20");
      rig.write(rig.delete("s", "2024-01-01 10:00|a"));
      rig.flushFlow("low");
      assertThat(rig.query(show)).containsExactly("2024-01-01 00:00:00|a||20");
      rig.flushTable("k");
      assertThat(rig.query(show)).containsExactly("2024-01-01 00:00:00|a||20");
    }
  }

  /** 7: a truncate, then a kill before the flow saw it. */
  @Test
  void aTruncateThatTheFlowDidNotSeeBeforeAKillEmptiesTheSink() {
    try (FlowRig rig = daily()) {
      rig.insert("s", "2024-01-01 10:00|a|1", "2024-03-01 10:00|b|2");
      assertSinkIsQuery(rig);
      rig.holdNotices(true);
      rig.truncate("s");
      rig.crash();
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).isEmpty();
      rig.holdNotices(true);
      rig.insert("s", "2024-03-01 10:00|b|3");
      rig.truncate("s");
      rig.insert("s", "2024-03-01 11:00|b|4");
      rig.crash();
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).containsExactly("2024-03-01 00:00:00|b|4|1");
    }
  }

  /** 7: files dropped by their times, and memory dropped, then a kill before the flow saw it. */
  @Test
  void aPartOfTheSourceThatWentWithoutTheFlowSeeingItLeavesTheSink() {
    try (FlowRig rig = daily()) {
      rig.insert("s", "2024-01-01 10:00|a|1", "2024-01-02 10:00|a|1");
      rig.flushTable("s");
      rig.insert("s", "2024-03-01 10:00|b|2");
      rig.flushTable("s");
      rig.insert("s", "2024-03-01 12:00|c|2", "2024-05-01 10:00|c|2");
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).hasSize(5);
      rig.truncate(
          "s",
          new Truncation.Files(
              List.of(new Truncation.TimeRange(micros("2024-01-01"), micros("2024-02-01")))));
      rig.crash();
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).hasSize(3);
      rig.truncate("s", new Truncation.Unflushed());
      rig.crash();
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).containsExactly("2024-03-01 00:00:00|b|2|1");
    }
  }

  private static long micros(String day) {
    return java.time.LocalDate.parse(day).toEpochDay() * 86_400_000_000L;
  }

  /** 8: rows of a source without a log are gone after a kill, and their sequences come again. */
  @Test
  void aSourceWithoutALogThatLostRowsInAKillIsEvaluatedAfresh() {
    try (FlowRig rig = new FlowRig(folder)) {
      rig.table("s", Map.of("skip_wal", "true"), "@ts timestamp", "#host text", "v int");
      rig.createFlow("CREATE FLOW f SINK TO k AS " + DAILY);
      rig.insert("s", "2024-01-01 10:00|a|1");
      rig.flushTable("s");
      rig.insert("s", "2024-02-01 10:00|a|2", "2024-03-01 10:00|a|2");
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).hasSize(3);
      rig.crashWithoutFlows();
      assertThat(rig.query(DAILY)).hasSize(1);
      rig.insert("s", "2024-04-01 10:00|a|3", "2024-05-01 10:00|a|3");
      rig.startFlows();
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).hasSize(3);
    }
  }

  /** 8, 15: the log loses its tail below a checkpoint that is in a file. */
  @Test
  void aLogTailLostBelowTheCheckpointIsNoticedThoughItsSequencesComeAgain() {
    try (FlowRig rig = daily()) {
      rig.insert("s", "2024-01-01 10:00|a|1");
      assertSinkIsQuery(rig);
      Map<Path, Long> ends = logEnds();
      rig.insert("s", "2024-02-01 10:00|a|2", "2024-02-02 10:00|a|2");
      assertSinkIsQuery(rig);
      rig.catalog()
          .snapshot()
          .hiddenTables()
          .forEach(t -> t.regions().forEach(r -> flushRegion(rig, r)));
      rig.flushTable("k");
      rig.crash(() -> damage(ends));
      assertThat(rig.query(DAILY)).hasSize(1);
      rig.insert("s", "2024-04-01 10:00|a|3", "2024-05-01 10:00|a|3");
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).hasSize(3);
      rig.crash();
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).hasSize(3);
    }
  }

  private static void flushRegion(FlowRig rig, io.millrace.common.id.RegionId r) {
    FlowRig.await(rig.engine().request(new io.millrace.storage.RegionRequest.Flush(r, "test")));
  }

  /** Where the log's files end now, without the zeros that were put there ahead. */
  private Map<Path, Long> logEnds() {
    var out = new java.util.TreeMap<Path, Long>();
    try (var files = Files.list(folder.resolve("wal"))) {
      for (Path p : files.filter(x -> x.toString().endsWith(".log")).toList()) {
        byte[] b = Files.readAllBytes(p);
        int end = b.length;
        while (end > 0 && b[end - 1] == 0) {
          end--;
        }
        out.put(p, (long) end);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out;
  }

  /** Overwrites what came after with zeros, as a disk that lost it. */
  private static void damage(Map<Path, Long> ends) {
    ends.forEach(
        (file, end) -> {
          try (var f = new java.io.RandomAccessFile(file.toFile(), "rw")) {
            long size = f.length();
            f.setLength(end);
            f.setLength(size);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** 9: a kill at every write to the disk of an evaluation: sink and checkpoint go together. */
  @Test
  void aKillAtAnyWriteOfAnEvaluationDoublesNothingAndLeavesNothing() {
    try (FlowRig rig = daily()) {
      boolean through = false;
      for (int n = 1; !through; n++) {
        String day = "2024-01-" + (n < 10 ? "0" : "") + n;
        rig.insert("s", day + " 10:00|a|1", day + " 10:00|b|" + n);
        assertSinkIsQuery(rig);
        rig.write(rig.put("s", day + " 11:00|a|5"), rig.delete("s", day + " 10:00|b"));
        List<String> before = rig.query(SHOW_DAILY);
        List<String> after = rig.query(DAILY);
        rig.machine().dieAfter(n);
        rig.flushUntilStopped("f");
        through = !rig.machine().stopped();
        rig.crashWithoutFlows();
        assertThat(rig.query(SHOW_DAILY)).as("write %s", n).isIn(before, after);
        rig.insert("s", day + " 12:00|c|1");
        rig.write(rig.delete("s", day + " 12:00|c"));
        rig.startFlows();
        assertSinkIsQuery(rig);
        assertThat(n).isLessThan(25);
      }
    }
  }

  /** 9: a group that came and went between checkpoint and kill. */
  @Test
  void aGroupThatCameAndWentBetweenCheckpointAndKillLeavesNothing() {
    try (FlowRig rig = daily()) {
      rig.insert("s", "2024-01-01 10:00|a|1");
      assertSinkIsQuery(rig);
      rig.insert("s", "2024-01-01 11:00|b|1", "2024-06-01 11:00|b|1");
      rig.killAfterFlowCommits(1);
      rig.flushUntilStopped("f");
      rig.crashWithoutFlows();
      assertThat(rig.query(SHOW_DAILY)).hasSize(3);
      rig.write(rig.delete("s", "2024-01-01 11:00|b", "2024-06-01 11:00|b"));
      rig.flushTable("s");
      rig.crash();
      assertSinkIsQuery(rig);
      assertThat(rig.query(SHOW_DAILY)).hasSize(1);
    }
  }

  /** 18: flushes at once on two threads, and writers that dirty more than one evaluation takes. */
  @Test
  void flushesAtOnceReturnThoughWritersNeverStop() {
    try (FlowRig rig = new FlowRig(folder, () -> Executors.newFixedThreadPool(2))) {
      rig.table("s", "@ts timestamp", "#host text", "v int");
      rig.createFlow("CREATE FLOW f SINK TO k AS " + DAILY);
      rig.createFlow("CREATE FLOW g SINK TO k2 AS " + DAILY);
      rig.flushFlow("f");
      var flushes = new ArrayList<CompletableFuture<Long>>();
      int written = 0;
      for (int round = 0; ; round++) { // a flush that never returns meets the time-out
        var rows = new ArrayList<String>();
        for (int i = 0; i < 60; i++) {
          rows.add(lonelyDay(i) + "|a|" + written++);
        }
        rig.insert("s", rows.toArray(String[]::new));
        if (round == 5) {
          flushes.add(rig.flows().flush(rig.flow("f")));
          flushes.add(rig.flows().flush(rig.flow("g")));
          flushes.add(rig.flows().flush(rig.flow("f")));
        }
        if (round > 5 && flushes.stream().allMatch(CompletableFuture::isDone)) {
          break;
        }
      }
      flushes.forEach(f -> assertThat(FlowRig.await(f)).isPositive());
      assertThat(new HashSet<>(rig.query("SELECT n FROM k"))).containsExactly("1");
      assertSinkIsQuery(rig);
    }
  }
}
