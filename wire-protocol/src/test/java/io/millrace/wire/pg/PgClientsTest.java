package io.millrace.wire.pg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.EchoSession;
import io.millrace.wire.ProcessIds;
import io.millrace.wire.pg.auth.TrustAuthenticator;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;

/** Real clients against the echo session. */
@Timeout(60)
class PgClientsTest {
  private final EchoSession.Handler handler = new EchoSession.Handler();
  private final PgServer server =
      PgServer.start(
          PgConfig.of("127.0.0.1", 0), handler, new TrustAuthenticator(), new ProcessIds());

  @AfterEach
  void stop() {
    server.close();
  }

  private Connection connect(String options) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + server.port() + "/millrace?user=me" + options);
  }

  @Test
  void jdbcQueriesSimpleAndExtended() throws SQLException {
    for (String mode : List.of("simple", "extended")) {
      try (Connection c = connect("&preferQueryMode=" + mode);
          Statement s = c.createStatement();
          ResultSet r = s.executeQuery("SELECT 42")) {
        assertThat(r.next()).isTrue();
        assertThat(r.getLong(1)).isEqualTo(42);
        assertThat(r.next()).isFalse();
      }
    }
  }

  @Test
  void jdbcPreparedStatementTurnsToBinary() throws SQLException {
    try (Connection c = connect("");
        PreparedStatement p = c.prepareStatement("rows 3")) {
      for (int i = 0; i < 10; i++) {
        try (ResultSet r = p.executeQuery()) {
          var seen = new ArrayList<String>();
          while (r.next()) {
            seen.add(r.getLong("n") + "=" + r.getString("t"));
          }
          assertThat(seen).containsExactly("1=null", "2=null", "3=null");
        }
      }
    }
  }

  @Test
  void jdbcParametersArriveAsSent() throws SQLException {
    try (Connection c = connect("");
        PreparedStatement p = c.prepareStatement("SELECT ?, ?")) {
      p.setString(1, "Grüße");
      p.setString(2, null);
      try (ResultSet r = p.executeQuery()) {
        r.next();
        assertThat(r.getString(1)).isEqualTo("Grüße");
        assertThat(r.getString(2)).isNull();
      }
    }
  }

  @Test
  void jdbcFetchSizeReadsInPortions() throws SQLException {
    try (Connection c = connect("")) {
      c.setAutoCommit(false);
      try (Statement s = c.createStatement()) {
        s.setFetchSize(100);
        try (ResultSet r = s.executeQuery("rows 1050")) {
          int n = 0;
          while (r.next()) {
            n++;
          }
          assertThat(n).isEqualTo(1050);
        }
      }
      c.commit();
    }
  }

  @Test
  void jdbcSeesErrorFields() throws SQLException {
    try (Connection c = connect("");
        Statement s = c.createStatement()) {
      assertThatThrownBy(() -> s.execute("fail"))
          .isInstanceOfSatisfying(
              PSQLException.class,
              e -> {
                assertThat(e.getSQLState()).isEqualTo("42601");
                var fields = java.util.Objects.requireNonNull(e.getServerErrorMessage());
                assertThat(fields.getPosition()).isEqualTo(1);
                assertThat(fields.getHint()).isEqualTo("a hint");
                assertThat(fields.getConstraint()).isEqualTo("k");
              });
      s.execute("notice");
      assertThat(s.getWarnings().getMessage()).isEqualTo("a notice");
    }
  }

  @Test
  void jdbcCancelsByTimeout() throws SQLException {
    try (Connection c = connect("");
        Statement s = c.createStatement()) {
      s.setQueryTimeout(1);
      assertThatThrownBy(() -> s.execute("wait"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57014"));
      s.setQueryTimeout(0);
      assertThat(s.execute("SELECT 1")).isTrue();
    }
  }

  @Test
  void jdbcCopiesBothWays() throws SQLException, IOException {
    try (Connection c = connect("")) {
      var copy = c.unwrap(PGConnection.class).getCopyAPI();
      byte[] data = "a,b\n".repeat(500_000).getBytes(StandardCharsets.UTF_8);
      assertThat(copy.copyIn("copy in", new ByteArrayInputStream(data))).isEqualTo(data.length);
      var out = new ByteArrayOutputStream();
      copy.copyOut("copy out 100000", out);
      assertThat(out.size()).isEqualTo(400_000);
    }
  }

  @Test
  void psqlQueriesAndSeesErrors() throws Exception {
    Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/psql")), "no psql here");
    Process psql =
        new ProcessBuilder(
                "/usr/bin/psql",
                "-XAt",
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(server.port()),
                "-U",
                "me",
                "-d",
                "millrace",
                "-c",
                "SELECT 5",
                "-c",
                "fail",
                "-c",
                "rows 2",
                "-c",
                "copy out 2")
            .redirectErrorStream(true)
            .start();
    String output = new String(psql.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(psql.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(output)
        .startsWith("5\n")
        .contains("ERROR:  syntax error at or near \"fail\"")
        .contains("DETAIL:  a detail", "HINT:  a hint", "CONTEXT:  a context")
        .endsWith("1|\n2|\nrow\nrow\n");
  }
}
