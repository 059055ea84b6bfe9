package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Expressions and wrong statements answer as PostgreSQL 15 does: types, values, SQLSTATE, message,
 * position and hint. Where we differ on purpose, differences.tsv holds our answer and the reason
 * beside the statement; hints of our own are no difference.
 */
class ExactnessTest {
  private static final Path FOLDER = Path.of("exact");
  @TempDir static Path scratch;
  static Server server;

  private record Difference(String answer, String reason) {}

  @BeforeAll
  static void start() throws Exception {
    server =
        new Server.Child(
            scratch.resolve("data"),
            List.of(
                System.getProperty("java.class.path")
                    .split(System.getProperty("path.separator"), -1)));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  private static Map<String, Difference> differences() throws IOException {
    var out = new HashMap<String, Difference>();
    String reason = "";
    for (String line : Files.readAllLines(FOLDER.resolve("differences.tsv"))) {
      if (line.startsWith("#")) {
        reason = line.substring(1).strip();
      } else if (!line.isBlank()) {
        String[] f = line.split("\t", 2);
        out.put(f[0], new Difference(f[1], reason));
      }
    }
    return out;
  }

  private static String withoutHint(String answer) {
    return answer.startsWith("!") ? answer.split("\t", 2)[0] : answer;
  }

  private static void same(AnswerList.Line line, String actual, Map<String, Difference> all) {
    String expected = Objects.requireNonNull(line.answer());
    Difference known = all.get(line.text());
    if (known != null) {
      assertThat(withoutHint(actual)).as(known.reason()).isEqualTo(withoutHint(known.answer()));
    } else if (expected.startsWith("!") && withoutHint(expected).equals(expected)) {
      assertThat(withoutHint(actual)).isEqualTo(expected);
    } else {
      assertThat(actual).isEqualTo(expected);
    }
  }

  private Stream<DynamicTest> tests(String file, boolean expressions) throws IOException {
    Map<String, Difference> all = differences();
    String database = expressions ? "millrace" : "statements";
    var wire = new Wire(server.host(), server.port(), "millrace", "millrace");
    if (!expressions) {
      wire.query("CREATE DATABASE " + database);
      wire.close();
      wire = new Wire(server.host(), server.port(), "millrace", database);
    }
    wire.query("SET statement_timeout = '20s'");
    var asker = new AnswerList.Asker(wire);
    var out = new ArrayList<DynamicTest>();
    for (AnswerList.Line line : AnswerList.read(FOLDER.resolve(file))) {
      out.add(
          DynamicTest.dynamicTest(
              line.text(),
              () -> {
                if (line.prepares()) {
                  asker.prepare(line.directive());
                } else {
                  same(line, asker.ask(AnswerList.statement(line.text(), expressions)), all);
                }
              }));
    }
    return out.stream().onClose(() -> close(asker));
  }

  private static void close(AnswerList.Asker asker) {
    try {
      asker.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @TestFactory
  Stream<DynamicTest> expressionsHaveTheTypesAndValues() throws IOException {
    return tests("expressions.tsv", true);
  }

  @TestFactory
  Stream<DynamicTest> wrongStatementsHaveTheErrors() throws IOException {
    return tests("statements.tsv", false);
  }

  @Test
  void everyDifferenceIsOfAStatementOfTheLists() throws IOException {
    var texts = new ArrayList<String>();
    for (String file : List.of("expressions.tsv", "statements.tsv")) {
      AnswerList.read(FOLDER.resolve(file)).forEach(l -> texts.add(l.text()));
    }
    assertThat(texts).containsAll(differences().keySet());
  }
}
