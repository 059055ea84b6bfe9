package io.millrace.sql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every statement of the lists is taken, as one statement, and a query's tree can be written. */
class AcceptedStatementsTest {
  static Stream<String> statements() {
    return Stream.of("probes.sql", "accepted.sql").flatMap(f -> read(f).stream());
  }

  static List<String> read(String file) {
    try (InputStream in = AcceptedStatementsTest.class.getResourceAsStream(file)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Stream.of(text.split("\n%%\n")).map(s -> s.replaceAll("\n$", "")).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("statements")
  void a_statement_of_the_language_is_taken(String sql) {
    List<ParsedStatement> parsed = new StatementParser().parse(sql);
    assertThat(parsed).hasSize(1);
    assertThat(parsed.get(0).statement().toString()).isNotEmpty();
  }
}
