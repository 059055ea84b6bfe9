package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ALTER TABLE that writes a table anew while others write to it. */
class RewriteTest {
  private static final int OLD_ROWS = 400_000;
  private static final int WRITERS = 3;

  @TempDir Path scratch;

  private static Connection connect(Server server) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + server.host() + ":" + server.port() + "/millrace?user=millrace");
  }

  private static void run(Server server, String... statements) throws SQLException {
    try (Connection c = connect(server);
        var s = c.createStatement()) {
      for (String sql : statements) {
        s.execute(sql);
      }
    }
  }

  /** Inserts numbers until told to stop; those that the server has acknowledged. */
  private static Set<Long> write(Server server, AtomicInteger next, AtomicBoolean stop)
      throws SQLException {
    var acknowledged = new HashSet<Long>();
    try (Connection c = connect(server);
        var insert = c.prepareStatement("INSERT INTO t (id, pad) VALUES (?, 'late')")) {
      while (!stop.get()) {
        long id = next.incrementAndGet();
        insert.setLong(1, id);
        try {
          insert.executeUpdate();
          acknowledged.add(id);
        } catch (SQLException e) {
          assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("40001");
        }
      }
    }
    return acknowledged;
  }

  private static List<Long> ids(Server server) throws SQLException {
    var out = new ArrayList<Long>();
    try (Connection c = connect(server);
        var s = c.createStatement();
        ResultSet r = s.executeQuery("SELECT id FROM t WHERE pad = 'late'")) {
      while (r.next()) {
        out.add(r.getLong(1));
      }
    }
    return out;
  }

  @Test
  void noAcknowledgedRowIsLost() throws Exception {
    run(
        OLD_ROWS,
        "",
        "ALTER TABLE t ALTER COLUMN id TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN id TYPE INT",
        "ALTER TABLE t ALTER COLUMN id TYPE BIGINT");
  }

  @Test
  void noAcknowledgedRowIsLostWhenPartitionsChange() throws Exception {
    run(
        OLD_ROWS / 10,
        " PARTITION ON COLUMNS (id) (id < 0, id >= 0)",
        "ALTER TABLE t SPLIT PARTITION (id >= 0) INTO (id >= 0 AND id < 100, id >= 100)",
        "ALTER TABLE t MERGE PARTITION (id < 0, id >= 0 AND id < 100)",
        "ALTER TABLE t REPARTITION (id >= 100, id < 0 OR id >= 0 AND id < 100)"
            + " INTO (id < 50, id >= 50)");
  }

  private void run(int oldRows, String partitions, String... changes) throws Exception {
    List<String> classpath =
        List.of(
            System.getProperty("java.class.path").split(System.getProperty("path.separator"), -1));
    try (var server = new Server.Child(scratch.resolve("data"), classpath);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      run(
          server,
          "CREATE TABLE t (id INT, pad TEXT)" + partitions,
          "INSERT INTO t SELECT -g, 'a row of a table that is larger than one piece, times two'"
              + " || repeat('.', 100) FROM generate_series(1, "
              + oldRows
              + ") g");
      var next = new AtomicInteger();
      var stop = new AtomicBoolean();
      Callable<Set<Long>> writer = () -> write(server, next, stop);
      List<Future<Set<Long>>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        writers.add(threads.submit(writer));
      }
      try {
        run(server, changes);
      } finally {
        stop.set(true);
      }
      var acknowledged = new HashSet<Long>();
      for (Future<Set<Long>> w : writers) {
        acknowledged.addAll(w.get());
      }
      assertThat(acknowledged).isNotEmpty();
      assertThat(ids(server)).containsExactlyInAnyOrderElementsOf(acknowledged);
      server.restart();
      assertThat(ids(server)).containsExactlyInAnyOrderElementsOf(acknowledged);
      try (Connection c = connect(server);
          var s = c.createStatement();
          ResultSet r = s.executeQuery("SELECT count(*) FROM t WHERE id < 0")) {
        assertThat(r.next()).isTrue();
        assertThat(r.getInt(1)).isEqualTo(oldRows);
      }
    }
  }
}
