package io.millrace.server.cli;

import io.millrace.server.MillraceServer;
import io.millrace.server.config.Config;
import io.millrace.server.config.LogSetup;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.postgresql.PGConnection;

/**
 * A server that is started in the build only to do a little of everything, while the JVM writes
 * down which classes it loads and where it spends its time: later starts begin with that knowledge.
 * The only argument is a scratch folder for the data.
 */
public final class Rehearsal {
  private static final List<String> SETUP =
      List.of(
          "CREATE TABLE cpu (ts TIMESTAMP TIME INDEX, host TEXT PRIMARY KEY, usage DOUBLE, note"
              + " TEXT)",
          "CREATE TABLE plain (id INT PRIMARY KEY, name VARCHAR(20), price NUMERIC(10, 2))",
          "CREATE FLOW cpu_hourly SINK TO hourly AS SELECT date_bin(INTERVAL '1 hour', ts) AS hour,"
              + " host, max(usage) AS most, avg(usage) AS mean FROM cpu GROUP BY hour, host",
          "INSERT INTO cpu VALUES ('2024-01-01 00:00:00', 'a', 1.5, 'x'), ('2024-01-01 01:00:00',"
              + " 'b', 2.5, NULL)",
          "INSERT INTO plain VALUES (1, 'one', 1.25), (2, 'two', 2.50)");

  private static final List<String> WORK =
      List.of(
          "SELECT 1",
          "SELECT * FROM cpu ORDER BY ts",
          "SELECT date_trunc('hour', ts) AS hour, host, avg(usage), count(*) FROM cpu WHERE ts >="
              + " '2024-01-01' AND ts < '2024-01-02' GROUP BY hour, host ORDER BY hour LIMIT 10",
          "SELECT p.name, c.usage FROM plain p LEFT JOIN cpu c ON c.note = p.name WHERE p.id IN (1,"
              + " 2)",
          "WITH x AS (SELECT max(usage) AS m FROM cpu) SELECT m::text || '!' FROM x",
          "UPDATE plain SET price = price + 1 WHERE id = 1",
          "DELETE FROM plain WHERE id = 2",
          "SELECT n.nspname, c.relname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace"
              + " n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v') ORDER BY 1, 2",
          "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'cpu'",
          "SHOW TABLES",
          "EXPLAIN SELECT max(usage) FROM cpu",
          "ADMIN FLUSH_FLOW('cpu_hourly')",
          "ADMIN FLUSH_TABLE('cpu')",
          "SELECT host, max(usage) FROM cpu GROUP BY host",
          "SELECT * FROM hourly");

  private static final int ROUNDS = 2;

  private Rehearsal() {}

  public static void main(String[] args) throws IOException, SQLException {
    Path data = Path.of(args[0]);
    Config config = Config.load("--data", data.toString(), "--pg-port", "0", "--http-port", "0");
    Files.createDirectories(data);
    LogSetup.apply(config);
    try (MillraceServer server = MillraceServer.start(config)) {
      play(server);
    }
  }

  private static void play(MillraceServer server) throws SQLException {
    var properties = new Properties();
    properties.setProperty("user", "millrace");
    String url = "jdbc:postgresql://" + server.host() + ":" + server.pgPort() + "/millrace";
    try (Connection connection = DriverManager.getConnection(url, properties);
        Statement statement = connection.createStatement()) {
      for (String sql : SETUP) {
        statement.execute(sql);
      }
      copy(connection);
      batch(connection);
      for (int round = 0; round < ROUNDS; round++) {
        for (String sql : WORK) {
          statement.execute(sql);
        }
      }
    }
  }

  private static void copy(Connection connection) throws SQLException {
    String rows = "2024-01-01 02:00:00,c,3.5,y\n2024-01-01 03:00:00,a,4.5,z\n";
    try {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY cpu FROM STDIN WITH (FORMAT csv)", new StringReader(rows));
    } catch (IOException e) {
      throw new SQLException("the rows of the rehearsal could not be sent", e);
    }
  }

  private static void batch(Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO plain VALUES (?, ?, ?)")) {
      for (int id = 10; id < 30; id++) {
        insert.setInt(1, id);
        insert.setString(2, "name " + id);
        insert.setBigDecimal(3, java.math.BigDecimal.valueOf(id, 1));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }
}
