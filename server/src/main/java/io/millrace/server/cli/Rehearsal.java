package io.millrace.server.cli;

import io.millrace.server.MillraceServer;
import io.millrace.server.config.Config;
import io.millrace.server.config.LogSetup;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Properties;
import org.postgresql.PGConnection;

/**
 * A server that is started in the build only to do a little of everything, and much of what takes
 * most of a server's time, while the JVM writes down which classes it loads and how its methods
 * behave: later starts begin with that knowledge, and compile what is hot at once. The only
 * argument is a scratch folder for the data.
 */
public final class Rehearsal {
  private static final List<String> SETUP =
      List.of(
          "CREATE TABLE cpu (ts TIMESTAMP TIME INDEX, host TEXT, region TEXT, rack TEXT, usage"
              + " DOUBLE, system DOUBLE, idle DOUBLE, note TEXT, PRIMARY KEY (host, region))",
          "CREATE TABLE plain (id INT PRIMARY KEY, name VARCHAR(20), price NUMERIC(10, 2))",
          "CREATE FLOW cpu_hourly SINK TO hourly AS SELECT date_bin(INTERVAL '1 hour', ts) AS hour,"
              + " host, max(usage) AS most, avg(usage) AS mean FROM cpu GROUP BY hour, host",
          "INSERT INTO cpu VALUES ('2024-01-01 00:00:00', 'a', 'eu', '7', 1.5, 2.5, 96, 'x'),"
              + " ('2024-01-01 01:00:00', 'b', 'us', '8', 2.5, 3.5, 94, NULL)",
          "INSERT INTO plain VALUES (1, 'one', 1.25), (2, 'two', 2.50)");

  private static final List<String> WORK =
      List.of(
          "SELECT 1",
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
          "SELECT * FROM hourly");

  /** What dashboards ask for; the two parameters are a host and a time. */
  private static final List<String> QUERIES =
      List.of(
          "SELECT date_trunc('hour', ts) AS hour, host, avg(usage), count(*) FROM cpu WHERE ts >="
              + " '2024-01-01' AND host >= ? AND ts < ? GROUP BY hour, host ORDER BY hour LIMIT 10",
          "SELECT date_bin(INTERVAL '1 minute', ts) AS minute, max(usage), max(system) FROM cpu"
              + " WHERE host = ? AND ts > ? GROUP BY minute ORDER BY minute",
          "SELECT DISTINCT ON (host) * FROM cpu WHERE host >= ? AND ts > ? ORDER BY host, ts DESC",
          "SELECT * FROM cpu WHERE host = ? AND ts > ? AND usage > 90",
          "SELECT host, max(usage), min(idle), sum(system) FROM cpu WHERE host >= ? AND ts > ?"
              + " GROUP BY host ORDER BY 2 DESC LIMIT 5",
          "SELECT * FROM cpu WHERE host = ? AND ts = ?");

  private static final LocalDateTime START = LocalDateTime.of(2024, 1, 1, 2, 0);
  private static final int HOSTS = 40;
  private static final int PORTION = 1000;
  private static final int PORTIONS = 80;
  private static final int ROUNDS = 60;

  private final MillraceServer server;

  private Rehearsal(MillraceServer server) {
    this.server = server;
  }

  public static void main(String[] args) throws IOException, SQLException {
    Path data = Path.of(args[0]);
    Config config = Config.load("--data", data.toString(), "--pg-port", "0", "--http-port", "0");
    Files.createDirectories(data);
    LogSetup.apply(config);
    try (MillraceServer server = MillraceServer.start(config)) {
      var rehearsal = new Rehearsal(server);
      rehearsal.write();
      rehearsal.read("ADMIN COMPACT_TABLE('cpu')");
    }
    // Once more, so that opening what is there is known too.
    try (MillraceServer server = MillraceServer.start(config)) {
      new Rehearsal(server).read("ADMIN FLUSH_TABLE('cpu')");
    }
  }

  private Connection connect(boolean rewrite) throws SQLException {
    var properties = new Properties();
    properties.setProperty("user", "millrace");
    properties.setProperty("prepareThreshold", "1");
    properties.setProperty("reWriteBatchedInserts", Boolean.toString(rewrite));
    String url = "jdbc:postgresql://" + server.host() + ":" + server.pgPort() + "/millrace";
    return DriverManager.getConnection(url, properties);
  }

  private void write() throws IOException, SQLException {
    try (Connection connection = connect(false);
        Statement statement = connection.createStatement()) {
      for (String sql : SETUP) {
        statement.execute(sql);
      }
      plainRows(connection);
      for (int portion = 0; portion < PORTIONS; portion++) {
        copy(connection, portion);
        if (portion % 20 == 10) {
          statement.execute("ADMIN FLUSH_TABLE('cpu')");
        }
      }
    }
    batches(true, PORTIONS);
    batches(false, PORTIONS / 8);
  }

  private static LocalDateTime time(int portion, int row) {
    return START.plusSeconds(10L * (portion * (PORTION / HOSTS) + row / HOSTS));
  }

  private static double metric(int portion, int row, int which) {
    return (portion * 31 + row * 17 + which * 7919) % 10_007 / 100.0;
  }

  private void copy(Connection connection, int portion) throws IOException, SQLException {
    boolean csv = portion % 2 == 0;
    char by = csv ? ',' : '\t';
    var rows = new StringBuilder();
    for (int row = 0; row < PORTION; row++) {
      rows.append(time(portion, row)).append(by).append("host_").append(row % HOSTS).append(by);
      rows.append("eu").append(by).append(row % 7).append(by);
      for (int m = 0; m < 3; m++) {
        rows.append(metric(portion, row, m)).append(by);
      }
      rows.append("note\n");
    }
    connection
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn(
            "COPY cpu FROM STDIN WITH (FORMAT " + (csv ? "csv)" : "text)"),
            new StringReader(rows.toString()));
  }

  /** Rows as drivers send them: many to a statement, or a message each. */
  private void batches(boolean rewrite, int portions) throws SQLException {
    try (Connection connection = connect(rewrite);
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO cpu (ts, host, region, rack, usage, system, idle) VALUES"
                    + " (?, ?, ?, ?, ?, ?, ?)")) {
      connection.setAutoCommit(false);
      for (int portion = 0; portion < portions; portion++) {
        for (int row = 0; row < PORTION; row++) {
          insert.setObject(1, time(portion + 1000, row));
          insert.setString(2, "host_" + row % HOSTS);
          insert.setString(3, "eu");
          insert.setString(4, Integer.toString(row % 7));
          for (int m = 0; m < 3; m++) {
            insert.setDouble(5 + m, metric(portion, row, m));
          }
          insert.addBatch();
        }
        insert.executeBatch();
        connection.commit();
      }
    }
  }

  private static void plainRows(Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO plain VALUES (?, ?, ?)")) {
      for (int id = 10; id < 30; id++) {
        insert.setInt(1, id);
        insert.setString(2, "name " + id);
        insert.setBigDecimal(3, BigDecimal.valueOf(id, 1));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  /**
   * @param between a command after the first half
   */
  private void read(String between) throws SQLException {
    try (Connection connection = connect(false);
        Statement statement = connection.createStatement()) {
      for (int round = 0; round < ROUNDS; round++) {
        if (round % (ROUNDS / 2) == 0) {
          for (String sql : WORK) {
            statement.execute(sql);
          }
        }
        for (String sql : QUERIES) {
          query(connection, sql, round);
        }
        if (round == ROUNDS / 2) {
          statement.execute(between);
        }
      }
    }
  }

  private static void query(Connection connection, String sql, int round) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      query.setString(1, "host_" + round % HOSTS);
      query.setObject(2, time(round % PORTIONS, round % PORTION));
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          rows.getObject(1);
        }
      }
    }
  }
}
