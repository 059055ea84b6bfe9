package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Every case of ours against a server process. */
class CasesTest {
  private static final Path CASES = Path.of("cases");
  @TempDir static Path scratch;
  static Server server;

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

  @TestFactory
  Stream<DynamicTest> cases() throws IOException {
    return Cases.find(CASES, null).stream()
        .map(
            sql ->
                DynamicTest.dynamicTest(
                    Cases.name(CASES, sql).toString(),
                    () -> {
                      String actual =
                          new CaseRunner(server).run(CaseFile.parse(Files.readString(sql)));
                      assertThat(actual).isEqualTo(Files.readString(Cases.result(sql)));
                    }));
  }
}
