package io.millrace.sqlness;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/*
 * Every round copies much data into a new table inside a transaction and ends the server with SIGKILL at some
 * moment: while the rows come, between the last row and COMMIT, shortly after COMMIT was sent, or when it has been
 * acknowledged. After a restart the table must have all rows or none: none if COMMIT was not sent, all if it was
 * acknowledged.
 */
/** Kills a server over large transactions. */
@Command(
    name = "torture",
    mixinStandardHelpOptions = true,
    description =
        "Copies much data in a transaction, kills the server before, while or after COMMIT, and"
            + " looks whether all rows are there or none. Exit code 1 if not.")
public final class Torture implements Callable<Integer> {
  private static final int CHUNK_ROWS = 2000;
  private static final Instant START = Instant.parse("2024-01-01T00:00:00Z");

  private enum Moment {
    WHILE_ROWS_COME,
    BEFORE_COMMIT,
    WITH_COMMIT,
    AFTER_COMMIT
  }

  @Option(names = "--megabytes", description = "Data of a round (default: 2048).")
  private long megabytes = 2048;

  @Option(names = "--rounds", description = "How many (default: 8).")
  private int rounds = 8;

  @Option(names = "--heap", description = "Of the server (default: 1g).")
  private String heap = "1g";

  @Option(names = "--seed", description = "For the moments (default: the time).")
  private @Nullable Long seed;

  @Option(names = "--keyed", description = "Into a table with a PRIMARY KEY, no TIME INDEX.")
  private boolean keyed;

  @Option(names = "--data", paramLabel = "DIR", description = "Where the data go, then vanish.")
  private @Nullable Path data;

  public static void main(String[] args) {
    System.exit(new CommandLine(new Torture()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Path folder = data;
    Path scratch =
        folder == null
            ? Files.createTempDirectory("millrace-torture")
            : Files.createDirectories(folder);
    long s = seed == null ? System.nanoTime() : seed;
    System.out.println("seed " + s);
    var random = new Random(s);
    List<String> classpath =
        List.of(
            System.getProperty("java.class.path").split(System.getProperty("path.separator"), -1));
    boolean right = true;
    try (var server = new Server.Child(scratch, classpath, heap);
        var timer = Executors.newSingleThreadScheduledExecutor()) {
      for (int i = 0; i < rounds; i++) {
        Moment moment = Moment.values()[random.nextInt(Moment.values().length)];
        right &= round(server, timer, random, moment, "torture_" + i);
      }
    } finally {
      Main.remove(scratch);
    }
    return right ? 0 : 1;
  }

  private static Connection connect(Server server) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + server.host() + ":" + server.port() + "/millrace?user=millrace");
  }

  private static void run(Connection c, String sql) throws SQLException {
    try (var s = c.createStatement()) {
      s.execute(sql);
    }
  }

  private boolean round(
      Server.Child server,
      ScheduledExecutorService timer,
      Random random,
      Moment moment,
      String table)
      throws Exception {
    try (Connection c = connect(server)) {
      run(
          c,
          "CREATE TABLE "
              + table
              + (keyed
                  ? " (id BIGINT PRIMARY KEY, host TEXT, a FLOAT8, b TEXT)"
                  : " (id TIMESTAMP TIME INDEX, host TEXT, a FLOAT8, b TEXT, PRIMARY KEY (host))"));
    }
    long bytes = megabytes << 20;
    long stop = moment == Moment.WHILE_ROWS_COME ? (long) (bytes * random.nextDouble()) : bytes;
    boolean sent = false;
    boolean acknowledged = false;
    long begin = System.nanoTime();
    var load = new Load(bytes);
    try (Connection c = connect(server)) {
      c.setAutoCommit(false);
      load.copy(c, table, stop);
      if (moment.compareTo(Moment.WITH_COMMIT) >= 0) {
        if (moment == Moment.WITH_COMMIT) {
          var _ = timer.schedule(server::crash, random.nextInt(400), TimeUnit.MILLISECONDS);
        }
        sent = true;
        c.commit();
        acknowledged = true;
      }
      server.crash();
    } catch (SQLException e) {
      if (moment != Moment.WITH_COMMIT) {
        throw e;
      }
    }
    long loaded = (System.nanoTime() - begin) / 1_000_000;
    server.kill();
    long ready = (System.nanoTime() - begin) / 1_000_000 - loaded;
    long found = count(server, table);
    boolean right = found == load.rows ? sent : found == 0 && !acknowledged;
    System.out.printf(
        "%s %s: %d rows copied in %.1f s, COMMIT %s; ready after %.1f s with %d rows: %s%n",
        table,
        moment,
        load.rows,
        loaded / 1e3,
        acknowledged ? "acknowledged" : sent ? "sent" : "not sent",
        ready / 1e3,
        found,
        right ? "right" : "WRONG");
    try (Connection c = connect(server)) {
      run(c, "DROP TABLE " + table);
    }
    return right;
  }

  private static long count(Server server, String table) throws SQLException {
    try (Connection c = connect(server);
        var s = c.createStatement();
        var r = s.executeQuery("SELECT count(*) FROM " + table)) {
      r.next();
      return r.getLong(1);
    }
  }

  /** Rows of about a hundred bytes. */
  private final class Load {
    private final long bytes;
    private long rows;

    Load(long bytes) {
      this.bytes = bytes;
    }

    void copy(Connection c, String table, long stop) throws SQLException {
      CopyIn copy =
          c.unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn("COPY " + table + " (id, host, a, b) FROM STDIN");
      long sent = 0;
      while (sent < stop) {
        byte[] chunk = chunk();
        copy.writeToCopy(chunk, 0, chunk.length);
        sent += chunk.length;
      }
      if (stop == bytes) {
        copy.endCopy();
      } else {
        copy.flushCopy();
      }
    }

    private byte[] chunk() {
      var b = new StringBuilder(CHUNK_ROWS * 110);
      for (int i = 0; i < CHUNK_ROWS; i++) {
        long n = rows++;
        if (keyed) {
          b.append(n);
        } else {
          b.append(START.plusMillis(n));
        }
        b.append('\t');
        b.append("host_").append(n % 1000).append('\t');
        b.append(n % 100_003).append('.').append(n % 997).append('\t');
        b.append("some words that make the row about one hundred bytes long ").append(n);
        b.append('\n');
      }
      return b.toString().getBytes(US_ASCII);
    }
  }
}
