package io.millrace.bench;

import io.millrace.server.MillraceServer;
import io.millrace.server.config.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The double group-by over twelve hours of 100 hosts, whole statements over the wire. Cold: without
 * a page cache, beside DuckDB on the very same Parquet files. Warm: from the page cache, beside
 * DuckDB on a table of its own. Both use all cores. Needs DuckDB's driver, a test dependency of
 * this module, on the class path.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 3, time = 3)
@Fork(1)
@NullUnmarked
public class ScanBench {
  @Param({"cold", "warm"})
  public String temperature;

  @Param({"1", "5", "all"})
  public String metrics;

  private Path folder;
  private MillraceServer server;
  private Connection ours;
  private Connection theirs;
  private Statement ourStatement;
  private Statement theirStatement;
  private String sql;

  /** Loads the server, and DuckDB from the server's files. */
  @Setup
  public void load() throws SQLException, IOException {
    folder = Files.createTempDirectory("millrace-bench");
    boolean cold = temperature.equals("cold");
    server =
        MillraceServer.start(
            Config.load(
                "--data=" + folder,
                "--pg-port=0",
                "--http-port=0",
                "--set",
                "storage.page_cache=" + (cold ? "1MiB" : "1GiB")));
    var data = new CpuData(100, 24, 10, 42);
    var target = new Target(server.host(), server.pgPort());
    new Load(target, data, new Report(System.out)).run("load-copy");
    ours = target.connect();
    ourStatement = ours.createStatement();
    Target.run(ours, "ADMIN flush_table('cpu')");
    Target.run(ours, "ADMIN compact_table('cpu')");
    theirs = DriverManager.getConnection("jdbc:duckdb:");
    theirStatement = theirs.createStatement();
    String files = "read_parquet('" + folder + "/store/regions/*/sst/*.parquet')";
    theirStatement.execute(
        "CREATE " + (cold ? "VIEW" : "TABLE") + " cpu AS SELECT * FROM " + files);
    theirStatement.execute("SET threads = " + Runtime.getRuntime().availableProcessors());
    sql = new Queries(data, 42).sql("double-groupby-" + metrics, 0);
    long a = rows(ourStatement);
    long b = rows(theirStatement);
    if (a != b || a == 0) {
      throw new IllegalStateException(a + " rows, DuckDB has " + b);
    }
  }

  /** Stops what was started. */
  @TearDown
  public void stop() throws SQLException, IOException {
    ours.close();
    theirs.close();
    server.close();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
    }
  }

  private long rows(Statement statement) throws SQLException {
    long n = 0;
    try (ResultSet r = statement.executeQuery(sql)) {
      while (r.next()) {
        r.getDouble(3);
        n++;
      }
    }
    return n;
  }

  @Benchmark
  public long millrace() throws SQLException {
    return rows(ourStatement);
  }

  @Benchmark
  public long duckdb() throws SQLException {
    return rows(theirStatement);
  }
}
