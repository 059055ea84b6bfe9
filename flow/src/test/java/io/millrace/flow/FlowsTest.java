package io.millrace.flow;

import static io.millrace.flow.FlowRig.DAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.sql.catalog.TableInfo;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What flows do over time, and what is left of them. */
@Timeout(120)
class FlowsTest {
  private static final long HOUR = 3_600_000_000L;
  private static final String HOURLY =
      "SELECT date_bin(INTERVAL '1 hour', ts) AS h, count(*) AS n FROM s GROUP BY h";
  private static final String SHOWN = "SELECT h, n FROM k";

  @TempDir Path folder;

  private FlowRig rig() {
    var rig = new FlowRig(folder);
    rig.table("s", "@ts timestamp", "v int");
    return rig;
  }

  /** A row so long before the rig's time. */
  private static String ago(FlowRig rig, long micros) {
    LocalDateTime t =
        LocalDateTime.ofInstant(
            Instant.ofEpochMilli((rig.machine().clock().wallMicros() - micros) / 1000),
            ZoneOffset.UTC);
    return t + "|1";
  }

  @Test
  void rowsAcknowledgedInTimeAreEvaluatedHoweverLateThatIs() {
    try (FlowRig rig = rig()) {
      rig.createFlow("CREATE FLOW f SINK TO k EXPIRE AFTER '1 hour' AS " + HOURLY);
      rig.flushFlow("f");
      rig.holdNotices(true);
      rig.insert("s", ago(rig, HOUR / 2));
      rig.crashWithoutFlows();
      rig.machine().advance(3 * HOUR);
      rig.startFlows();
      rig.flushFlow("f");
      assertThat(rig.query(SHOWN)).hasSize(1);
    }
  }

  @Test
  void lateRowsOfExpiredWindowsChangeNothingAndAreCounted() {
    try (FlowRig rig = rig()) {
      rig.createFlow("CREATE FLOW f SINK TO k EXPIRE AFTER '1 hour' AS " + HOURLY);
      rig.insert("s", ago(rig, 0));
      rig.flushFlow("f");
      List<String> before = rig.query(SHOWN);
      rig.insert("s", ago(rig, 5 * HOUR), ago(rig, 6 * HOUR));
      rig.flushFlow("f");
      assertThat(rig.query(SHOWN)).isEqualTo(before);
      assertThat(rig.flows().statistics().getFirst().rowsExpired()).isEqualTo(2);
    }
  }

  @Test
  void expiredWindowsAreNotFilledAtBirth() {
    try (FlowRig rig = rig()) {
      rig.insert("s", ago(rig, 50 * HOUR), ago(rig, 0));
      rig.createFlow("CREATE FLOW f SINK TO k EXPIRE AFTER '2 hours' AS " + HOURLY);
      rig.flushFlow("f");
      assertThat(rig.query(SHOWN)).hasSize(1);
    }
  }

  /** 13: the sink keeps what TTL takes from the source, also where a late row comes after it. */
  @Test
  void aWindowOfWhichRowsAreGoneByTtlKeepsItsSinkRow() {
    try (FlowRig rig = new FlowRig(folder)) {
      rig.table("s", Map.of("ttl", "10 hours"), "@ts timestamp", "v int");
      rig.createFlow(
          "CREATE FLOW f SINK TO k AS SELECT " + DAY + " AS d, count(*) AS n FROM s GROUP BY d");
      rig.insert("s", "2023-11-14 13:00|1", "2023-11-14 13:30|1", "2023-11-14 14:00|1");
      rig.flushTable("s");
      rig.insert("s", "2023-11-14 20:00|1", "2023-11-14 21:00|1");
      rig.flushFlow("f");
      String right = "2023-11-14 00:00:00|5";
      assertThat(rig.query("SELECT d, n FROM k")).containsExactly(right);
      rig.machine().advance(3 * HOUR);
      RegionId source = rig.info("s").regions().getFirst();
      await()
          .until(
              () -> {
                rig.machine().advance(60_000_000);
                return rig.engine().info(source).expiredBelow() > Long.MIN_VALUE;
              });
      rig.insert("s", "2023-11-14 22:00|1", "2023-11-15 01:00|1");
      rig.flushFlow("f");
      assertThat(rig.query("SELECT d, n FROM k")).containsExactly(right, "2023-11-15 00:00:00|1");
      rig.crash();
      rig.insert("s", "2023-11-14 23:00|1");
      rig.flushFlow("f");
      assertThat(rig.query("SELECT d, n FROM k")).containsExactly(right, "2023-11-15 00:00:00|1");
      assertThat(rig.query("SELECT count(*) FROM s WHERE ts < '2023-11-15'")).containsExactly("4");
    }
  }

  @Test
  void aQuietFlowsTimeGoesOn() {
    try (FlowRig rig = rig()) {
      rig.createFlow("CREATE FLOW f SINK TO k EXPIRE AFTER '1 hour' AS " + HOURLY);
      rig.flushFlow("f");
      rig.machine().advance(8 * HOUR);
      rig.flushFlow("f");
      rig.insert("s", ago(rig, 4 * HOUR));
      rig.flushFlow("f");
      assertThat(rig.query(SHOWN)).isEmpty();
    }
  }

  @Test
  void aWindowThatCannotBeEvaluatedDoesNotKeepTheOthersFromIt() {
    try (FlowRig rig = rig()) {
      rig.createFlow(
          "CREATE FLOW f SINK TO k AS SELECT "
              + DAY
              + " AS d, sum(100 / v) AS n FROM s GROUP BY d");
      rig.flushFlow("f");
      rig.insert("s", "2024-01-01 00:00|0", "2024-02-01 00:00|5", "2024-03-01 00:00|10");
      assertThatThrownBy(() -> rig.flushFlow("f"))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("division by zero");
      for (int i = 0; i < 20 && rig.query("SELECT d FROM k").size() < 2; i++) {
        assertThatThrownBy(() -> rig.flushFlow("f")).isInstanceOf(MillraceException.class);
      }
      assertThat(rig.query("SELECT d, n FROM k"))
          .containsExactly("2024-02-01 00:00:00|20", "2024-03-01 00:00:00|10");
      rig.insert("s", "2024-01-01 00:00|50");
      rig.flushFlow("f");
      assertThat(rig.query("SELECT d, n FROM k")).hasSize(3).contains("2024-01-01 00:00:00|2");
      assertThat(rig.flows().statistics().getFirst().state()).isEqualTo("running");
    }
  }

  @Test
  void aKillAtAnyWriteOfCreateFlowLeavesAFlowOrNoTraceOfOne() {
    try (FlowRig rig = rig()) {
      rig.insert("s", "2024-01-01 00:00|1", "2024-01-02 00:00|2");
      boolean through = false;
      for (int n = 1; !through; n++) {
        rig.machine().dieAfter(n);
        try {
          rig.createFlow("CREATE FLOW f SINK TO k AS " + HOURLY);
        } catch (MillraceException e) {
          assertThat(rig.machine().stopped()).as("write %s", n).isTrue();
        }
        through = !rig.machine().stopped();
        rig.crash();
        boolean there = !rig.catalog().snapshot().flows().isEmpty();
        assertThat(
                rig.catalog().snapshot().hiddenTables().stream()
                    .map(TableInfo::name)
                    .filter(t -> t.startsWith("__flow_ledger")))
            .as("write %s", n)
            .hasSize(there ? 1 : 0);
        if (there) {
          rig.flushFlow("f");
          assertThat(rig.query(SHOWN)).as("write %s", n).isEqualTo(rig.query(HOURLY));
          FlowRig.await(rig.flows().drop(rig.flow("f")));
        }
        assertThat(n).isLessThan(40);
      }
    }
  }

  @Test
  void aDroppedFlowHoldsNothingAndKeepsNothingButItsSink() {
    try (FlowRig rig = rig()) {
      rig.createFlow("CREATE FLOW f SINK TO k AS " + HOURLY);
      rig.insert("s", "2024-01-01 00:00|1");
      rig.flushFlow("f");
      FlowRig.await(rig.flows().drop(rig.flow("f")));
      assertThat(rig.catalog().snapshot().hiddenTables())
          .extracting(TableInfo::name)
          .containsExactly("__flow_checkpoint");
      assertThat(rig.query(SHOWN)).hasSize(1);
      rig.crash();
      assertThat(rig.flows().statistics()).isEmpty();
    }
  }

  @Test
  void aFlowIsHeldAtItsCheckpointFromItsBirthAndAfterARestart() {
    try (FlowRig rig = rig()) {
      rig.createFlow(
          "CREATE FLOW f SINK TO k EVAL INTERVAL '1 day' WITH (backfill = 'false') AS " + HOURLY);
      long born = rig.flows().statistics().getFirst().oldestHold().orElseThrow();
      rig.insert("s", "2024-01-01 00:00|1");
      rig.insert("s", "2024-01-02 00:00|1");
      assertThat(rig.flows().statistics().getFirst().oldestHold()).contains(born);
      rig.crash();
      assertThat(rig.flows().statistics().getFirst().oldestHold()).contains(born);
      rig.flushFlow("f");
      assertThat(rig.flows().statistics().getFirst().oldestHold()).contains(born + 2);
      assertThat(rig.query(SHOWN)).hasSize(2);
    }
  }

  @Test
  void aFlushThatWaitsWhileItsFlowIsReplacedEndsWithTheNewOne() {
    try (FlowRig rig = rig()) {
      rig.createFlow("CREATE FLOW f SINK TO k AS " + HOURLY);
      for (int i = 0; i < 10; i++) {
        rig.insert("s", "2024-01-0" + (1 + i % 9) + " 0" + i % 9 + ":00|1");
        var flush = rig.flows().flush(rig.flow("f"));
        rig.createFlow("CREATE OR REPLACE FLOW f SINK TO k AS " + HOURLY);
        FlowRig.await(flush);
      }
      rig.flushFlow("f");
      assertThat(rig.query(SHOWN)).isEqualTo(rig.query(HOURLY));
    }
  }
}
