package io.millrace.sql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sql.parser.ast.DmlNode;
import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.parser.ast.PgSyntax;
import io.millrace.sql.parser.ast.PgTypeNameSpec;
import io.millrace.sql.parser.ast.PgWindow;
import io.millrace.sql.parser.ast.Statement;
import java.util.stream.Collectors;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The trees that queries and expressions become. Precedence was checked against PostgreSQL 15. */
class TreesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '→',
      quoteCharacter = '`',
      textBlock =
          """
          -a ^ 2 → (^ (- a) 2)
          s || a + 1 → (|| s (+ a 1))
          NOT a = b → (NOT (= a b))
          a BETWEEN 1 AND 2 AND c → (AND (BETWEEN ASYMMETRIC a 1 2) c)
          a = b IS NULL → (IS NULL (= a b))
          c IS NULL = d → (= (IS NULL c) d)
          s || t LIKE 'x' || t → (LIKE (|| s t) (|| 'x' t))
          -a % 2 → (% (- a) 2)
          a + b * 2 ^ 2 ^ b → (+ a (* b (^ (^ 2 2) b)))
          ts AT TIME ZONE 'UTC' + INTERVAL '1 h' → (+ (timezone 'UTC' ts) (CAST '1 h' interval))
          a::text || s → (|| (:: a text) s)
          -a::int → (- (:: a int4))
          a << 1 + 2 → (<< a (+ 1 2))
          a & b | 1 → (| (& a b) 1)
          j -> 'a' ->> 'b' = 'x' → (= (->> (-> j 'a') 'b') 'x')
          NOT c AND d OR c → (OR (AND (NOT c) d) c)
          @ a + b → (@ (+ a b))
          - arr[1] → (- (ITEM arr 1))
          a * b / 2 % 3 → (% (/ (* a b) 2) 3)
          s ~ t || 'x' → (|| (~ s t) 'x')
          c = d IS TRUE → (IS TRUE (= c d))
          s COLLATE "C" || t → (|| (COLLATE s C) t)
          a IN (1, 2) = c → (= (IN a [1 2]) c)
          s LIKE t = c → (= (LIKE s t) c)
          a IS DISTINCT FROM b + 1 → (IS DISTINCT FROM a (+ b 1))
          a - b - 1 → (- (- a b) 1)
          a NOT BETWEEN 1 AND 2 OR c → (OR (NOT BETWEEN ASYMMETRIC a 1 2) c)
          NOT a IN (1) → (NOT (IN a [1]))
          a = ANY (arr) AND c → (AND (= SOME a arr) c)
          a <> ALL (SELECT 1) → (<> ALL a <select>)
          a ~ ANY (b) → (~ ANY a b)
          a NOT LIKE ALL (b) → (not like ALL a b)
          j @> j = c → (= (@> j j) c)
          a * - b → (* a (- b))
          ~ a & b → (& (~ a) b)
          s LIKE 'a' ESCAPE 'b' = c → (= (LIKE s 'a' 'b') c)
          a = b IS NOT DISTINCT FROM c → (IS NOT DISTINCT FROM (= a b) c)
          arr[1] + arr[2]::int → (+ (ITEM arr 1) (:: (ITEM arr 2) int4))
          a::int8::text || s → (|| (:: (:: a int8) text) s)
          a <> b AND NOT c OR d → (OR (AND (<> a b) (NOT c)) d)
          -2147483648 → -2147483648
          -2147483648::int → (- (:: 2147483648 int4))
          - 1.50 → -1.50
          a OPERATOR(pg_catalog.~) 'x' → (~ a 'x')
          OPERATOR(pg_catalog.-) a → (- a)
          EXTRACT(epoch FROM ts) → (extract 'epoch' ts)
          POSITION('a' IN s) → (position s 'a')
          SUBSTRING(s FROM 2 FOR 3) → (substring s 2 3)
          SUBSTRING(s FOR 3) → (substring s 1 3)
          TRIM(LEADING 'x' FROM s) → (ltrim s 'x')
          OVERLAY(s PLACING 'x' FROM 1) → (overlay s 'x' 1)
          (a, b) OVERLAPS (c, d) → (overlaps a b c d)
          date '2020-01-01' → (CAST '2020-01-01' date)
          timestamp(3) with time zone 'x' → (CAST 'x' timestamptz(3))
          INTERVAL '1' DAY → (CAST '1' interval day)
          CAST(a AS numeric(10, 2)[]) → (CAST a numeric(10,2)[])
          a::double precision → (:: a float8)
          a::character varying(5) → (:: a varchar(5))
          a::BIGINT UNSIGNED → (:: a uint64)
          a::"MyType" → `(:: a "MyType")`
          arr[1:2] → (SLICE arr 1 2)
          arr[:2] → (SLICE arr null 2)
          (x).y.z → (DOT (DOT x y) z)
          (f(x)).n → (DOT (f x) n)
          (x).* → (DOT x *)
          ROW(1, a) → (ROW 1 a)
          (1, a) → (ROW 1 a)
          ARRAY[[1], [2]] → (ARRAY (ARRAY 1) (ARRAY 2))
          ARRAY(SELECT 1) → (ARRAY <select>)
          EXISTS (SELECT 1) → (EXISTS <select>)
          count(*) → (count *)
          count(DISTINCT a) → (count DISTINCT a)
          last(v ORDER BY ts DESC) → (last v [(DESC ts)])
          sum(a) FILTER (WHERE b) OVER (PARTITION BY c) → (OVER (FILTER (sum a) b) <window>)
          percentile_cont(0.5) WITHIN GROUP (ORDER BY a) → (WITHIN GROUP (percentile_cont 0.5) [a])
          f(a => 1, VARIADIC b) → (f (=> 1 a) (VARIADIC b))
          COALESCE(a, 1) → (coalesce a 1)
          current_date → (current_date)
          current_timestamp(3) → (current_timestamp 3)
          CASE a WHEN 1 THEN 2 END → (CASE a [1] [2] NULL)
          CASE WHEN a THEN 1 ELSE 2 END → (CASE null [a] [1] 2)
          avg(v) RANGE '5m' FILL LINEAR + 1 → (+ (RANGE (avg v) '5m' LINEAR) 1)
          $2 → ?1
          1e5 → 1E5
          a.b.c → a.b.c
          """)
  void an_expression_binds_as_in_PostgreSQL(String sql, String tree) {
    assertThat(show(item("SELECT " + sql))).isEqualTo(tree);
  }

  @Test
  void positions_are_those_PostgreSQL_names() {
    SqlCall plus = (SqlCall) item("SELECT a + foo(b)::int");
    assertThat(plus.getParserPosition().getColumnNum()).isEqualTo(10);
    assertThat(plus.operand(1).getParserPosition().getColumnNum()).isEqualTo(18);
    assertThat(plus.operand(0).getParserPosition().getColumnNum()).isEqualTo(8);
    assertThat(item("SELECT 'ä', \"B\"").getParserPosition().getColumnNum()).isEqualTo(8);
    SqlNode quoted = select("SELECT 'ä', \"B\"").getSelectList().get(1);
    assertThat(quoted.getParserPosition().getColumnNum()).isEqualTo(13);
    assertThat(quoted.getParserPosition().isQuoted()).isTrue();
  }

  @Test
  void joins_nest_as_written_and_bind_tighter_than_commas() {
    assertThat(from("SELECT * FROM a, b LEFT JOIN c ON x, d"))
        .isEqualTo("(a COMMA (b LEFT c)) COMMA d");
    assertThat(from("SELECT * FROM a JOIN b JOIN c ON x ON y")).isEqualTo("a INNER (b INNER c)");
    assertThat(from("SELECT * FROM a JOIN b ON x CROSS JOIN c NATURAL JOIN d"))
        .isEqualTo("((a INNER b) CROSS c) NATURAL d");
    assertThat(from("SELECT * FROM (a JOIN b USING (x)) AS j FULL JOIN c USING (y)"))
        .isEqualTo("(AS (a INNER b) j) FULL c");
  }

  @Test
  void set_operations_bind_as_in_the_standard() {
    assertThat(query("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT ALL SELECT 4").toString())
        .isNotEmpty();
    SqlCall except =
        (SqlCall) query("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT ALL SELECT 4");
    assertThat(except.getOperator().getName()).isEqualTo("EXCEPT ALL");
    SqlCall union = except.operand(0);
    assertThat(union.getOperator().getName()).isEqualTo("UNION");
    assertThat(((SqlCall) union.operand(1)).getOperator().getName()).isEqualTo("INTERSECT");
  }

  @Test
  void a_select_keeps_what_only_PostgreSQL_has() {
    PgSelect select =
        (PgSelect) query("SELECT DISTINCT ON (a, b) c FROM t FOR UPDATE OF t SKIP LOCKED");
    assertThat(select.distinctOn()).hasSize(2);
    assertThat(select.isDistinct()).isFalse();
    SqlCall lock = (SqlCall) select.locking().get(0);
    assertThat(((SqlLiteral) lock.operand(0)).getValueAs(PgSyntax.LockStrength.class))
        .isEqualTo(PgSyntax.LockStrength.UPDATE);
    assertThat(((SqlLiteral) lock.operand(2)).getValueAs(PgSyntax.LockWait.class))
        .isEqualTo(PgSyntax.LockWait.SKIP_LOCKED);
    assertThat(((PgSelect) query("SELECT DISTINCT a FROM t")).isDistinct()).isTrue();
  }

  @Test
  void limits_stand_around_the_query() {
    SqlOrderBy order =
        (SqlOrderBy) query("SELECT a FROM t ORDER BY a DESC NULLS LAST OFFSET 2 LIMIT $1");
    assertThat(show(order.orderList)).isEqualTo("[(NULLS LAST (DESC a))]");
    assertThat(show(order.offset) + show(order.fetch)).isEqualTo("2?0");
    order = (SqlOrderBy) query("SELECT a FROM t FETCH FIRST 3 ROWS WITH TIES");
    assertThat(show(order.fetch)).isEqualTo("(WITH TIES 3)");
  }

  @Test
  void a_range_query_has_its_align_clause() {
    PgSelect select =
        (PgSelect)
            query("SELECT ts, max(v) RANGE '10s' FROM t ALIGN '5s' TO NOW BY (host, 1) FILL PREV");
    assertThat(show(select.align())).isEqualTo("(ALIGN '5s' now [host 1] PREV null)");
    assertThat(show(select.getSelectList().get(1))).isEqualTo("(RANGE (max v) '10s' null)");
    select = (PgSelect) query("SELECT max(v) RANGE '10s' FROM t ALIGN '5s' BY ()");
    assertThat(show(select.align())).isEqualTo("(ALIGN '5s' null [] null null)");
  }

  @Test
  void with_items_may_modify_data() {
    SqlWith with = (SqlWith) query("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d");
    SqlWithItem item = (SqlWithItem) with.withList.get(0);
    assertThat(((DmlNode) item.query).statement()).isInstanceOf(Statement.Delete.class);
  }

  @Test
  void functions_in_FROM_keep_ordinality_and_types() {
    assertThat(show(select("SELECT * FROM unnest(a) WITH ORDINALITY u(x, n)").getFrom()))
        .isEqualTo("(AS (WITH ORDINALITY (TABLE (unnest a))) u x n)");
    assertThat(show(select("SELECT * FROM f(1) AS t(a int, b text[])").getFrom()))
        .isEqualTo("(AS (TABLE (f 1)) t (COLUMN_DEFINITION a int4) (COLUMN_DEFINITION b text[]))");
    assertThat(show(select("SELECT * FROM LATERAL (SELECT 1) x").getFrom()))
        .isEqualTo("(AS (LATERAL <select>) x)");
  }

  @Test
  void frames_keep_their_mode() {
    SqlCall over =
        (SqlCall) item("SELECT sum(a) OVER (w ORDER BY b GROUPS 2 PRECEDING EXCLUDE TIES)");
    PgWindow window = over.operand(1);
    assertThat(window.mode()).isEqualTo(PgWindow.FrameMode.GROUPS);
    assertThat(window.getRefName()).hasToString("w");
    over = (SqlCall) item("SELECT sum(a) OVER (ORDER BY b)");
    assertThat(((PgWindow) over.operand(1)).mode()).isEqualTo(PgWindow.FrameMode.NONE);
  }

  // ---- helpers ----

  private static SqlNode query(String sql) {
    return ((Statement.Query) new StatementParser().parse(sql).get(0).statement()).query().node();
  }

  private static SqlSelect select(String sql) {
    return (SqlSelect) query(sql);
  }

  private static SqlNode item(String sql) {
    return select(sql).getSelectList().get(0);
  }

  private static String from(String sql) {
    return show(select(sql).getFrom()).replaceAll("^\\((.*)\\)$", "$1");
  }

  private static String show(SqlNode node) {
    return switch (node) {
      case null -> "null";
      case SqlSelect _ -> "<select>";
      case PgWindow _ -> "<window>";
      case SqlJoin join ->
          "("
              + show(join.getLeft())
              + (join.isNatural() ? " NATURAL " : " " + join.getJoinType() + " ")
              + show(join.getRight())
              + ")";
      case SqlDataTypeSpec type -> ((PgTypeNameSpec) type.getTypeNameSpec()).type().sql();
      case SqlIdentifier id -> id.toString();
      case SqlDynamicParam parameter -> "?" + parameter.getIndex();
      case SqlNodeList list ->
          list.getList().stream().map(TreesTest::show).collect(Collectors.joining(" ", "[", "]"));
      case SqlCall call ->
          call.getOperandList().stream()
              .map(TreesTest::show)
              .collect(
                  Collectors.joining(
                      " ",
                      "("
                          + call.getOperator().getName()
                          + (call.getOperandList().isEmpty() ? "" : " ")
                          + (call.getFunctionQuantifier() == null ? "" : "DISTINCT "),
                      ")"));
      default -> node.toString();
    };
  }
}
