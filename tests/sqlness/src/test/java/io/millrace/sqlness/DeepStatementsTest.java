package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements too deep for a thread's stack: an error of theirs, and of nothing else. */
class DeepStatementsTest {
  @TempDir static Path scratch;
  private static Server.Child server;

  @BeforeAll
  static void start() throws Exception {
    String classpath = System.getProperty("java.class.path");
    server =
        new Server.Child(
            scratch.resolve("data"),
            List.of(classpath.split(System.getProperty("path.separator"), -1)));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  private static Connection connect(String mode) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://"
            + server.host()
            + ":"
            + server.port()
            + "/millrace?user=millrace&preferQueryMode="
            + mode);
  }

  private static List<String> deep() {
    return List.of(
        "SELECT " + "(".repeat(20_000) + "1" + ")".repeat(20_000),
        "SELECT " + String.join("+", Collections.nCopies(30_000, "1")),
        "SELECT " + "abs(".repeat(5_000) + "1" + ")".repeat(5_000));
  }

  private static int value(Connection c, String sql) throws SQLException {
    try (var s = c.createStatement();
        var r = s.executeQuery(sql)) {
      r.next();
      return r.getInt(1);
    }
  }

  private static void tooDeep(Connection c, String sql) {
    assertThatThrownBy(() -> value(c, sql))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("54001"));
  }

  @Test
  void theSessionGoesOnInBothProtocols() throws SQLException {
    for (String mode : List.of("simple", "extended")) {
      try (Connection c = connect(mode)) {
        for (String sql : deep()) {
          tooDeep(c, sql);
          assertThat(value(c, "SELECT 7")).isEqualTo(7);
        }
      }
    }
  }

  @Test
  void aTransactionGoesOnFromItsSavepoint() throws SQLException {
    try (Connection c = connect("extended");
        var s = c.createStatement()) {
      s.execute("CREATE TABLE deep (id INT PRIMARY KEY)");
      c.setAutoCommit(false);
      s.execute("INSERT INTO deep VALUES (1)");
      var savepoint = c.setSavepoint();
      s.execute("INSERT INTO deep VALUES (2)");
      tooDeep(c, deep().getFirst());
      c.rollback(savepoint);
      c.commit();
      assertThat(value(c, "SELECT sum(id)::int FROM deep")).isEqualTo(1);
    }
  }
}
