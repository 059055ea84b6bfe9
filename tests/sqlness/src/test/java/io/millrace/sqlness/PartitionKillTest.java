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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows that go to two regions in one commit, while the server is killed: both are there or none,
 * what was acknowledged is there, and no reader sees one without the other.
 */
class PartitionKillTest {
  private static final int WRITERS = 3;
  private static final int ROUNDS = 3;
  private static final int COMMITS = 150;
  private static final String PAIRS =
      "SELECT count(*) FILTER (WHERE side = 'a'), count(*) FILTER (WHERE side = 'z') FROM pair";

  @TempDir Path scratch;

  private static Connection connect(Server server) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + server.host() + ":" + server.port() + "/millrace?user=millrace");
  }

  private static void requireEqual(ResultSet r) throws SQLException {
    assertThat(r.next()).isTrue();
    assertThat(r.getLong(1)).isEqualTo(r.getLong(2));
  }

  /** Inserts pairs, in one statement or in two of a transaction, until the server is gone. */
  private static Set<Long> write(Connection c, AtomicLong next, CountDownLatch done) {
    var acknowledged = new HashSet<Long>();
    try (c;
        var both = c.prepareStatement("INSERT INTO pair VALUES (?, 'a'), (?, 'z')");
        var one = c.prepareStatement("INSERT INTO pair VALUES (?, ?)")) {
      while (true) {
        long id = next.incrementAndGet();
        if (id % 2 == 0) {
          both.setLong(1, id);
          both.setLong(2, id);
          both.executeUpdate();
        } else {
          c.setAutoCommit(false);
          for (String side : List.of("z", "a")) {
            one.setLong(1, id);
            one.setString(2, side);
            one.executeUpdate();
          }
          c.commit();
          c.setAutoCommit(true);
        }
        acknowledged.add(id);
        done.countDown();
      }
    } catch (SQLException e) {
      assertThat(e.getSQLState()).as(e.getMessage()).startsWith("08");
    }
    return acknowledged;
  }

  /** Looks, and flushes the regions, until the server is gone. */
  private static void watch(Connection c) {
    try (c;
        var s = c.createStatement()) {
      for (int i = 0; true; i++) {
        requireEqual(s.executeQuery(PAIRS));
        if (i % 8 == 5) {
          s.execute("ADMIN flush_table('pair')");
        }
      }
    } catch (SQLException e) {
      assertThat(e.getSQLState()).as(e.getMessage()).startsWith("08");
    }
  }

  private static Set<Long> ids(Server server, String side) throws SQLException {
    var out = new HashSet<Long>();
    try (Connection c = connect(server);
        var s = c.prepareStatement("SELECT id FROM pair WHERE side = ?")) {
      s.setString(1, side);
      try (ResultSet r = s.executeQuery()) {
        while (r.next()) {
          out.add(r.getLong(1));
        }
      }
    }
    return out;
  }

  /** One life of the server; what it acknowledged. */
  private static Set<Long> live(Server.Child server, AtomicLong next) throws Exception {
    var done = new CountDownLatch(COMMITS);
    var writers = new ArrayList<Future<Set<Long>>>();
    var acknowledged = new HashSet<Long>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < WRITERS; i++) {
        Connection c = connect(server);
        Callable<Set<Long>> writer = () -> write(c, next, done);
        writers.add(threads.submit(writer));
      }
      Connection c = connect(server);
      Future<?> watcher = threads.submit(() -> watch(c));
      assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
      server.kill();
      for (Future<Set<Long>> w : writers) {
        acknowledged.addAll(w.get());
      }
      watcher.get();
    }
    return acknowledged;
  }

  @Test
  void aCommitOverTwoRegionsIsThereWhollyOrNotAtAll() throws Exception {
    List<String> classpath =
        List.of(
            System.getProperty("java.class.path").split(System.getProperty("path.separator"), -1));
    try (var server = new Server.Child(scratch.resolve("data"), classpath)) {
      try (Connection c = connect(server);
          var s = c.createStatement()) {
        s.execute(
            "CREATE TABLE pair (id BIGINT, side TEXT, PRIMARY KEY (side, id))"
                + " PARTITION ON COLUMNS (side) (side < 'm', side >= 'm')");
      }
      var next = new AtomicLong();
      var acknowledged = new HashSet<Long>();
      for (int round = 0; round < ROUNDS; round++) {
        acknowledged.addAll(live(server, next));
        Set<Long> low = ids(server, "a");
        assertThat(ids(server, "z")).isEqualTo(low);
        assertThat(low).containsAll(acknowledged);
      }
    }
  }
}
