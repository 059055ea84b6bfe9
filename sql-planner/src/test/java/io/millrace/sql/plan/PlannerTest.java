package io.millrace.sql.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.MillraceException;
import io.millrace.sql.physical.DmlPlan;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Texts to plans and to rows. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PlannerTest {
  private SqlFixture sql;

  @BeforeAll
  void open() {
    sql =
        new SqlFixture(
            new TestTables()
                .table(
                    "cpu",
                    List.of(
                        "#host text", "#region text", "@ts timestamp", "usage float8", "idle int4"),
                    "a|x|2024-01-01 00:00:00|1.5|10",
                    "a|x|2024-01-01 00:01:00|2.5|",
                    "b|y|2024-01-01 00:00:00|3.5|30",
                    "b|y|2024-01-01 00:02:00||40",
                    "c||2024-01-01 00:03:00|5|50")
                .table(
                    "emp",
                    List.of("#id int4 !", "name text", "dept int4", "sal int4"),
                    "1|ann|1|100",
                    "2|bob|1|200",
                    "3|cid|2|300",
                    "4|dan||400")
                .table("dept", List.of("#id int4 !", "dname text"), "1|eng", "2|ops", "3|hr"));
  }

  @AfterAll
  void close() {
    sql.close();
  }

  private void plan(String text, String... lines) {
    assertThat(sql.explain(text)).isEqualTo(String.join("\n", lines));
  }

  private void rows(String text, String... rows) {
    assertThat(sql.rows(text)).containsExactly(rows);
  }

  @Test
  void conditionsOnColumnsGoIntoTheScan() {
    String text =
        "SELECT usage FROM cpu WHERE host = 'a' AND ts >= '2024-01-01 00:01:00' AND idle IS NULL";
    plan(
        text,
        "Scan cpu",
        "  Columns: usage",
        "  Conjuncts: host = 'a'::text AND ts >= '2024-01-01 00:01:00'::timestamp without time"
            + " zone AND idle IS NULL");
    rows(text, "2.5");
  }

  @Test
  void equalitiesOfOneColumnBecomeAnInList() {
    plan(
        "SELECT ts FROM cpu WHERE host = 'a' OR host IN ('b', 'c')",
        "Scan cpu",
        "  Columns: ts",
        "  Conjuncts: host IN ('a'::text, 'b'::text, 'c'::text)");
  }

  @Test
  void commaJoinsWithEqualitiesAreHashJoinsWithImpliedConditions() {
    String text = "SELECT e.name FROM emp e, dept d WHERE e.dept = d.id AND d.id = 2";
    plan(
        text,
        "Project",
        "  Output: @0",
        "  ->  HashJoin",
        "        Hash Cond: (@1 = @2)",
        "        ->  Scan emp",
        "              Columns: name, dept",
        "              Conjuncts: dept = 2",
        "        ->  Scan dept",
        "              Columns: id",
        "              Conjuncts: id = 2");
    rows(text, "cid");
  }

  @Test
  void inAndExistsAreSemiJoins() {
    assertThat(sql.explain("SELECT name FROM emp WHERE dept IN (SELECT id FROM dept)"))
        .contains("HashJoin Semi");
    assertThat(
            sql.explain(
                "SELECT dname FROM dept d WHERE NOT EXISTS (SELECT 1 FROM emp e WHERE e.dept ="
                    + " d.id)"))
        .contains("HashJoin Anti");
    rows(
        "SELECT dname FROM dept d WHERE NOT EXISTS (SELECT 1 FROM emp e WHERE e.dept = d.id)",
        "hr");
  }

  @Test
  void notInMindsNulls() {
    rows("SELECT dname FROM dept WHERE id NOT IN (SELECT dept FROM emp)");
    rows(
        "SELECT dname FROM dept WHERE id NOT IN (SELECT dept FROM emp WHERE dept IS NOT NULL)",
        "hr");
    rows(
        "SELECT name, dept IN (SELECT id FROM dept) FROM emp ORDER BY 1",
        "ann|t",
        "bob|t",
        "cid|t",
        "dan|");
  }

  @Test
  void correlatedConditionsStayExactWithInequalities() {
    rows(
        "SELECT name FROM emp e WHERE NOT EXISTS"
            + " (SELECT 1 FROM emp f WHERE f.dept = e.dept AND f.sal > e.sal) ORDER BY 1",
        "bob",
        "cid",
        "dan");
    rows(
        "SELECT name FROM emp e WHERE sal > ANY (SELECT sal FROM emp f WHERE f.id <> e.id)"
            + " ORDER BY 1",
        "bob",
        "cid",
        "dan");
    rows(
        "SELECT name FROM emp e WHERE sal > ALL (SELECT sal FROM emp f WHERE f.id < e.id)"
            + " ORDER BY 1",
        "ann",
        "bob",
        "cid",
        "dan");
  }

  @Test
  void scalarAggregatesOverTheOuterRowBecomeGroupedJoins() {
    assertThat(sql.explain("SELECT (SELECT count(*) FROM emp e WHERE e.dept = d.id) FROM dept d"))
        .contains("COALESCE(@2, 0)")
        .contains("HashJoin Left")
        .doesNotContain("Correlate");
  }

  @Test
  void whatCannotBeDecorrelatedRunsPerRow() {
    String text =
        "SELECT dname, (SELECT name FROM emp e WHERE e.dept = d.id ORDER BY sal DESC LIMIT 1)"
            + " FROM dept d ORDER BY 1";
    assertThat(sql.explain(text)).contains("Correlate").contains("Conjuncts: dept = outer0");
    rows(text, "eng|bob", "hr|", "ops|cid");
  }

  @Test
  void aScalarSubQueryOfTwoRowsFails() {
    assertThatThrownBy(() -> sql.rows("SELECT (SELECT name FROM emp)"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.sqlState()).isEqualTo("21000"));
  }

  @Test
  void outerJoinsThatAConditionMakesPointlessBecomeInner() {
    String text =
        "SELECT d.dname, e.name FROM dept d LEFT JOIN emp e ON e.dept = d.id"
            + " WHERE e.sal > 100 ORDER BY 1";
    assertThat(sql.explain(text)).contains("HashJoin\n").contains("Conjuncts: sal > 100");
    rows(text, "eng|bob", "ops|cid");
    rows(
        "SELECT d.dname, e.name FROM dept d LEFT JOIN emp e ON e.dept = d.id AND e.sal > 100"
            + " ORDER BY 1",
        "eng|bob",
        "hr|",
        "ops|cid");
  }

  @Test
  void subQueriesMayStandInTheConditionOfAnOuterJoin() {
    rows(
        "SELECT d.dname, e.name FROM dept d LEFT JOIN emp e"
            + " ON e.dept = d.id AND e.id IN (SELECT 1) ORDER BY 1",
        "eng|ann",
        "hr|",
        "ops|");
    rows(
        "SELECT d.dname, e.name FROM emp e RIGHT JOIN dept d ON e.dept = d.id AND EXISTS (SELECT 1"
            + " FROM emp f WHERE f.id > e.id AND f.dept = d.id) ORDER BY 1",
        "eng|ann",
        "hr|",
        "ops|");
  }

  @Test
  void lateralRowsComePerOuterRow() {
    rows(
        "SELECT d.dname, x.name FROM dept d,"
            + " LATERAL (SELECT name FROM emp e WHERE e.dept = d.id ORDER BY sal LIMIT 1) x",
        "eng|ann",
        "ops|cid");
  }

  @Test
  void theFirstRowsByTimeComeFromAScanInThatOrder() {
    String text = "SELECT host, ts FROM cpu WHERE host <> 'c' ORDER BY ts DESC LIMIT 1 OFFSET 1";
    assertThat(sql.explain(text)).contains("Order: TIME_DESC").doesNotContain("Sort");
    rows(text, "a|2024-01-01 00:01:00");
  }

  @Test
  void boundsByTheClockReachTheScanInAnyZone() {
    String text = "SELECT host FROM cpu WHERE ts < now() - interval '1 hour'";
    assertThat(sql.explain(text))
        .contains("Conjuncts: ts <= ")
        .contains("Filter: ((@1)::timestamp");
    rows(text);
  }

  @Test
  void aScalarSubQueryIsAParameterOfTheScan() {
    String text = "SELECT host FROM cpu WHERE ts = (SELECT max(ts) FROM cpu)";
    assertThat(sql.explain(text)).contains("Conjuncts: ts = outer0");
    rows(text, "c");
  }

  @Test
  void theNewestRowPerSeriesHasItsOwnScan() {
    String text =
        "SELECT DISTINCT ON (host, region) host, ts FROM cpu ORDER BY host, region, ts DESC";
    assertThat(sql.explain(text)).contains("LastRowScan cpu");
    rows(text, "a|2024-01-01 00:01:00", "b|2024-01-01 00:02:00", "c|2024-01-01 00:03:00");
    assertThat(sql.explain("SELECT host, region, max(ts) FROM cpu GROUP BY host, region"))
        .contains("LastRowScan cpu");
    assertThat(
            sql.explain(
                "SELECT host, region, max(ts) FROM cpu WHERE usage > 1 GROUP BY host, region"))
        .doesNotContain("LastRowScan");
    assertThat(sql.explain("SELECT usage, max(ts) FROM cpu GROUP BY usage"))
        .doesNotContain("LastRowScan");
    assertThat(sql.explain("SELECT host, min(ts) FROM cpu GROUP BY host"))
        .doesNotContain("LastRowScan");
  }

  @Test
  void theNewestRowPerTagIsTheNewestOfItsSeries() {
    String text = "SELECT DISTINCT ON (region) region, ts FROM cpu ORDER BY region, ts DESC";
    assertThat(sql.explain(text)).contains("LastRowScan cpu").contains("Unique");
    String last = "SELECT host, last_value(usage ORDER BY ts), max(ts) FROM cpu GROUP BY host";
    assertThat(sql.explain(last)).contains("LastRowScan cpu");
    assertThat(sql.explain("SELECT host, first_value(usage ORDER BY ts) FROM cpu GROUP BY host"))
        .doesNotContain("LastRowScan");
  }

  @Test
  void setOperationsAndRecursionRun() {
    rows("SELECT id FROM emp EXCEPT SELECT id FROM dept", "4");
    rows("SELECT id FROM emp INTERSECT SELECT id FROM dept WHERE id > 1 ORDER BY 1", "2", "3");
    rows(
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3)"
            + " SELECT * FROM t",
        "1",
        "2",
        "3");
    rows(
        "WITH a AS (SELECT * FROM emp) SELECT x.name FROM a x JOIN a y ON x.id = y.dept ORDER BY 1",
        "ann",
        "ann",
        "bob");
  }

  @Test
  void constantsFoldAndErrorsStayWhereTheyAre() {
    plan("SELECT 1 + 2 * 3", "Values (1 rows)");
    rows("SELECT 1 + 2 * 3", "7");
    plan("SELECT name FROM emp WHERE false", "Values (0 rows)");
    rows("SELECT CASE WHEN id > 0 THEN 1 ELSE 1 / 0 END FROM emp WHERE id = 1", "1");
    assertThatThrownBy(() -> sql.rows("SELECT 1 / 0 FROM emp"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.sqlState()).isEqualTo("22012"));
  }

  @Test
  void insertsGiveTheWholeRow() {
    DmlPlan.Insert insert =
        (DmlPlan.Insert) sql.dml("INSERT INTO emp (name, id) VALUES ('zed', 9), ('yam', 10)");
    assertThat(insert.table().name()).isEqualTo("emp");
    rows("INSERT INTO emp (name, id) VALUES ('zed', 9), ('yam', 10)", "9|zed||", "10|yam||");
  }

  @Test
  void updatesGiveTheKeyTheRowAndTheNewValues() {
    DmlPlan.Update update = (DmlPlan.Update) sql.dml("UPDATE emp SET sal = sal + 1 WHERE id = 2");
    assertThat(update.columnIds()).containsExactly(4);
    rows("UPDATE emp SET sal = sal + 1 WHERE id = 2", "2|1|2|bob|1|200|201");
  }

  @Test
  void deletesGiveTheKeyAndTheRow() {
    DmlPlan.Delete all = (DmlPlan.Delete) sql.dml("DELETE FROM emp");
    assertThat(all.everything()).isTrue();
    rows(
        "DELETE FROM emp USING dept WHERE emp.dept = dept.id AND dname = 'ops' RETURNING name,"
            + " dname",
        "3|2|3|cid|2|300|2|ops");
  }

  @Test
  void splitCutsAtSemicolonsOutsideLiterals() {
    assertThat(sql.planner.split("SELECT ';'; ;\n SELECT 2;"))
        .extracting(Planner.StatementText::text)
        .containsExactly("SELECT ';'", "SELECT 2");
    assertThat(sql.planner.split("SELECT ';'; ;\n SELECT 2;").get(1).offset()).isEqualTo(15);
  }

  @Test
  void joinsOfManyTablesArePlannedQuickly() {
    var from = new StringBuilder("SELECT t0.id FROM dept t0");
    for (int i = 1; i < 64; i++) {
      from.append(" JOIN dept t")
          .append(i)
          .append(" ON t")
          .append(i)
          .append(".id = t")
          .append(i - 1)
          .append(".id");
    }
    rows(from.toString() + " ORDER BY 1", "1", "2", "3");
  }

  @Test
  void whatAllAlternativesSayIsAJoinKey() {
    String text =
        "SELECT e.name FROM emp e, dept d WHERE (e.dept = d.id AND d.dname = 'eng' AND e.sal > 150)"
            + " OR (e.dept = d.id AND d.dname = 'ops' AND e.sal < 350) ORDER BY 1";
    assertThat(sql.explain(text))
        .contains("HashJoin", "Hash Cond")
        .contains("Conjuncts: dname IN ('eng'::text, 'ops'::text)");
    rows(text, "bob", "cid");
  }

  @Test
  void tiesOfTheLastRowComeToo() {
    String rows = "(VALUES (1, 'a'), (2, 'b'), (2, 'c'), (3, 'd'), (3, 'e')) v(n, x) ";
    rows("SELECT x FROM " + rows + "ORDER BY n FETCH FIRST 2 ROWS WITH TIES", "a", "b", "c");
    rows("SELECT x FROM " + rows + "ORDER BY n FETCH FIRST 1 ROW WITH TIES", "a");
    rows(
        "SELECT x FROM " + rows + "ORDER BY n OFFSET 2 FETCH FIRST 2 ROWS WITH TIES",
        "c",
        "d",
        "e");
    rows("SELECT x FROM " + rows + "ORDER BY n FETCH FIRST 0 ROWS WITH TIES");
    rows("SELECT n FROM " + rows + "ORDER BY n DESC FETCH FIRST ROW WITH TIES", "3", "3");
    assertThatThrownBy(() -> sql.rows("SELECT 1 FETCH FIRST ROW WITH TIES"))
        .isInstanceOf(MillraceException.class)
        .hasMessage("WITH TIES cannot be specified without ORDER BY clause");
    assertThatThrownBy(() -> sql.rows("SELECT 1 ORDER BY 1 FETCH FIRST NULL ROWS WITH TIES"))
        .isInstanceOf(MillraceException.class);
  }

  @Test
  void theOrderOfJoinsFollowsTheSizesOfTables() {
    var tables =
        new TestTables()
            .table("a", List.of("#id int4 !", "b int4"), "1|1")
            .table("b", List.of("#id int4 !", "c int4"), "1|1")
            .table("c", List.of("#id int4 !", "d int4"), "1|7");
    var sizes = new java.util.concurrent.ConcurrentHashMap<String, Long>();
    sizes.putAll(java.util.Map.of("a", 1_000_000L, "b", 50_000L, "c", 2_000L));
    try (var fixture = new SqlFixture(tables, true, t -> sizes.get(t.name()))) {
      String text = "SELECT a.id, c.d FROM a, b, c WHERE a.b = b.id AND b.c = c.id";
      // The largest is read past what the others make.
      assertThat(fixture.explain(text)).containsSubsequence("Scan a", "Scan b", "Scan c");
      sizes.putAll(java.util.Map.of("a", 2_000L, "c", 1_000_000L));
      assertThat(fixture.explain(text)).containsSubsequence("Scan c", "Scan b", "Scan a");
      assertThat(fixture.rows(text)).containsExactly("1|7");
    }
  }
}
