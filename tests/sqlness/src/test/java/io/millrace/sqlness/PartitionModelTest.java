package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table in several regions does what the same table in one region does. */
class PartitionModelTest {
  private static final int STEPS = 120;

  /** Kinds of tables: their columns, and what an INSERT may do about keys. */
  private enum Kind {
    KEYLESS("a INT, b INT, c TEXT", "a, b", ""),
    KEY("a INT, b INT, c TEXT, PRIMARY KEY (a, b)", "a, b", " ON CONFLICT (a, b) "),
    UNIQUE("a INT, b INT UNIQUE, c TEXT", "a, b", " ON CONFLICT (b) "),
    TIME(
        "a INT, b INT, c TEXT, ts TIMESTAMP DEFAULT '2024-01-01' TIME INDEX, PRIMARY KEY (a, b)",
        "a, b",
        "");

    final String columns;
    final String partitionColumns;
    final String conflict;

    Kind(String columns, String partitionColumns, String conflict) {
      this.columns = columns;
      this.partitionColumns = partitionColumns;
      this.conflict = conflict;
    }
  }

  /** Rules of which each can be made the next by the statement of the next. */
  private static final List<String> RULES =
      List.of("a < 4", "a >= 4 AND b < 5", "a >= 4 AND b >= 5");

  @TempDir Path scratch;

  private final List<String> log = new ArrayList<>();

  private static String condition(SplittableRandom random) {
    return switch (random.nextInt(7)) {
      case 0 -> "a = " + random.nextInt(9);
      case 1 -> "a < " + random.nextInt(9);
      case 2 -> "b >= " + random.nextInt(9);
      case 3 -> "a IN (" + random.nextInt(9) + ", " + random.nextInt(9) + ")";
      case 4 -> "a >= 4 AND b < " + random.nextInt(9);
      case 5 -> "a BETWEEN 2 AND 5";
      default -> "b = " + random.nextInt(9) + " OR a = " + random.nextInt(9);
    };
  }

  private static String rows(SplittableRandom random, Kind kind) {
    return IntStream.rangeClosed(0, random.nextInt(4))
        .mapToObj(
            i ->
                "("
                    + (kind == Kind.KEYLESS && random.nextInt(8) == 0 ? "NULL" : random.nextInt(9))
                    + ", "
                    + random.nextInt(kind == Kind.UNIQUE ? 40 : 9)
                    + ", '"
                    + (char) ('a' + random.nextInt(26))
                    + "')")
        .collect(Collectors.joining(", "));
  }

  /** A statement over the table {@code #}. */
  private static String statement(SplittableRandom random, Kind kind) {
    String insert = "INSERT INTO # (a, b, c) VALUES " + rows(random, kind);
    return switch (random.nextInt(24)) {
      case 0, 1, 2 -> "DELETE FROM # WHERE " + condition(random);
      case 3, 4 -> "UPDATE # SET c = c || 'x' WHERE " + condition(random);
      case 5 -> "UPDATE # SET a = a + 3 WHERE " + condition(random);
      case 6 -> "UPDATE # SET a = 8 - a, c = upper(c) WHERE " + condition(random);
      case 7 -> kind.conflict.isEmpty() ? insert : insert + kind.conflict + "DO NOTHING";
      case 8, 9 ->
          kind.conflict.isEmpty()
              ? insert
              : insert + kind.conflict + "DO UPDATE SET c = excluded.c || #.c, a = excluded.a";
      case 10 -> kind == Kind.KEY ? insert.replace("INSERT", "REPLACE") : insert;
      case 11 -> "BEGIN";
      case 12 -> "COMMIT";
      case 13 -> "ROLLBACK";
      case 14 -> "SAVEPOINT s";
      case 15 -> "ROLLBACK TO s";
      case 16 -> "ADMIN flush_table('#')";
      case 17 -> "ADMIN compact_table('#')";
      case 18 ->
          random.nextInt(4) == 0
              ? "TRUNCATE #"
              : "INSERT INTO # (a, b, c) SELECT a + 1, b + 20, c FROM # WHERE " + condition(random);
      default -> insert;
    };
  }

  private static String query(SplittableRandom random, Kind kind) {
    String order = kind == Kind.TIME ? " ORDER BY a, b, ts LIMIT 5" : " ORDER BY a, b, c LIMIT 5";
    return switch (random.nextInt(5)) {
      case 0 -> "SELECT a, b, c FROM # WHERE " + condition(random) + " ORDER BY a, b, c";
      case 1 -> "SELECT count(*), sum(a), max(b) FROM # WHERE " + condition(random);
      case 2 -> "SELECT a, count(*), min(c) FROM # GROUP BY a ORDER BY a";
      case 3 -> "SELECT a, b, c FROM #" + order;
      default -> "SELECT a, b, c FROM # ORDER BY a, b, c";
    };
  }

  /** What a statement does, as text: rows, or their number, or the error. */
  private static String outcome(Statement s, String sql) {
    try {
      if (!s.execute(sql)) {
        return s.getUpdateCount() + " rows";
      }
      var out = new StringBuilder();
      try (ResultSet r = s.getResultSet()) {
        while (r.next()) {
          for (int c = 1; c <= r.getMetaData().getColumnCount(); c++) {
            out.append(r.getString(c)).append('|');
          }
          out.append('\n');
        }
      }
      return out.toString();
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }

  private void both(Statement one, Statement many, String sql, String why) {
    String expected = outcome(one, sql.replace("#", "one"));
    String got = outcome(many, sql.replace("#", "many"));
    if (!sql.startsWith("ADMIN")) {
      assertThat(got).as("%s: %s after %s", why, sql, log).isEqualTo(expected);
    }
    log.add(sql);
    if (got.equals("25P02")) {
      both(one, many, "ROLLBACK", why);
    }
  }

  private void run(Server server, Kind kind, SplittableRandom random, String why)
      throws SQLException {
    log.clear();
    String url =
        "jdbc:postgresql://" + server.host() + ":" + server.port() + "/millrace?user=millrace";
    try (Connection c = DriverManager.getConnection(url);
        Connection d = DriverManager.getConnection(url);
        var one = c.createStatement();
        var many = d.createStatement()) {
      one.execute("CREATE TABLE one (" + kind.columns + ")");
      many.execute(
          "CREATE TABLE many ("
              + kind.columns
              + ") PARTITION ON COLUMNS ("
              + kind.partitionColumns
              + ") ("
              + String.join(", ", RULES)
              + ")");
      for (int i = 0; i < STEPS; i++) {
        both(one, many, statement(random, kind), why);
        both(one, many, query(random, kind), why);
        if (i == STEPS / 2) {
          both(one, many, "ROLLBACK", why);
          many.execute("ALTER TABLE many SPLIT PARTITION (a < 4) INTO (a < 2, a >= 2 AND a < 4)");
          many.execute(
              "ALTER TABLE many MERGE PARTITION (a < 2, "
                  + String.join(", ", RULES.subList(1, 3))
                  + ")");
          log.add("other partitions");
        }
      }
      both(one, many, "COMMIT", why);
      both(one, many, "SELECT a, b, c FROM # ORDER BY a, b, c", why);
      one.execute("DROP TABLE one, many");
    }
  }

  @Test
  void statementsOverSeveralRegionsDoWhatTheyDoOverOne() throws Exception {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var random = new SplittableRandom(seed);
    List<String> classpath =
        List.of(
            System.getProperty("java.class.path").split(System.getProperty("path.separator"), -1));
    try (var server = new Server.Child(scratch.resolve("data"), classpath)) {
      for (Kind kind : Kind.values()) {
        run(server, kind, random, "seed " + seed + ", " + kind);
      }
    }
  }
}
