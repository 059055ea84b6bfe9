package io.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class CpuDataTest {
  private final CpuData data = new CpuData(5, 2, 600, 7);

  @Test
  void aStepIsALineAHostWithTimeTagsAndMetrics() {
    String[] lines = new String(data.copyLines(3), StandardCharsets.UTF_8).split("\n");
    assertThat(lines).hasSize(5);
    String[] fields = lines[2].split("\t");
    assertThat(fields).hasSize(21);
    assertThat(fields[0]).isEqualTo("2026-01-01 00:30:00");
    assertThat(fields[1]).isEqualTo("host_2");
    assertThat(fields[20]).isEqualTo(Integer.toString(data.value(3, 2, 9)));
  }

  @Test
  void everythingFollowsFromTheSeed() {
    assertThat(new CpuData(5, 2, 600, 7).copyLines(11)).isEqualTo(data.copyLines(11));
    assertThat(new CpuData(5, 2, 600, 8).copyLines(11)).isNotEqualTo(data.copyLines(11));
    assertThat(data.rows()).isEqualTo(60);
  }

  @Test
  void metricsWalkBetween0And100() {
    for (int s = 1; s < data.steps(); s++) {
      assertThat(data.value(s, 0, 0)).isBetween(0, 100);
      assertThat(Math.abs(data.value(s, 0, 0) - data.value(s - 1, 0, 0))).isLessThanOrEqualTo(4);
    }
  }

  @Test
  void aRunOfAQueryIsTheSameEachTimeAndOthersDiffer() {
    var queries = new Queries(new CpuData(100, 24, 600, 1), 1);
    for (String name : Queries.NAMES) {
      assertThat(queries.sql(name, 3)).isEqualTo(queries.sql(name, 3));
      if (!name.equals("lastpoint")) {
        assertThat(queries.sql(name, 3)).as(name).isNotEqualTo(queries.sql(name, 4));
      }
    }
    assertThat(queries.sql("single-groupby-5-8-1", 0))
        .containsPattern("IN \\(('host_\\d+'(, )?){8}\\)");
  }

  @Test
  void quantilesAreValuesThatWereMeasured() {
    double[] sorted = {1, 2, 3, 4};
    assertThat(Report.quantile(sorted, 0)).isEqualTo("1.00");
    assertThat(Report.quantile(sorted, 0.5)).isEqualTo("2.00");
    assertThat(Report.quantile(sorted, 0.95)).isEqualTo("4.00");
    assertThat(Report.quantile(new double[0], 0.5)).isEmpty();
  }
}
