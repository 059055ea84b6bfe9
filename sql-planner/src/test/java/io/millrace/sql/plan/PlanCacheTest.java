package io.millrace.sql.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.plan.Planner.PlannedDml;
import io.millrace.sql.plan.Planner.PlannedQuery;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Texts of one shape share plans, with their own values. */
final class PlanCacheTest {
  private static final List<SqlType> TEXT = List.of(SqlType.TEXT);

  private TestTables tables;
  private SqlFixture sql;

  @BeforeEach
  void open() {
    tables =
        new TestTables()
            .table(
                "cpu",
                List.of("#host text", "@ts timestamp", "usage float8", "idle int4"),
                "a|2024-01-01 00:00:00|1.5|10",
                "b|2024-01-01 00:01:00|2.5|-20");
    sql = new SqlFixture(tables);
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

  @Test
  void tuplesOfLiteralsShareOnePlanWhateverTheirNumber() {
    PlannedDml one = (PlannedDml) sql.plan("INSERT INTO cpu (host, ts, usage) VALUES ('x', 5, 1)");
    PlannedDml three =
        (PlannedDml)
            sql.plan(
                "INSERT INTO cpu (host, ts, usage) VALUES"
                    + " ('p', 1704067200000, 1.25), ('it''s', '2024-01-02', -7), (NULL, 0, NULL)");
    assertThat(three.plan()).isSameAs(one.plan());
    assertThat(sql.run(three.plan().source(), three.literals()))
        .containsExactly(
            "p|2024-01-01 00:00:00|1.25|",
            "it's|2024-01-02 00:00:00|-7|",
            "|1970-01-01 00:00:00||");
  }

  @Test
  void tuplesOfParametersComeAsColumns() {
    PlannedDml two = (PlannedDml) sql.plan("INSERT INTO cpu (host, ts) VALUES ($1, $2), ($3, $4)");
    assertThat(two.tuples()).isEqualTo(2);
    assertThat(two.parameterTypes()).hasSize(4);
    Vector hosts = vector(SqlType.TEXT, "a", "b");
    Vector times = vector(two.parameterTypes().get(1), "2024-01-01", "2024-01-02");
    assertThat(sql.run(two.plan().source(), List.of(hosts, times)))
        .containsExactly("a|2024-01-01 00:00:00||", "b|2024-01-02 00:00:00||");
  }

  private static Vector vector(SqlType type, String... texts) {
    VectorBuilder b = VectorBuilder.of(type, texts.length);
    for (String t : texts) {
      byte[] bytes = t.getBytes(StandardCharsets.UTF_8);
      TypeCodecs.of(type).parseText(bytes, 0, bytes.length, b, SessionFormat.DEFAULT);
    }
    return b.build();
  }

  @Test
  void parametersBehindTheTuplesKeepTheirMeaning() {
    PlannedDml mixed =
        (PlannedDml) sql.plan("INSERT INTO cpu (host, ts) VALUES ('a', 0) RETURNING $1::int4");
    assertThat(mixed.tuples()).isZero();
    assertThat(mixed.parameterTypes()).containsExactly(SqlType.INT4);
  }

  @Test
  void tuplesThatAreNotPlainAreAnalysed() {
    assertThat(sql.rows("INSERT INTO cpu (host, ts) VALUES ('a' || 'b', 0)"))
        .containsExactly("ab|1970-01-01 00:00:00||");
    assertThat(sql.rows("INSERT INTO cpu (host, ts) VALUES (5, 0)"))
        .containsExactly("5|1970-01-01 00:00:00||");
    assertThatThrownBy(() -> sql.plan("INSERT INTO cpu (host, ts) VALUES ('a', 0), ('b', 'x')"))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("22007");
              assertThat(e.position()).isEqualTo(51);
            });
    assertThatThrownBy(() -> sql.plan("INSERT INTO cpu (host, nope) VALUES ('a', 0)"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.sqlState()).isEqualTo("42703"));
  }

  @Test
  void aChangeElsewhereLeavesPlansAsTheyAre() {
    Object first = template("SELECT usage FROM cpu WHERE host = 'a'");
    tables.table("other", List.of("#host text", "@ts timestamp"));
    assertThat(template("SELECT usage FROM cpu WHERE host = 'a'")).isSameAs(first);
    assertThat(template("SELECT usage FROM cpu WHERE host = 'b'")).isSameAs(first);
  }

  @Test
  void aChangeOfATableEndsItsPlans() {
    Object first = template("SELECT usage FROM cpu WHERE host = 'a'");
    tables.table(
        "cpu", List.of("#host text", "@ts timestamp", "usage int4"), "a|2024-01-01 00:00:00|7");
    assertThat(template("SELECT usage FROM cpu WHERE host = 'a'")).isNotSameAs(first);
    assertThat(sql.rows("SELECT usage FROM cpu WHERE host = 'a'")).containsExactly("7");
  }

  @Test
  void aViewBehindAPlanIsPartOfIt() {
    tables.view("busy", "SELECT host FROM cpu WHERE idle < 0", List.of("host"), TEXT);
    assertThat(sql.rows("SELECT host FROM busy")).containsExactly("b");
    tables.view("busy", "SELECT host FROM cpu WHERE idle > 0", List.of("host"), TEXT);
    assertThat(sql.rows("SELECT host FROM busy")).containsExactly("a");
  }

  @Test
  void tuplesForATableThatIsMadeLaterFindIt() {
    String text = "INSERT INTO late (host, ts) VALUES ('x', 5)";
    assertThatThrownBy(() -> sql.plan(text)).isInstanceOf(MillraceException.class);
    tables.table("late", List.of("#host text", "@ts timestamp"));
    assertThat(sql.plan(text)).isInstanceOf(PlannedDml.class);
  }

  @Test
  void everyQuestionToTheCatalogIsNoted() {
    for (Method m : CatalogSnapshot.class.getMethods()) {
      assertThat(CatalogReads.class.getDeclaredMethods())
          .as(m.toString())
          .anySatisfy(
              own -> {
                assertThat(own.getName()).isEqualTo(m.getName());
                assertThat(own.getParameterTypes()).isEqualTo(m.getParameterTypes());
              });
    }
  }
}
