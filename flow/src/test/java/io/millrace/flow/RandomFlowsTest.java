package io.millrace.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is written and whenever the machine stops: after FLUSH_FLOW sinks are their queries. */
@Timeout(120)
class RandomFlowsTest {
  private static final int STEPS = 60;

  /** A flow's query over its sources, and what its sink shows. */
  private record Kept(String query, String shown) {}

  private static final Map<String, Kept> FLOWS = flows();

  private static Map<String, Kept> flows() {
    var out = new LinkedHashMap<String, Kept>();
    out.put(
        "daily",
        new Kept(
            "SELECT date_bin(INTERVAL '1 day', ts) AS d, host, sum(v) AS t, count(*) AS n FROM s"
                + " GROUP BY d, host HAVING count(*) > 1",
            "SELECT d, host, t, n FROM k_daily"));
    out.put(
        "weekly",
        new Kept(
            "SELECT time_bucket(INTERVAL '7 hours', ts) AS d, x, max(v) AS m FROM s GROUP BY d, x",
            "SELECT d, x, m FROM k_weekly"));
    out.put(
        "hidden",
        new Kept(
            "SELECT min(v) AS m FROM s WHERE v > 3 GROUP BY date_trunc('month', ts), host",
            "SELECT m FROM k_hidden"));
    out.put(
        "pairs",
        new Kept("SELECT ts, v * 2 AS w FROM s WHERE v < 90", "SELECT ts, w FROM k_pairs"));
    out.put(
        "total",
        new Kept("SELECT host, sum(v) AS t FROM s GROUP BY host", "SELECT host, t FROM k_total"));
    out.put(
        "cascade",
        new Kept(
            "SELECT date_trunc('month', d) AS m, sum(t) AS t FROM k_daily GROUP BY m",
            "SELECT m, t FROM k_cascade"));
    return out;
  }

  @TempDir Path folder;
  private final List<String> keys = new ArrayList<>();

  @Test
  void sinksAreTheirQueriesAfterEveryFlush() {
    run(rig -> rig.table("s", "@ts timestamp", "#host text", "v int", "x double"));
  }

  @Test
  void sinksOfPartitionedTablesToo() {
    run(
        rig -> {
          rig.partitioned("s", "host", "h1", "@ts timestamp", "#host text", "v int", "x double");
          rig.partitioned(
              "k_daily", "host", "h2", "@d timestamp", "#host text", "t bigint", "n bigint");
        });
  }

  private void run(Consumer<FlowRig> tables) {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var random = new SplittableRandom(seed);
    var log = new ArrayList<String>();
    try (FlowRig rig = new FlowRig(folder)) {
      tables.accept(rig);
      FLOWS.forEach((name, k) -> rig.createFlow(create(name, k)));
      for (int i = 0; i < STEPS; i++) {
        log.add(step(rig, random));
        if (i == STEPS / 2) {
          rig.crash();
          log.add("crash");
        }
        if (random.nextInt(12) == 0) {
          check(rig, random, "seed " + seed + ", after " + log);
        }
      }
      check(rig, random, "seed " + seed + ", after " + log);
    } catch (RuntimeException e) {
      throw new AssertionError("seed " + seed + ", after " + log, e);
    }
  }

  private static String create(String name, Kept k) {
    return "CREATE FLOW "
        + name
        + " SINK TO k_"
        + name
        + (name.equals("total") ? " EVAL INTERVAL '1 second'" : "")
        + " AS "
        + k.query();
  }

  private static void check(FlowRig rig, SplittableRandom random, String why) {
    for (Map.Entry<String, Kept> e : FLOWS.entrySet()) {
      if (random.nextInt(3) == 0) {
        continue;
      }
      rig.flushFlow(e.getKey());
      assertThat(rig.query(e.getValue().shown()))
          .as("%s: %s", e.getKey(), why)
          .isEqualTo(rig.query(e.getValue().query()));
      assertThat(rig.flushFlow(e.getKey())).as("%s again: %s", e.getKey(), why).isZero();
    }
  }

  private String step(FlowRig rig, SplittableRandom random) {
    rig.holdNotices(random.nextInt(4) == 0);
    switch (random.nextInt(20)) {
      case 0 -> {
        rig.truncate("s");
        keys.clear();
        return "truncate";
      }
      case 1, 2 -> {
        rig.flushTable("s");
        return "flush";
      }
      case 3, 4, 5, 6 -> {
        return delete(rig, random);
      }
      case 7 -> {
        rig.machine().advance(1 + random.nextInt(8_000_000));
        return "time";
      }
      case 8 -> {
        rig.compact("s");
        return "compact";
      }
      case 9 -> {
        rig.write(rig.put("s", row(random)), rig.delete("s", row(random)));
        return "put and delete";
      }
      default -> {
        int n = 1 + random.nextInt(40);
        var rows = new ArrayList<String>();
        for (int i = 0; i < n; i++) {
          rows.add(row(random));
        }
        rig.insert("s", rows.toArray(String[]::new));
        return n + " rows";
      }
    }
  }

  private String delete(FlowRig rig, SplittableRandom random) {
    if (keys.isEmpty()) {
      return "nothing to delete";
    }
    int n = 1 + random.nextInt(Math.min(20, keys.size()));
    var rows = new ArrayList<String>();
    for (int i = 0; i < n; i++) {
      rows.add(keys.remove(random.nextInt(keys.size())));
    }
    rig.write(rig.delete("s", rows.stream().distinct().toArray(String[]::new)));
    return n + " deletes";
  }

  private String row(SplittableRandom random) {
    String day = java.time.LocalDate.of(2023, 1, 1).plusDays(random.nextInt(400)).toString();
    String host = random.nextInt(6) == 0 ? "" : "h" + random.nextInt(3);
    String key = day + " " + (10 + random.nextInt(4)) + ":00|" + host;
    keys.add(key);
    String x = List.of("", "NaN", "0", "-0", "1.5", "Infinity").get(random.nextInt(6));
    return key + "|" + (random.nextInt(10) == 0 ? "" : random.nextInt(100)) + "|" + x;
  }
}
