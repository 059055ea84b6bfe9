package io.millrace.sql.parser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.common.error.MillraceException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Code, position and message of syntax errors, as PostgreSQL 15 gives them (errors.tsv). */
class SyntaxErrorsTest {
  static Stream<String> errors() {
    return AcceptedStatementsTest.read("errors.tsv").get(0).lines();
  }

  @ParameterizedTest
  @MethodSource("errors")
  void an_error_is_reported_as_PostgreSQL_does(String line) {
    String[] parts = line.split("\t", 4);
    MillraceException e = error(parts[3]);
    assertThat(e.sqlState() + " " + e.position() + " " + e.message())
        .isEqualTo(parts[0] + " " + parts[1] + " " + parts[2]);
  }

  @Test
  void a_statement_that_nests_too_deeply_is_refused() {
    MillraceException e = error("SELECT " + "(".repeat(200_000) + "1" + ")".repeat(200_000));
    assertThat(e.sqlState()).isEqualTo("54001");
    e = error("SELECT " + "- ".repeat(200_000) + "1");
    assertThat(e.sqlState()).isEqualTo("54001");
  }

  @Test
  void positions_count_characters_of_the_whole_message() {
    assertThat(error("SELECT 'äöü€𝄞'; SELECT 1 FROM x y z").position()).isEqualTo(35);
  }

  private static MillraceException error(String sql) {
    return catchThrowableOfType(MillraceException.class, () -> new StatementParser().parse(sql));
  }
}
