package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that want the same rows. */
class LocksTest {
  /** Updates per session; {@code -Dlocks.updates=10000} for the whole length. */
  private static final int UPDATES = Integer.getInteger("locks.updates", 500);

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

  private static Connection transaction() throws SQLException {
    Connection c = connect();
    c.setAutoCommit(false);
    return c;
  }

  private static int run(Connection c, String sql) throws SQLException {
    try (var s = c.createStatement()) {
      return s.executeUpdate(sql);
    }
  }

  private static long number(String sql) throws SQLException {
    try (Connection c = connect();
        var s = c.createStatement();
        var r = s.executeQuery(sql)) {
      r.next();
      return r.getLong(1);
    }
  }

  private static void setUp(String... statements) throws SQLException {
    try (Connection c = connect()) {
      for (String sql : statements) {
        run(c, sql);
      }
    }
  }

  private static Future<String> state(ExecutorService threads, Connection c, String sql) {
    return threads.submit(
        () -> {
          try {
            run(c, sql);
            return "00000";
          } catch (SQLException e) {
            c.rollback();
            return e.getSQLState();
          }
        });
  }

  /** Each session has a key and wants the next one's; exactly one of them must fail. */
  private static void circle(String table, int sessions, String wanted) throws Exception {
    var values = new ArrayList<String>();
    for (int i = 0; i < sessions; i++) {
      values.add("(" + i + ", 0)");
    }
    setUp(
        "CREATE TABLE " + table + " (id INT PRIMARY KEY, x INT)",
        "INSERT INTO " + table + " VALUES " + String.join(", ", values));
    var all = new ArrayList<Connection>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < sessions; i++) {
        all.add(transaction());
        run(all.get(i), "UPDATE " + table + " SET x = x + 1 WHERE id = " + i);
      }
      var states = new ArrayList<Future<String>>();
      for (int i = 0; i < sessions; i++) {
        String sql = wanted.formatted(table, (i + 1) % sessions);
        states.add(state(threads, all.get(i), sql));
      }
      // who fails lets its predecessor go on, whose commit lets the one before go on, and so on
      CompletableFuture<Integer> victim = new CompletableFuture<>();
      for (int i = 0; i < sessions; i++) {
        int session = i;
        threads.submit(
            () ->
                states.get(session).get().equals("40P01")
                    ? victim.complete(session)
                    : victim.isDone());
      }
      int failed = victim.get(60, TimeUnit.SECONDS);
      for (int k = 1; k < sessions; k++) {
        int i = (failed - k + sessions) % sessions;
        assertThat(states.get(i).get()).isEqualTo("00000");
        all.get(i).commit();
      }
    } finally {
      for (Connection c : all) {
        c.close();
      }
    }
  }

  @Test
  void aFailedTransactionLetsGoOfItsLocksBeforeItsRollback() throws Exception {
    setUp("CREATE TABLE let_go (id INT PRIMARY KEY, x INT)", "INSERT INTO let_go VALUES (1, 0)");
    try (Connection first = transaction();
        Connection second = connect()) {
      run(first, "UPDATE let_go SET x = 1");
      assertThatThrownBy(() -> run(first, "SELECT 1 / 0")).hasMessageContaining("division by zero");
      run(second, "SET lock_timeout = '20s'");
      assertThat(run(second, "UPDATE let_go SET x = x + 10")).isEqualTo(1);
      assertThatThrownBy(() -> run(first, "UPDATE let_go SET x = 2"))
          .hasMessageContaining("current transaction is aborted");
      first.rollback();
    }
    assertThat(number("SELECT x FROM let_go")).isEqualTo(10);
  }

  /** What PostgreSQL does: rows locked before the savepoint stay so, also if locked again. */
  @Test
  void goingBackToASavepointLetsGoOfWhatWasLockedSince() throws Exception {
    setUp(
        "CREATE TABLE back (id INT PRIMARY KEY, x INT)",
        "INSERT INTO back VALUES (1, 0), (2, 0), (3, 0)");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection first = transaction();
        Connection second = connect()) {
      run(first, "UPDATE back SET x = 1 WHERE id = 1");
      run(first, "SAVEPOINT s");
      run(first, "UPDATE back SET x = 1 WHERE id < 3");
      run(second, "SET lock_timeout = '20s'");
      Future<Integer> waits =
          threads.submit(() -> run(second, "UPDATE back SET x = x + 10 WHERE id = 2"));
      run(first, "ROLLBACK TO SAVEPOINT s");
      assertThat(waits.get()).isOne();
      run(second, "SET lock_timeout = '100ms'");
      assertThatThrownBy(() -> run(second, "UPDATE back SET x = x + 10 WHERE id = 1"))
          .hasMessageContaining("lock timeout");
      run(first, "UPDATE back SET x = x + 1 WHERE id = 2");
      first.commit();
    }
    assertThat(number("SELECT x FROM back WHERE id = 1")).isEqualTo(1);
    assertThat(number("SELECT x FROM back WHERE id = 2")).isEqualTo(11);
  }

  @Test
  void aStatementThatFailsLetsGoOfWhatWasLockedSinceTheLastSavepoint() throws Exception {
    setUp(
        "CREATE TABLE since (id INT PRIMARY KEY, x INT)",
        "INSERT INTO since VALUES (1, 0), (2, 0)");
    try (Connection first = transaction();
        Connection second = connect()) {
      run(first, "UPDATE since SET x = 1 WHERE id = 1");
      run(first, "SAVEPOINT s");
      run(first, "UPDATE since SET x = 1 WHERE id = 2");
      assertThatThrownBy(() -> run(first, "SELECT 1 / 0")).hasMessageContaining("division by zero");
      run(second, "SET lock_timeout = '20s'");
      assertThat(run(second, "UPDATE since SET x = x + 10 WHERE id = 2")).isOne();
      run(first, "ROLLBACK TO SAVEPOINT s");
      first.commit();
    }
    assertThat(number("SELECT sum(x) FROM since")).isEqualTo(11);
  }

  @Test
  void twoSessionsThatWaitForEachOtherAreADeadlock() throws Exception {
    circle("two", 2, "UPDATE %s SET x = x + 10 WHERE id = %d");
    assertThat(number("SELECT sum(x) FROM two")).isEqualTo(11);
  }

  @Test
  void threeSessionsInACircleAreADeadlock() throws Exception {
    circle("three", 3, "UPDATE %s SET x = x + 10 WHERE id = %d");
    assertThat(number("SELECT sum(x) FROM three")).isEqualTo(22);
  }

  /** Very many rows are deleted under a lock of the table, for which both would wait. */
  @Test
  void sessionsWithKeysThatBothWantTheTableAreADeadlock() throws Exception {
    setUp(
        "CREATE TABLE many (id INT PRIMARY KEY, x INT)",
        "INSERT INTO many SELECT i, 0 FROM generate_series(1, 20000) AS g(i)");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection a = transaction();
        Connection b = transaction()) {
      run(a, "UPDATE many SET x = 1 WHERE id = 1");
      run(b, "UPDATE many SET x = 1 WHERE id = 2");
      Future<String> first = state(threads, a, "DELETE FROM many");
      Future<String> second = state(threads, b, "DELETE FROM many");
      assertThat(List.of(first.get(), second.get())).containsExactlyInAnyOrder("00000", "40P01");
      a.commit();
      b.commit();
    }
    assertThat(number("SELECT count(*) FROM many")).isZero();
  }

  @Test
  void aDeleteOfVeryManyRowsWaitsForChangesUnderWay() throws Exception {
    setUp(
        "CREATE TABLE waits (id INT PRIMARY KEY, x INT)",
        "INSERT INTO waits SELECT i, 0 FROM generate_series(1, 20000) AS g(i)");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection a = transaction();
        Connection b = connect()) {
      run(a, "UPDATE waits SET id = 30000 WHERE id = 1");
      run(b, "SET lock_timeout = 200");
      assertThatThrownBy(() -> run(b, "DELETE FROM waits"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"));
      run(b, "SET lock_timeout = 0");
      Future<Integer> delete = threads.submit(() -> run(b, "DELETE FROM waits"));
      a.commit();
      assertThat(delete.get()).isEqualTo(20_000);
    }
    assertThat(number("SELECT count(*) FROM waits")).isZero();
  }

  @Test
  void aWaiterSeesWhatTheOtherHasDone() throws Exception {
    setUp("CREATE TABLE w (id INT PRIMARY KEY, x INT)", "INSERT INTO w VALUES (1, 1), (2, 1)");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection a = transaction();
        Connection b = connect()) {
      run(a, "UPDATE w SET x = 2 WHERE id = 1");
      Future<Integer> change = threads.submit(() -> run(b, "UPDATE w SET x = x + 10 WHERE x = 1"));
      a.commit();
      assertThat(change.get()).isBetween(1, 2);
    }
    assertThat(number("SELECT x FROM w WHERE id = 2")).isEqualTo(11);
    assertThat(number("SELECT x FROM w WHERE id = 1")).isIn(2L, 12L);
  }

  @Test
  void noUpdateIsLost() throws Exception {
    setUp("CREATE TABLE n (id INT PRIMARY KEY, x INT)", "INSERT INTO n VALUES (1, 0)");
    Callable<Integer> session =
        () -> {
          try (Connection c = connect();
              var s = c.prepareStatement("UPDATE n SET x = x + 1")) {
            for (int i = 0; i < UPDATES; i++) {
              assertThat(s.executeUpdate()).isOne();
            }
          }
          return UPDATES;
        };
    both(session, session);
    assertThat(number("SELECT x FROM n")).isEqualTo(2L * UPDATES);
  }

  private static List<Long> ids(Connection c, String sql) throws SQLException {
    var out = new ArrayList<Long>();
    try (var s = c.createStatement();
        var r = s.executeQuery(sql)) {
      while (r.next()) {
        out.add(r.getLong(1));
      }
    }
    return out;
  }

  /** A queue: every job is taken once, however many take jobs at the same time. */
  @Test
  void skipLockedGivesEveryJobToOneWorker() throws Exception {
    setUp(
        "CREATE TABLE jobs (id INT PRIMARY KEY, taken INT)",
        "INSERT INTO jobs SELECT i, 0 FROM generate_series(1, 120) AS g(i)");
    Callable<List<Long>> worker =
        () -> {
          var mine = new ArrayList<Long>();
          try (Connection c = connect()) {
            while (true) {
              List<Long> got =
                  ids(
                      c,
                      "UPDATE jobs SET taken = taken + 1 WHERE id IN (SELECT id FROM jobs"
                          + " WHERE taken = 0 ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED)"
                          + " RETURNING id");
              if (got.isEmpty()) {
                return mine;
              }
              mine.addAll(got);
            }
          }
        };
    List<List<Long>> taken = both(worker, worker);
    var all = new ArrayList<>(taken.getFirst());
    all.addAll(taken.getLast());
    assertThat(all).hasSize(120).doesNotHaveDuplicates();
    assertThat(number("SELECT max(taken) FROM jobs")).isOne();
  }

  @Test
  void lockedRowsAreSkippedRefusedOrWaitedFor() throws Exception {
    setUp(
        "CREATE TABLE held (id INT PRIMARY KEY, x INT)",
        "INSERT INTO held VALUES (1, 1), (2, 2), (3, 3), (4, 4)");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection a = transaction();
        Connection b = transaction()) {
      assertThat(ids(a, "SELECT id FROM held WHERE id < 3 ORDER BY id FOR UPDATE"))
          .containsExactly(1L, 2L);
      assertThat(ids(b, "SELECT id FROM held ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"))
          .containsExactly(3L);
      assertThatThrownBy(() -> ids(b, "SELECT id FROM held ORDER BY id FOR UPDATE NOWAIT"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"))
          .hasMessageContaining("could not obtain lock on row in relation \"held\"");
      b.rollback();
      // What is read without locks never waits.
      assertThat(ids(b, "SELECT id FROM held")).hasSize(4);
      // The waiter sees the rows as they are when it gets them: 1 is gone, 2 does not match.
      run(a, "DELETE FROM held WHERE id = 1");
      run(a, "UPDATE held SET x = 20 WHERE id = 2");
      Future<List<Long>> waits =
          threads.submit(() -> ids(b, "SELECT id FROM held WHERE x < 4 ORDER BY id FOR UPDATE"));
      a.commit();
      assertThat(waits.get()).containsExactly(3L);
      // With a limit the rows that do not count any more are replaced by others.
      b.commit();
      run(a, "UPDATE held SET x = 30 WHERE id = 3");
      Future<List<Long>> first =
          threads.submit(
              () -> ids(b, "SELECT id FROM held WHERE x < 25 ORDER BY id DESC LIMIT 2 FOR UPDATE"));
      a.commit();
      assertThat(first.get()).containsExactly(4L, 2L);
    }
  }

  @Test
  void whatIsLockedStaysAsItWasRead() throws Exception {
    setUp("CREATE TABLE bank (id INT PRIMARY KEY, x INT)", "INSERT INTO bank VALUES (1, 0)");
    Callable<Integer> session =
        () -> {
          try (Connection c = transaction()) {
            for (int i = 0; i < 100; i++) {
              long x = ids(c, "SELECT x FROM bank WHERE id = 1 FOR UPDATE").getFirst();
              run(c, "UPDATE bank SET x = " + (x + 1) + " WHERE id = 1");
              c.commit();
            }
          }
          return 100;
        };
    both(session, session);
    assertThat(number("SELECT x FROM bank")).isEqualTo(200);
  }

  @Test
  void sharedLocksKeepChangesOutButNotEachOther() throws Exception {
    setUp("CREATE TABLE shared (id INT PRIMARY KEY, x INT)", "INSERT INTO shared VALUES (1, 0)");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection a = transaction();
        Connection b = transaction();
        Connection c = connect()) {
      assertThat(ids(a, "SELECT id FROM shared FOR SHARE")).containsExactly(1L);
      assertThat(ids(b, "SELECT id FROM shared FOR KEY SHARE NOWAIT")).containsExactly(1L);
      run(c, "SET lock_timeout = '100ms'");
      assertThatThrownBy(() -> run(c, "UPDATE shared SET x = 1"))
          .hasMessageContaining("lock timeout");
      assertThat(ids(c, "SELECT id FROM shared FOR UPDATE SKIP LOCKED")).isEmpty();
      // Both want what they share for themselves: one of them must fail.
      Future<String> first = state(threads, a, "UPDATE shared SET x = x + 1");
      Future<String> second = state(threads, b, "UPDATE shared SET x = x + 1");
      assertThat(List.of(first.get(), second.get())).containsExactlyInAnyOrder("00000", "40P01");
      a.commit();
      b.commit();
    }
    assertThat(number("SELECT x FROM shared")).isOne();
  }

  @Test
  void aRowThatMovedFailsUnderRepeatableRead() throws Exception {
    setUp("CREATE TABLE moved (id INT PRIMARY KEY, x INT)", "INSERT INTO moved VALUES (1, 0)");
    try (Connection a = transaction();
        Connection b = connect()) {
      run(a, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      assertThat(ids(a, "SELECT x FROM moved")).containsExactly(0L);
      run(b, "UPDATE moved SET x = 1");
      assertThatThrownBy(() -> ids(a, "SELECT x FROM moved FOR UPDATE"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
    }
  }

  @Test
  void aLockedTableKeepsChangesOut() throws Exception {
    setUp("CREATE TABLE shut (id INT PRIMARY KEY, x INT)", "INSERT INTO shut VALUES (1, 0)");
    try (Connection a = transaction();
        Connection b = transaction()) {
      run(a, "LOCK TABLE shut IN EXCLUSIVE MODE");
      run(b, "LOCK TABLE shut IN ROW SHARE MODE");
      assertThat(ids(b, "SELECT id FROM shut")).containsExactly(1L);
      assertThatThrownBy(() -> run(b, "LOCK TABLE shut NOWAIT"))
          .hasMessageContaining("could not obtain lock on relation \"shut\"");
      b.rollback();
      run(b, "SET lock_timeout = '100ms'");
      assertThatThrownBy(() -> run(b, "UPDATE shut SET x = 1"))
          .hasMessageContaining("lock timeout");
    }
  }

  private static <T> List<T> both(Callable<T> a, Callable<T> b)
      throws InterruptedException, ExecutionException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var gate = new CountDownLatch(2);
      var out = new ArrayList<Future<T>>();
      for (Callable<T> task : List.of(a, b)) {
        out.add(
            threads.submit(
                () -> {
                  gate.countDown();
                  gate.await();
                  return task.call();
                }));
      }
      return List.of(out.getFirst().get(), out.getLast().get());
    }
  }

  @Test
  void ofTwoThatInsertAKeyOneDoesNothing() throws Exception {
    setUp("CREATE TABLE o (id INT PRIMARY KEY, x INT)");
    try (Connection a = connect();
        Connection b = connect()) {
      for (int i = 0; i < 50; i++) {
        String sql = "INSERT INTO o VALUES (" + i + ", 1) ON CONFLICT DO NOTHING";
        assertThat(both(() -> run(a, sql), () -> run(b, sql))).containsExactlyInAnyOrder(0, 1);
      }
    }
    assertThat(number("SELECT count(*) FROM o")).isEqualTo(50);
  }

  @Test
  void mergesOfOneKeyAddUpWhicheverOfThemFindsItFirst() throws Exception {
    setUp(
        "CREATE TABLE tally (id INT PRIMARY KEY, n INT)",
        "CREATE TABLE times (ts TIMESTAMP TIME INDEX, n INT)");
    String tally =
        "MERGE INTO tally USING (VALUES (1)) AS v(k) ON id = k"
            + " WHEN MATCHED THEN UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT VALUES (k, 1)";
    String times =
        "MERGE INTO times USING (VALUES (TIMESTAMP '2024-01-01')) AS v(t) ON ts = t"
            + " WHEN MATCHED THEN UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT VALUES (t, 1)";
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var all = new ArrayList<Future<Integer>>();
      for (int i = 0; i < 4; i++) {
        all.add(
            threads.submit(
                () -> {
                  try (Connection c = connect()) {
                    for (int k = 0; k < 25; k++) {
                      run(c, tally);
                      run(c, times);
                    }
                  }
                  return 0;
                }));
      }
      for (Future<Integer> f : all) {
        f.get(60, TimeUnit.SECONDS);
      }
    }
    assertThat(number("SELECT n FROM tally")).isEqualTo(100);
    assertThat(number("SELECT n FROM times")).isEqualTo(100);
  }
}
