package io.millrace.sql.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.MillraceException;
import io.millrace.sql.plan.Planner.PlannedQuery;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Texts of one shape share plans, with their own values. */
final class PlanCacheTest {
  private SqlFixture sql;

  @BeforeEach
  void open() {
    sql =
        new SqlFixture(
            new TestTables()
                .table(
                    "cpu",
                    List.of("#host text", "@ts timestamp", "usage float8", "idle int4"),
                    "a|2024-01-01 00:00:00|1.5|10",
                    "b|2024-01-01 00:01:00|2.5|-20"));
  }

  @AfterEach
  void close() {
    sql.close();
  }

  private long hits() {
    return sql.planner.cacheStatistics().hits();
  }

  private Object template(String text) {
    return ((PlannedQuery) sql.plan(text)).template();
  }

  @Test
  void literalsOfComparisonsAreFree() {
    Object first = template("SELECT usage FROM cpu WHERE host = 'a' AND usage > 1.0");
    assertThat(template("select usage from cpu where host='b' and usage > 2.0")).isSameAs(first);
    assertThat(hits()).isEqualTo(1);
    assertThat(sql.rows("SELECT usage FROM cpu WHERE host = 'b' AND usage > 2.0"))
        .containsExactly("2.5");
  }

  @Test
  void literalsOfTheSelectListArePinned() {
    assertThat(sql.rows("SELECT 'x', host FROM cpu WHERE host = 'a'")).containsExactly("x|a");
    assertThat(sql.rows("SELECT 'y', host FROM cpu WHERE host = 'a'")).containsExactly("y|a");
  }

  @Test
  void negativeNumbersAndInstantsAreReadLikeTheAnalyserReadsThem() {
    assertThat(sql.rows("SELECT host FROM cpu WHERE idle > -5")).containsExactly("a");
    assertThat(sql.rows("SELECT host FROM cpu WHERE idle > -50")).containsExactly("a", "b");
    assertThat(sql.rows("SELECT host FROM cpu WHERE ts = 1704067200000")).containsExactly("a");
    assertThat(sql.rows("SELECT host FROM cpu WHERE ts = 1704067260000")).containsExactly("b");
    assertThat(hits()).isEqualTo(2);
  }

  @Test
  void aBadLiteralOfAKnownShapeFailsAtItsPlace() {
    sql.plan("SELECT host FROM cpu WHERE ts = '2024-01-01'");
    assertThatThrownBy(() -> sql.plan("SELECT host FROM cpu WHERE ts = 'nonsense'"))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("22007");
              assertThat(e.position()).isEqualTo(33);
            });
  }

  @Test
  void classesOfNumbersArePartOfTheShape() {
    assertThat(sql.rows("SELECT host FROM cpu WHERE idle = 10")).containsExactly("a");
    assertThat(sql.rows("SELECT host FROM cpu WHERE idle = 10.5")).isEmpty();
  }
}
