package io.millrace.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Loads the data, by three ways that clients use: COPY in portions of some 10,000 rows, a JDBC
 * batch that pgjdbc rewrites into statements of many rows, and statements that the program itself
 * wrote for many rows. Each loads into a table made anew and is timed until the last commit is
 * acknowledged; afterwards every row must be there.
 */
final class Load {
  static final List<String> NAMES = List.of("load-insert-multi", "load-insert-batch", "load-copy");

  private static final int COPY_ROWS = 10_000;
  private static final int BATCH_ROWS = 1_000;
  private static final int WIDTH = 1 + CpuData.TAGS.size() + CpuData.METRICS.size();

  private final Target target;
  private final CpuData data;
  private final Report report;

  Load(Target target, CpuData data, Report report) {
    this.target = target;
    this.data = data;
    this.report = report;
  }

  void run(String name) throws SQLException, IOException {
    try (Connection admin = target.connect()) {
      createTable(admin);
      long start = System.nanoTime();
      switch (name) {
        case "load-copy" -> copy();
        case "load-insert-batch" -> insert(1);
        case "load-insert-multi" -> insert(BATCH_ROWS);
        default -> throw new IllegalArgumentException(name);
      }
      double seconds = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
      long there = Target.number(admin, "SELECT count(*) FROM cpu");
      if (there != data.rows()) {
        report.failed(name, there + " rows are there instead of " + data.rows());
        return;
      }
      report.rate(name, data.rows(), seconds);
    }
  }

  private static void createTable(Connection admin) throws SQLException {
    Target.run(admin, "DROP TABLE IF EXISTS cpu");
    var sql = new StringBuilder("CREATE TABLE cpu (ts TIMESTAMP(3) NOT NULL");
    CpuData.TAGS.forEach(t -> sql.append(", ").append(t).append(" TEXT"));
    CpuData.METRICS.forEach(m -> sql.append(", ").append(m).append(" DOUBLE PRECISION"));
    sql.append(", TIME INDEX (ts), PRIMARY KEY (").append(String.join(", ", CpuData.TAGS));
    Target.run(admin, sql.append("))").toString());
  }

  private void copy() throws SQLException, IOException {
    int portion = Math.max(1, COPY_ROWS / data.hosts());
    try (Connection connection = target.connect()) {
      var copies = connection.unwrap(PGConnection.class).getCopyAPI();
      for (int from = 0; from < data.steps(); from += portion) {
        CopyIn in = copies.copyIn("COPY cpu (" + CpuData.columns() + ") FROM STDIN");
        for (int s = from; s < Math.min(from + portion, data.steps()); s++) {
          byte[] lines = data.copyLines(s);
          in.writeToCopy(lines, 0, lines.length);
        }
        in.endCopy();
      }
    }
  }

  /** Statements of so many rows; a commit every BATCH_ROWS rows. */
  private void insert(int tuples) throws SQLException {
    try (Connection connection =
        target.connect("reWriteBatchedInserts=true", "prepareThreshold=1")) {
      connection.setAutoCommit(false);
      long rest = data.rows() % tuples;
      try (PreparedStatement statement = connection.prepareStatement(insertSql(tuples))) {
        insertRows(connection, statement, 0, data.rows() - rest, tuples);
      }
      if (rest > 0) {
        try (PreparedStatement statement = connection.prepareStatement(insertSql(1))) {
          insertRows(connection, statement, data.rows() - rest, data.rows(), 1);
        }
      }
    }
  }

  private void insertRows(
      Connection connection, PreparedStatement statement, long from, long to, int tuples)
      throws SQLException {
    for (long row = from; row < to; row += tuples) {
      for (int i = 0; i < tuples; i++) {
        bind(statement, i * WIDTH, row + i);
      }
      statement.addBatch();
      if ((row + tuples - from) % BATCH_ROWS == 0 || row + tuples >= to) {
        statement.executeBatch();
        connection.commit();
      }
    }
  }

  private void bind(PreparedStatement statement, int offset, long row) throws SQLException {
    int step = (int) (row / data.hosts());
    int host = (int) (row % data.hosts());
    int at = offset;
    statement.setObject(++at, data.time(step));
    for (String tag : data.tags(host)) {
      statement.setString(++at, tag);
    }
    for (int m = 0; m < CpuData.METRICS.size(); m++) {
      statement.setDouble(++at, data.value(step, host, m));
    }
  }

  private static String insertSql(int tuples) {
    String tuple = "(" + String.join(", ", Collections.nCopies(WIDTH, "?")) + ")";
    return "INSERT INTO cpu (%s) VALUES %s"
        .formatted(CpuData.columns(), String.join(", ", Collections.nCopies(tuples, tuple)));
  }
}
