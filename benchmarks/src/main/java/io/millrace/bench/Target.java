package io.millrace.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** The server that is measured. */
record Target(String host, int port) {
  Connection connect(String... options) throws SQLException {
    var url =
        new StringBuilder("jdbc:postgresql://" + host + ":" + port + "/millrace?user=millrace");
    for (String option : options) {
      url.append('&').append(option);
    }
    return DriverManager.getConnection(url.toString());
  }

  static void run(Connection connection, String sql) throws SQLException {
    try (Statement s = connection.createStatement()) {
      s.execute(sql);
    }
  }

  static long number(Connection connection, String sql) throws SQLException {
    try (Statement s = connection.createStatement();
        var r = s.executeQuery(sql)) {
      if (!r.next()) {
        throw new SQLException("no row: " + sql);
      }
      return r.getLong(1);
    }
  }
}
