package io.millrace.sql.parser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.MillraceException;
import io.millrace.sql.parser.ast.Statement;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Walks PostgreSQL 15's keywords (keywords.txt: the word, its category U, C, T or R, + where it can
 * be a label without AS): what PostgreSQL does not reserve names columns, tables and aliases here.
 */
class KeywordsTest {
  /** Calls without parentheses, which may stand in FROM. */
  private static final Set<String> CALLS =
      Set.of(
          "current_catalog",
          "current_date",
          "current_role",
          "current_schema",
          "current_time",
          "current_timestamp",
          "current_user",
          "localtime",
          "localtimestamp",
          "session_user",
          "user");

  /** Words that go on with an expression, whatever else they may be. */
  private static final Set<String> OPERATORS =
      Set.of(
          "and",
          "between",
          "collate",
          "ilike",
          "in",
          "is",
          "isnull",
          "like",
          "not",
          "notnull",
          "or",
          "overlaps",
          "similar");

  static Stream<String> keywords() {
    return AcceptedStatementsTest.read("keywords.txt").get(0).lines();
  }

  @ParameterizedTest
  @MethodSource("keywords")
  void a_word_names_what_PostgreSQL_lets_it_name(String line) {
    String word = line.substring(0, line.indexOf(' '));
    char category = line.charAt(line.indexOf(' ') + 1);
    boolean bare = line.endsWith("+");
    Keyword keyword = Keyword.valueOf(word.toUpperCase(Locale.ROOT));
    assertThat(keyword.isBareLabel()).isEqualTo(bare);
    if (category == 'U' || category == 'C') {
      assertThat(item("SELECT " + word + " FROM t", 0))
          .isInstanceOf(SqlIdentifier.class)
          .hasToString(word);
      assertThat(item("SELECT a, " + word + ", " + word + " + 1 FROM t", 1)).hasToString(word);
      assertThat(item("SELECT t." + word + " FROM t WHERE " + word + " = 1", 0))
          .hasToString("t." + word);
      assertThat(from("SELECT * FROM " + word)).hasToString(word);
      assertThat(from("SELECT * FROM " + word + " " + word).getKind()).isEqualTo(SqlKind.AS);
      assertThat(from("SELECT * FROM t AS " + word + " WHERE true").getKind())
          .isEqualTo(SqlKind.AS);
      assertThat(from("SELECT * FROM (SELECT 1) " + word).getKind()).isEqualTo(SqlKind.AS);
      parse("SELECT a FROM t ORDER BY " + word + " DESC, " + word);
      parse("SELECT a FROM t GROUP BY " + word + " HAVING " + word + " > 1");
      parse("CREATE TABLE " + word + " (" + word + " int, b text)");
      parse("CREATE TABLE t (a int, " + word + " int NOT NULL, PRIMARY KEY (" + word + "))");
      parse("INSERT INTO " + word + " (" + word + ", b) VALUES (1, 2)");
      parse("UPDATE " + word + " SET " + word + " = 1 WHERE " + word + " IS NULL");
      parse("DELETE FROM " + word + " WHERE " + word + " = 1");
      parse("ALTER TABLE " + word + " DROP COLUMN " + word);
      parse("CREATE FLOW " + word + " SINK TO s." + word + " AS SELECT 1");
    } else if (!CALLS.contains(word)) {
      assertThatThrownBy(() -> parse("SELECT * FROM " + word + ", t"))
          .isInstanceOf(MillraceException.class);
      assertThatThrownBy(() -> parse("CREATE TABLE " + word + " (a int)"))
          .isInstanceOf(MillraceException.class);
    }
    if (category == 'U' || category == 'T') {
      SqlNode call = item("SELECT " + word + "(1, 2) FROM t", 0);
      assertThat(call).isInstanceOf(SqlBasicCall.class);
      parse("SELECT a::" + word + ", CAST(a AS " + word + ")");
    }
    assertThat(item("SELECT a AS " + word, 0).getKind()).isEqualTo(SqlKind.AS);
    assertThat(item("SELECT t." + word + " FROM t", 0)).hasToString("t." + word);
    if (bare && !OPERATORS.contains(word)) {
      assertThat(item("SELECT 1 " + word, 0).getKind()).isEqualTo(SqlKind.AS);
    } else if (!OPERATORS.contains(word)) {
      SqlNode node = null;
      try {
        node = item("SELECT 1 " + word, 0);
      } catch (MillraceException e) {
        assertThat(e.sqlState()).isEqualTo("42601");
      }
      assertThat(node == null || node.getKind() != SqlKind.AS).isTrue();
    }
  }

  private static Statement parse(String sql) {
    return new StatementParser().parse(sql).get(0).statement();
  }

  private static SqlSelect select(String sql) {
    return (SqlSelect) ((Statement.Query) parse(sql)).query().node();
  }

  private static SqlNode item(String sql, int index) {
    return select(sql).getSelectList().get(index);
  }

  private static SqlNode from(String sql) {
    return select(sql).getFrom();
  }
}
