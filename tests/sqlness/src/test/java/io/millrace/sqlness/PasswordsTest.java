package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users with passwords, by the real driver, over restarts. */
class PasswordsTest {
  @TempDir Path scratch;

  private static Connection connect(Server server, String user, String password)
      throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://"
            + server.host()
            + ":"
            + server.port()
            + "/millrace?user="
            + user
            + "&password="
            + password);
  }

  private static void refused(Server server, String user, String password) {
    assertThatThrownBy(() -> connect(server, user, password).close())
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("28P01"));
  }

  private static String text(Connection c, String sql) throws SQLException {
    try (var s = c.createStatement();
        var r = s.executeQuery(sql)) {
      r.next();
      return r.getString(1);
    }
  }

  private static void run(Connection c, String sql) throws SQLException {
    try (var s = c.createStatement()) {
      s.execute(sql);
    }
  }

  @Test
  void passwordsAreAskedForOnceSomebodyHasOneAndOutliveTheServer() throws Exception {
    String classpath = System.getProperty("java.class.path");
    try (var server =
        new Server.Child(
            scratch.resolve("data"),
            List.of(classpath.split(System.getProperty("path.separator"), -1)))) {
      try (Connection c = connect(server, "millrace", "")) {
        try (var s = c.createStatement()) {
          s.execute("CREATE USER ann PASSWORD 'first'");
          assertThat(s.getWarnings().getMessage()).contains("millrace\" has no password");
        }
        assertThat(text(c, "SELECT rolpassword FROM pg_authid WHERE rolname = 'ann'"))
            .startsWith("SCRAM-SHA-256$4096:");
        run(c, "SET password_encryption = 'md5'");
        run(c, "CREATE USER old PASSWORD 'md5 it'");
        run(c, "CREATE ROLE staff PASSWORD 'x'");
        run(c, "ALTER USER millrace PASSWORD 'mine'");
      }
      refused(server, "millrace", "");
      refused(server, "ann", "wrong");
      refused(server, "nobody", "first");
      refused(server, "staff", "x");
      try (Connection c = connect(server, "ann", "first")) {
        assertThat(text(c, "SELECT current_user")).isEqualTo("ann");
        run(c, "ALTER USER ann PASSWORD 'second'");
      }
      connect(server, "old", "md5%20it").close();
      server.restart();
      refused(server, "ann", "first");
      connect(server, "ann", "second").close();
      try (Connection c = connect(server, "millrace", "mine")) {
        run(c, "DROP USER ann, old, staff");
        run(c, "ALTER USER millrace PASSWORD NULL");
      }
      connect(server, "anybody", "").close();
    }
  }
}
