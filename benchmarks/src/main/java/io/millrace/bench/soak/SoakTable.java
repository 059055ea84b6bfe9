package io.millrace.bench.soak;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/**
 * A table with one writer that knows what must be in it: a value or nothing per key. A statement
 * whose answer never came leaves two possible contents; the next look settles which one it was.
 *
 * <p>Thread: one writer at a time.
 */
final class SoakTable {
  private static final int HOSTS = 20;
  private static final int SLOTS = 2_000;
  private static final int RUN = 200;
  private static final long ABSENT = Long.MIN_VALUE;

  private final Kind kind;
  private final String name;
  private final long[] values = new long[HOSTS * SLOTS];
  private long appended;
  private long appendedSum;
  private boolean doubtful;
  private Change last = new Change(Act.PUT, 0, 0, 0);

  /** How the table treats two rows of one key. */
  enum Kind {
    LAST_ROW("PRIMARY KEY (host)) WITH (merge_mode = 'last_row')"),
    LAST_NON_NULL("PRIMARY KEY (host)) WITH (merge_mode = 'last_non_null')"),
    APPEND("PRIMARY KEY (host)) WITH (append_mode = 'true')"),
    UNIQUE("PRIMARY KEY (host, ts))");

    private final String tail;

    Kind(String tail) {
      this.tail = tail;
    }
  }

  private enum Act {
    PUT,
    DELETE,
    UPDATE,
    TRUNCATE
  }

  /** What a statement does to the keys of a run of slots of one host. */
  private record Change(Act act, int host, int slot, long value) {}

  SoakTable(int number) {
    this.kind = Kind.values()[number % Kind.values().length];
    this.name = "soak_" + number;
    java.util.Arrays.fill(values, ABSENT);
  }

  String name() {
    return name;
  }

  void create(Connection c) throws SQLException {
    String time = kind == Kind.UNIQUE ? "" : " TIME INDEX";
    try (Statement s = c.createStatement()) {
      s.execute(
          "CREATE TABLE "
              + name
              + " (host TEXT NOT NULL, ts TIMESTAMP(3) NOT NULL"
              + time
              + ", v BIGINT, note TEXT, "
              + kind.tail);
    }
  }

  /** One statement; returns the rows it touched. */
  int step(Connection c, Random random, long stamp) throws SQLException {
    Change change = choose(random, stamp);
    last = change;
    doubtful = true;
    try (Statement s = c.createStatement()) {
      s.execute(sql(change));
    }
    apply(change);
    doubtful = false;
    return RUN;
  }

  private Change choose(Random random, long stamp) {
    int host = random.nextInt(HOSTS);
    int slot = random.nextInt(SLOTS - RUN + 1);
    int dice = random.nextInt(10);
    if (kind == Kind.APPEND) {
      return new Change(appended > 200_000 ? Act.TRUNCATE : Act.PUT, host, slot, stamp);
    }
    Act act = dice < 7 ? Act.PUT : dice < 9 ? Act.UPDATE : Act.DELETE;
    return new Change(act, host, slot, stamp);
  }

  private String sql(Change change) {
    String where =
        " WHERE host = 'h%d' AND ts >= %s AND ts < %s"
            .formatted(change.host, time(change.slot), time(change.slot + RUN));
    return switch (change.act) {
      case PUT -> insert(change);
      case DELETE -> "DELETE FROM " + name + where;
      case UPDATE -> "UPDATE " + name + " SET v = v + 1" + where;
      case TRUNCATE -> "TRUNCATE " + name;
    };
  }

  private String insert(Change change) {
    var sql = new StringBuilder(RUN * 60).append("INSERT INTO ").append(name).append(" VALUES ");
    for (int i = 0; i < RUN; i++) {
      sql.append(i == 0 ? "('h" : ", ('h").append(change.host).append("', ");
      sql.append(time(change.slot + i)).append(", ").append(change.value);
      sql.append(", 'note of ").append(change.value % 1000).append("')");
    }
    if (kind == Kind.UNIQUE) {
      sql.append(" ON CONFLICT (host, ts) DO UPDATE SET v = excluded.v, note = excluded.note");
    }
    return sql.toString();
  }

  private static String time(int slot) {
    return "TIMESTAMP '2026-01-01 00:00:00' + INTERVAL '" + slot * 10 + " seconds'";
  }

  private void apply(Change change) {
    if (change.act == Act.TRUNCATE) {
      appended = 0;
      appendedSum = 0;
      return;
    }
    if (kind == Kind.APPEND) {
      appended += RUN;
      appendedSum += RUN * change.value;
      return;
    }
    for (int i = 0; i < RUN; i++) {
      int at = change.host * SLOTS + change.slot + i;
      values[at] =
          switch (change.act) {
            case PUT -> change.value;
            case UPDATE -> values[at] == ABSENT ? ABSENT : values[at] + 1;
            default -> ABSENT;
          };
    }
  }

  /** What is wrong with the table, or an empty text. Settles a statement without answer. */
  String check(Connection c) throws SQLException {
    try (Statement s = c.createStatement();
        ResultSet r =
            s.executeQuery(
                "SELECT count(*), coalesce(sum(v), 0), count(DISTINCT (host, ts)) FROM " + name)) {
      r.next();
      long rows = r.getLong(1);
      long sum = r.getLong(2);
      if (kind != Kind.APPEND && r.getLong(3) != rows) {
        return name + ": " + rows + " rows of only " + r.getLong(3) + " keys";
      }
      if (matches(rows, sum)) {
        doubtful = false;
        return "";
      }
      String before = expected();
      if (doubtful) {
        apply(last);
        doubtful = false;
        if (matches(rows, sum)) {
          return "";
        }
        before += " or " + expected();
      }
      return "%s (%s): %d rows with sum %d are there, must be %s"
          .formatted(name, kind, rows, sum, before);
    }
  }

  private boolean matches(long rows, long sum) {
    return rows == rows() && sum == sum();
  }

  private String expected() {
    return rows() + " rows with sum " + sum();
  }

  private long rows() {
    long n = appended;
    for (long v : values) {
      n += v == ABSENT ? 0 : 1;
    }
    return n;
  }

  private long sum() {
    long n = appendedSum;
    for (long v : values) {
      n += v == ABSENT ? 0 : v;
    }
    return n;
  }
}
