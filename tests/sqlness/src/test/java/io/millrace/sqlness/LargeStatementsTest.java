package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** Statements over more rows than a piece or a record of the log takes. */
class LargeStatementsTest {
  private static final int ROWS = 300_000;

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

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + server.host() + ":" + server.port() + "/millrace?user=millrace");
  }

  private static long run(Connection c, String sql) throws SQLException {
    try (var s = c.createStatement()) {
      return s.executeLargeUpdate(sql);
    }
  }

  private static List<Long> query(Connection c, String sql) throws SQLException {
    try (var s = c.createStatement();
        var r = s.executeQuery(sql)) {
      r.next();
      int n = r.getMetaData().getColumnCount();
      var out = new java.util.ArrayList<Long>();
      for (int i = 1; i <= n; i++) {
        out.add(r.getLong(i));
      }
      return out;
    }
  }

  private static String fill(String table, int from, int to) {
    return "INSERT INTO "
        + table
        + " SELECT i, i, repeat(md5(i::text), 5) FROM generate_series("
        + from
        + ", "
        + to
        + ") AS g(i)";
  }

  private static void failsWith(String state, Connection c, String sql) {
    assertThatThrownBy(() -> run(c, sql))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
  }

  @Test
  void manyRowsOfATableWithKeysAreInsertedChangedAndDeleted() throws Exception {
    try (Connection c = connect()) {
      run(c, "CREATE TABLE p (id INT PRIMARY KEY, v BIGINT, t TEXT)");
      assertThat(run(c, fill("p", 1, ROWS))).isEqualTo(ROWS);
      failsWith("23505", c, fill("p", ROWS + 1, 2 * ROWS) + " UNION ALL SELECT 1, 1, ''");
      failsWith("23505", c, fill("p", ROWS + 1, 2 * ROWS) + " UNION ALL SELECT 300001, 1, ''");
      assertThat(query(c, "SELECT count(*) FROM p")).containsExactly((long) ROWS);
      assertThat(run(c, fill("p", 2, ROWS + 7) + " ON CONFLICT DO NOTHING")).isEqualTo(7);
      assertThat(run(c, "UPDATE p SET v = v + 1")).isEqualTo(ROWS + 7);
      long sum = (ROWS + 7L) * (ROWS + 8L) / 2 + ROWS + 7;
      assertThat(query(c, "SELECT count(*), sum(v) FROM p")).containsExactly(ROWS + 7L, sum);
      assertThat(
              run(
                  c,
                  fill("p", 1, ROWS + 8) + " ON CONFLICT (id) DO UPDATE SET v = p.v + EXCLUDED.v"))
          .isEqualTo(ROWS + 8);
      sum += (ROWS + 8L) * (ROWS + 9L) / 2;
      assertThat(query(c, "SELECT count(*), sum(v) FROM p")).containsExactly(ROWS + 8L, sum);
      assertThat(run(c, "DELETE FROM p WHERE id % 3 > 0")).isEqualTo(200_006);
      assertThat(query(c, "SELECT count(*) FROM p")).containsExactly(100_002L);
    }
    server.restart();
    try (Connection c = connect()) {
      assertThat(query(c, "SELECT count(*), max(id) FROM p")).containsExactly(100_002L, 300_006L);
      assertThat(run(c, "DELETE FROM p")).isEqualTo(100_002);
      assertThat(query(c, "SELECT count(*) FROM p")).containsExactly(0L);
    }
  }

  @Test
  void savepointsCutWhatIsWrittenAhead() throws Exception {
    try (Connection c = connect()) {
      run(c, "CREATE TABLE s (id INT PRIMARY KEY, v BIGINT, t TEXT)");
      c.setAutoCommit(false);
      run(c, "INSERT INTO s VALUES (0, 0, '')");
      var before = c.setSavepoint();
      run(c, fill("s", 1, ROWS));
      run(c, "UPDATE s SET v = 0");
      assertThat(query(c, "SELECT count(*), sum(v) FROM s")).containsExactly(ROWS + 1L, 0L);
      failsWith("23505", c, fill("s", ROWS + 1, 2 * ROWS) + " UNION ALL SELECT 5, 1, ''");
      c.rollback(before);
      assertThat(query(c, "SELECT count(*) FROM s")).containsExactly(1L);
      run(c, fill("s", 1, ROWS));
      var after = c.setSavepoint();
      assertThat(run(c, "DELETE FROM s")).isEqualTo(ROWS + 1);
      assertThat(query(c, "SELECT count(*) FROM s")).containsExactly(0L);
      c.rollback(after);
      assertThat(query(c, "SELECT count(*) FROM s")).containsExactly(ROWS + 1L);
      c.commit();
    }
    server.restart();
    try (Connection c = connect()) {
      assertThat(query(c, "SELECT count(*), sum(v) FROM s"))
          .containsExactly(ROWS + 1L, ROWS * (ROWS + 1L) / 2);
    }
  }

  @Test
  void copySaysInWhichLineAKeyRepeatsHoweverFarApart() throws Exception {
    try (Connection c = connect()) {
      run(c, "CREATE TABLE k (id INT PRIMARY KEY, t TEXT UNIQUE)");
      var text = new StringBuilder();
      String pad = "x".repeat(150);
      for (int i = 1; i <= ROWS; i++) {
        text.append(i == ROWS ? 17 : i).append('\t').append(i).append(pad).append('\n');
      }
      var copy = c.unwrap(PGConnection.class).getCopyAPI();
      assertThatThrownBy(() -> copy.copyIn("COPY k FROM STDIN", new StringReader(text.toString())))
          .hasMessageContaining("k_pkey")
          .hasMessageContaining("line " + ROWS);
      assertThat(query(c, "SELECT count(*) FROM k")).containsExactly(0L);
      String right = text.toString().replace("\n17\t" + ROWS, "\n" + ROWS + "\t" + ROWS);
      assertThat(copy.copyIn("COPY k FROM STDIN", new StringReader(right))).isEqualTo(ROWS);
      assertThat(query(c, "SELECT count(DISTINCT t) FROM k")).containsExactly((long) ROWS);
    }
  }

  @Test
  void oneValueMayBeLargerThanARecordOfTheLog() throws Exception {
    try (Connection c = connect()) {
      run(c, "CREATE TABLE b (ts TIMESTAMP TIME INDEX, t TEXT)");
      run(c, "INSERT INTO b VALUES ('2024-01-01', repeat('x', 20000000))");
      failsWith("54000", c, "INSERT INTO b VALUES ('2024-01-02', repeat('x', 70000000))");
    }
    server.restart();
    try (Connection c = connect()) {
      assertThat(query(c, "SELECT count(*), max(length(t)) FROM b"))
          .containsExactly(1L, 20_000_000L);
    }
  }
}
