package io.millrace.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Asks the loaded data: the query types of TSBS, and single rows by their key. */
final class Reads {
  private static final String POINT =
      "SELECT ts, "
          + String.join(", ", CpuData.METRICS)
          + " FROM cpu WHERE hostname = ? AND ts = ?";

  private final Target target;
  private final CpuData data;
  private final Report report;
  private final long seed;

  Reads(Target target, CpuData data, Report report, long seed) {
    this.target = target;
    this.data = data;
    this.report = report;
    this.seed = seed;
  }

  /** Runs a query type so many times to warm up and so many times for its figures. */
  void query(String name, int runs) throws SQLException {
    var queries = new Queries(data, seed);
    try (Connection connection = target.connect();
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < runs; i++) {
        rows(statement, queries.sql(name, i));
      }
      var latencies = new double[runs];
      long rows = 0;
      for (int i = 0; i < runs; i++) {
        String sql = queries.sql(name, i);
        long start = System.nanoTime();
        rows += rows(statement, sql);
        latencies[i] = milliseconds(start);
      }
      if (name.equals("lastpoint") && rows != (long) runs * data.hosts()) {
        report.failed(name, rows + " rows in " + runs + " runs over " + data.hosts() + " hosts");
        return;
      }
      report.latencies(name, latencies, rows);
    }
  }

  private static long rows(Statement statement, String sql) throws SQLException {
    long rows = 0;
    try (ResultSet result = statement.executeQuery(sql)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        result.getString(columns);
        rows++;
      }
    }
    return rows;
  }

  /** Looks rows up for some seconds on so many connections at once and checks each of them. */
  void points(String name, int connections, double seconds)
      throws SQLException, InterruptedException {
    try (var pool = Executors.newFixedThreadPool(connections)) {
      long end = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
      var running = new ArrayList<Future<double[]>>();
      for (int c = 0; c < connections; c++) {
        var random = new SplittableRandom(seed + c);
        running.add(pool.submit(() -> lookUp(random, end)));
      }
      var all = new ArrayList<double[]>();
      for (Future<double[]> one : running) {
        all.add(one.get());
      }
      double[] latencies = all.stream().flatMapToDouble(Arrays::stream).toArray();
      report.latencies(name, latencies, latencies.length, seconds);
    } catch (ExecutionException e) {
      throw new SQLException(e.getCause());
    }
  }

  private double[] lookUp(SplittableRandom random, long end) throws SQLException {
    var latencies = new double[1024];
    int count = 0;
    try (Connection connection = target.connect("prepareThreshold=1");
        PreparedStatement statement = connection.prepareStatement(POINT)) {
      while (System.nanoTime() < end) {
        int host = random.nextInt(data.hosts());
        int step = random.nextInt(data.steps());
        long start = System.nanoTime();
        statement.setString(1, "host_" + host);
        statement.setObject(2, data.time(step));
        try (ResultSet row = statement.executeQuery()) {
          if (!row.next() || row.getDouble(2) != data.value(step, host, 0) || row.next()) {
            throw new SQLException("wrong answer for host_" + host + " at " + data.time(step));
          }
        }
        if (count == latencies.length) {
          latencies = Arrays.copyOf(latencies, count * 2);
        }
        latencies[count++] = milliseconds(start);
      }
    }
    return Arrays.copyOf(latencies, count);
  }

  static double milliseconds(long since) {
    return (System.nanoTime() - since) / 1e6;
  }
}
