package io.millrace.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long after an acknowledged INSERT the sink of a flow shows it. One row is inserted, the sink
 * asked over and over until it has the row, then comes the next; so the figure holds what one query
 * on the sink takes (part of a millisecond). The windowed flow has the smallest min_refresh; with
 * the default it would be that.
 */
final class FlowLag {
  static final List<String> NAMES = List.of("flow-lag-window", "flow-lag-projection");

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
  private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(200);

  private final Target target;
  private final Report report;

  FlowLag(Target target, Report report) {
    this.target = target;
    this.report = report;
  }

  void run(String name, int rows) throws SQLException {
    boolean window = name.equals("flow-lag-window");
    try (Connection connection = target.connect("prepareThreshold=1")) {
      drop(connection);
      Target.run(
          connection,
          "CREATE TABLE bench_lag (ts TIMESTAMP(3) TIME INDEX, host TEXT, v DOUBLE PRECISION,"
              + " PRIMARY KEY (host))");
      Target.run(connection, "CREATE FLOW bench_lag_flow SINK TO bench_lag_sink " + query(window));
      measure(connection, name, window ? "n" : "v", rows);
      drop(connection);
    }
  }

  private static String query(boolean window) {
    return window
        ? "WITH (min_refresh = '50ms') AS SELECT date_bin(INTERVAL '1 minute', ts) AS t, host,"
            + " count(*) AS n, max(v) AS hi FROM bench_lag GROUP BY t, host"
        : "AS SELECT ts AS t, host, v FROM bench_lag WHERE v >= 0";
  }

  /** Row i has the value i; the sink has seen it when n (of its only window) or v says so. */
  private void measure(Connection connection, String name, String seen, int rows)
      throws SQLException {
    var latencies = new double[rows];
    String ask = "SELECT max(" + seen + ") FROM bench_lag_sink";
    try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO bench_lag VALUES (?, 'a', ?)");
        PreparedStatement sink = connection.prepareStatement(ask)) {
      for (int i = 1; i <= rows; i++) {
        insert.setObject(1, CpuData.timeAt(0).plusNanos(i * 1_000_000L));
        insert.setDouble(2, i);
        insert.executeUpdate();
        long start = System.nanoTime();
        while (shown(sink) < i) {
          if (System.nanoTime() - start > PATIENCE) {
            report.failed(name, "row " + i + " never showed in the sink");
            return;
          }
          LockSupport.parkNanos(PAUSE);
        }
        latencies[i - 1] = Reads.milliseconds(start);
      }
    }
    report.latencies(name, latencies, 0);
  }

  private static long shown(PreparedStatement sink) throws SQLException {
    try (ResultSet result = sink.executeQuery()) {
      return result.next() ? result.getLong(1) : 0;
    }
  }

  private static void drop(Connection connection) throws SQLException {
    Target.run(connection, "DROP FLOW IF EXISTS bench_lag_flow");
    Target.run(connection, "DROP TABLE IF EXISTS bench_lag_sink");
    Target.run(connection, "DROP TABLE IF EXISTS bench_lag");
  }
}
