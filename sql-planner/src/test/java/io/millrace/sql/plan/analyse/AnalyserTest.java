package io.millrace.sql.plan.analyse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.common.error.MillraceException;
import io.millrace.sql.plan.rel.ConstantPool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Analysis against statements.txt, whose expectations were compared with PostgreSQL 15. */
class AnalyserTest {
  private final TestKit kit = new TestKit();

  private record Case(String sql, String expected) {}

  private static List<Case> cases() throws IOException {
    try (InputStream in = AnalyserTest.class.getResourceAsStream("statements.txt")) {
      String[] lines =
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8).split("\n");
      var out = new ArrayList<Case>();
      for (int i = 0; i + 1 < lines.length; i += 2) {
        out.add(new Case(lines[i].substring(2), lines[i + 1].strip()));
      }
      return out;
    }
  }

  @TestFactory
  Stream<DynamicTest> typesNamesParametersAndErrorsAreAsWritten() throws IOException {
    return cases().stream()
        .map(
            c ->
                DynamicTest.dynamicTest(
                    c.sql(), () -> assertEquals(c.expected(), kit.describe(c.sql()).strip())));
  }

  private static List<ConstantPool.Slot> slots(Analysed a) {
    return a.facts().pool().entries().stream()
        .filter(e -> e instanceof ConstantPool.Slot)
        .map(e -> (ConstantPool.Slot) e)
        .toList();
  }

  @Test
  void literalsOfWhereAreFreeWithTheirPlaceAndType() {
    String sql =
        "SELECT 'x', n + 1 FROM cpu WHERE host = 'a' AND ts >= '2024-01-01' AND n > -5 LIMIT 3";
    List<ConstantPool.Slot> slots = slots(kit.query(sql));
    assertEquals(4, slots.size());
    assertTrue(sql.startsWith("'a'", slots.get(0).offset()));
    assertEquals("timestamp without time zone", slots.get(1).type().sqlName());
    assertTrue(sql.startsWith("5", slots.get(2).offset()));
    assertTrue(slots.get(2).negated());
    assertEquals("bigint", slots.get(3).type().sqlName());
  }

  @Test
  void literalsOfSelectListAndGroupByArePinned() {
    Analysed a =
        kit.query(
            "SELECT date_bin('1 hour', ts), n * 2 FROM cpu GROUP BY date_bin('1 hour', ts), n");
    assertTrue(slots(a).isEmpty());
    assertTrue(a.facts().readsSession());
  }

  @Test
  void havingComparisonsAreFreeWhereKeysAreColumns() {
    assertEquals(
        1,
        slots(kit.query("SELECT host, count(*) FROM cpu GROUP BY host HAVING count(*) > 10"))
            .size());
  }

  @Test
  void insertedValuesAreFreeSlotsOfTheColumnTypes() {
    List<ConstantPool.Slot> slots =
        slots(kit.analyse("INSERT INTO cpu (host, region, ts) VALUES ('a', 'b', 1700000000000)"));
    assertEquals(3, slots.size());
    assertEquals("timestamp(3) without time zone", slots.get(2).type().sqlName());
  }

  @Test
  void equalConstantsAreEqualExpressions() {
    RelNode rel =
        kit.query("SELECT date_bin('1 hour', ts), max(n) FROM cpu GROUP BY date_bin('1 hour', ts)")
            .root();
    assertTrue(RelOptUtil.toString(rel).contains("LogicalAggregate(group=[{0}]"));
  }

  @Test
  void aTableReadTwiceByOneWithItemIsShared() {
    String plan =
        RelOptUtil.toString(
            kit.query("WITH a AS (SELECT id FROM t) SELECT * FROM a x, a y").root());
    assertTrue(plan.startsWith("Shared(id=[0])"), plan);
    String once =
        RelOptUtil.toString(kit.query("WITH a AS (SELECT id FROM t) SELECT * FROM a").root());
    assertFalse(once.contains("Shared"), once);
  }

  @Test
  void correlatedSubQueriesInGroupedSelectsReferToKeys() {
    String plan =
        RelOptUtil.toString(
            kit.query("SELECT id % 7, (SELECT max(y) FROM u WHERE u.id = t.id) FROM t GROUP BY id")
                .root());
    assertTrue(plan.contains("$cor0.$g"), plan);
  }

  @Test
  void updateGivesKeyRowAndNewValues() {
    var u =
        assertInstanceOf(
            Analysed.Update.class, kit.analyse("UPDATE cpu SET n = 5, big = n WHERE host = 'a'"));
    assertEquals(3 + 7 + 2, u.source().getRowType().getFieldCount());
    assertEquals(List.of(6, 7), u.columnIds());
  }

  @Test
  void hintsNameTheNearestRelationColumnAndFunction() {
    assertEquals("Did you mean \"cpu\"?", hint("SELECT * FROM cpuu"));
    assertEquals(
        "Perhaps you meant to reference the column \"cpu.host\".", hint("SELECT hst FROM cpu"));
    assertTrue(hint("SELECT lenght('a')").startsWith("Did you mean \"length\"?"));
    assertEquals(
        "Perhaps you meant to reference the table alias \"c\".", hint("SELECT cpu.n FROM cpu c"));
  }

  private String hint(String sql) {
    MillraceException e = assertThrows(MillraceException.class, () -> kit.analyse(sql));
    return Objects.requireNonNull(e.hint());
  }

  @Test
  void nestedConjunctionsAreFlat() {
    String plan =
        RelOptUtil.toString(
            kit.query("SELECT 1 FROM cpu WHERE n BETWEEN 1 AND 2 AND (big = 3 OR (n = 4 OR n = 5))")
                .root());
    assertTrue(
        plan.contains("AND(>=($5, ?0), <=($5, ?1), OR(=($6, ?2), =($5, ?3), =($5, ?4)))"), plan);
  }

  @Test
  void outputsKnowTheirTableColumn() {
    Analysed.Query q = kit.query("SELECT n AS a, n + 1, c.host FROM cpu c");
    assertEquals(16_385, q.outputs().get(0).tableOid());
    assertEquals(6, q.outputs().get(0).attnum());
    assertEquals(0, q.outputs().get(1).tableOid());
    assertEquals(1, q.outputs().get(2).attnum());
  }
}
