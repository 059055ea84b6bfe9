package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Statements about single regions of a table that has several; their ids are known at run time
 * only.
 */
class RegionsTest {
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

  private static List<String> rows(Connection c, String sql) throws SQLException {
    var out = new ArrayList<String>();
    try (var s = c.createStatement();
        var r = s.executeQuery(sql)) {
      while (r.next()) {
        var cells = new ArrayList<String>();
        for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) {
          cells.add(r.getString(i));
        }
        out.add(String.join(" ", cells));
      }
    }
    return out;
  }

  private static void run(Connection c, String... statements) throws SQLException {
    for (String sql : statements) {
      try (var s = c.createStatement()) {
        s.execute(sql);
      }
    }
  }

  /** Number, files and rows in memory of each region. */
  private static List<String> regions(Connection c) throws SQLException {
    return rows(
        c,
        "SELECT region_number, sst_num, memtable_rows FROM information_schema.region_statistics"
            + " WHERE table_name = 'parts' ORDER BY 1");
  }

  @Test
  void aRegionIsFlushedAndCompactedAlone() throws SQLException {
    try (Connection c = connect()) {
      run(
          c,
          "CREATE TABLE parts (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host))"
              + " PARTITION ON COLUMNS (host) (host < 'h', host >= 'h' AND host < 'p', host >="
              + " 'p')");
      List<String> ids =
          rows(
              c,
              "SELECT region_id FROM information_schema.region_statistics"
                  + " WHERE table_name = 'parts' ORDER BY region_number");
      for (int i = 0; i < 3; i++) {
        run(
            c,
            "INSERT INTO parts VALUES ('a', '2024-01-01', "
                + i
                + "), ('h', '2024-01-01', "
                + i
                + "), ('q', '2024-01-01', "
                + i
                + ")");
        assertThat(rows(c, "ADMIN flush_region(" + ids.get(1) + ")")).containsExactly("0");
      }
      assertThat(rows(c, "ADMIN flush_region('" + ids.get(1) + "')")).containsExactly("0");
      assertThat(regions(c)).containsExactly("0 0 3", "1 3 0", "2 0 3");
      assertThat(rows(c, "ADMIN compact_region(" + ids.get(1) + ")")).containsExactly("0");
      assertThat(rows(c, "ADMIN compact_region(" + ids.get(0) + ")")).containsExactly("0");
      assertThat(regions(c)).containsExactly("0 0 3", "1 1 0", "2 0 3");
      run(c, "ADMIN flush_table('parts')");
      assertThat(regions(c)).containsExactly("0 1 0", "1 1 0", "2 1 0");
      assertThat(rows(c, "SELECT host, v FROM parts ORDER BY host"))
          .containsExactly("a 2", "h 2", "q 2");
    }
  }

  @Test
  void aRegionThatIsNoneIsRefused() throws SQLException {
    try (Connection c = connect()) {
      for (String f : List.of("flush_region", "compact_region")) {
        assertThatThrownBy(() -> run(c, "ADMIN " + f + "(4294967295)"))
            .hasMessageContaining("does not exist");
        assertThatThrownBy(() -> run(c, "ADMIN " + f + "('first')"))
            .hasMessageContaining("\"first\" is not a region id");
        assertThatThrownBy(() -> run(c, "ADMIN " + f + "()"))
            .hasMessageContaining("takes one argument");
      }
    }
  }
}
