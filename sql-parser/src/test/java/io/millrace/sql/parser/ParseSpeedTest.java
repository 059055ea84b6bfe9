package io.millrace.sql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Test;

/** The budget: 0.2 ms of CPU for a warm query of 200 bytes. Five times that fails. */
class ParseSpeedTest {
  @Test
  void a_query_of_200_bytes_stays_within_its_budget() {
    String sql =
        "SELECT date_trunc('hour', ts) AS h, host, max(v1), max(v2), max(v3), avg(usage_user)"
            + " FROM cpu WHERE ts >= '2024-01-01' AND ts < '2024-01-02' AND host IN ('a', 'b')"
            + " GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 10";
    StatementParser parser = new StatementParser();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    double best = Double.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long start = threads.getCurrentThreadCpuTime();
      for (int i = 0; i < 2_000; i++) {
        parser.parse(sql);
      }
      best = Math.min(best, (threads.getCurrentThreadCpuTime() - start) / 2_000e3);
    }
    System.out.printf("parsing %d bytes: %.1f us of CPU%n", sql.length(), best);
    assertThat(best).as("microseconds of CPU a statement").isLessThan(1_000);
  }
}
