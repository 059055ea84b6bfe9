package io.millrace.server.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A year of hourly weather loaded over the wire into a table that two flows watch; shows what the
 * flows keep and checks it against known figures and against the same queries over the table
 * itself. May be run any number of times.
 */
@Command(
    name = "millrace demo",
    mixinStandardHelpOptions = true,
    description = "Weather, and two flows over it.")
public final class Demo implements Callable<Integer> {
  private static final int READINGS = 8_759;
  private static final int CHUNK = 16 << 10;

  private static final String DAILY =
      "SELECT date_bin(INTERVAL '1 day', ts) AS day, min(temperature) AS min_temp, max(temperature)"
          + " AS max_temp, avg(temperature) AS avg_temp, count(temperature) AS readings FROM"
          + " weather GROUP BY day";
  private static final String MONTHLY =
      "SELECT date_trunc('month', ts) AS month, min(temperature) AS min_temp, max(temperature) AS"
          + " max_temp, avg(temperature) AS avg_temp, count(temperature) AS readings FROM weather"
          + " GROUP BY month";

  @Option(names = "--host", defaultValue = "127.0.0.1")
  String host = "127.0.0.1";

  @Option(names = "--pg-port", defaultValue = "4003")
  int port = 4003;

  @Option(names = "--csv", required = true, description = "the weather file")
  @Nullable Path csv;

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final List<String> wrong = new ArrayList<>();

  public static void main(String[] args) {
    System.exit(new CommandLine(new Demo()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    Path file = csv;
    if (file == null || !Files.isReadable(file)) {
      System.err.println("millrace demo: cannot read " + file);
      return 1;
    }
    var properties = new Properties();
    properties.setProperty("user", "millrace");
    properties.setProperty("ApplicationName", "millrace demo");
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://" + host + ":" + port + "/millrace", properties);
        Statement statement = connection.createStatement()) {
      create(statement);
      load(connection, file);
      flush(statement, "weather_daily");
      flush(statement, "weather_monthly");
      show(statement);
      check(statement);
    } catch (SQLException e) {
      System.err.println(
          "millrace demo: " + e.getMessage() + " (SQLSTATE " + e.getSQLState() + ")");
      return 1;
    }
    if (!wrong.isEmpty()) {
      wrong.forEach(line -> System.err.println("WRONG: " + line));
      return 1;
    }
    out.println("All figures are right: the sinks equal the same queries over the table.");
    out.println();
    out.println("Go on with psql (or bin/millrace sql):");
    out.println("  psql -h " + host + " -p " + port + " -U millrace millrace");
    out.println("and, for instance, add a late reading and look at its day again:");
    out.println("  INSERT INTO weather VALUES ('2010-07-14 12:30:00', 1016.0, 35.5, 2.0);");
    out.println("  ADMIN FLUSH_FLOW('weather_daily');");
    out.println("  SELECT * FROM daily_weather WHERE day = '2010-07-14';");
    out.println("bin/millrace stop ends the server.");
    return 0;
  }

  private void create(Statement statement) throws SQLException {
    for (String flow : List.of("weather_daily", "weather_monthly")) {
      statement.execute("DROP FLOW IF EXISTS " + flow);
    }
    for (String table : List.of("daily_weather", "monthly_weather", "weather")) {
      statement.execute("DROP TABLE IF EXISTS " + table);
    }
    run(
        statement,
        "CREATE TABLE weather (ts TIMESTAMP TIME INDEX, pressure DOUBLE, temperature DOUBLE, wind"
            + " DOUBLE)");
    run(statement, "CREATE FLOW weather_daily SINK TO daily_weather AS " + DAILY);
    run(statement, "CREATE FLOW weather_monthly SINK TO monthly_weather AS " + MONTHLY);
  }

  private void run(Statement statement, String sql) throws SQLException {
    out.println("=> " + sql + ";");
    statement.execute(sql);
  }

  private void load(Connection connection, Path file) throws SQLException, IOException {
    String copy = "COPY weather FROM STDIN WITH (FORMAT csv, HEADER true)";
    out.println("=> " + copy + ";");
    byte[] text = Files.readAllBytes(file);
    var bar = new ProgressBar(out, text.length);
    long started = System.nanoTime();
    CopyIn target = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(copy);
    long rows;
    try {
      for (int at = 0; at < text.length; at += CHUNK) {
        int length = Math.min(CHUNK, text.length - at);
        target.writeToCopy(text, at, length);
        bar.at(at + length);
      }
      rows = target.endCopy();
    } finally {
      if (target.isActive()) {
        target.cancelCopy();
      }
    }
    bar.end();
    out.printf(Locale.ROOT, "%,d rows in %.0f ms%n", rows, (System.nanoTime() - started) / 1e6);
    expect("rows loaded", READINGS, rows);
  }

  private void flush(Statement statement, String flow) throws SQLException {
    long started = System.nanoTime();
    String sql = "ADMIN FLUSH_FLOW('" + flow + "')";
    out.println("=> " + sql + ";");
    statement.execute(sql);
    out.printf(Locale.ROOT, "up to date after %.0f ms%n", (System.nanoTime() - started) / 1e6);
  }

  private void show(Statement statement) throws SQLException {
    out.println();
    query(statement, "SELECT * FROM daily_weather ORDER BY day LIMIT 5");
    query(
        statement,
        "SELECT month, min_temp, max_temp, avg_temp, readings FROM monthly_weather ORDER BY month");
  }

  private void query(Statement statement, String sql) throws SQLException {
    out.println("=> " + sql + ";");
    try (ResultSet result = statement.executeQuery(sql)) {
      out.println(TextTable.of(result).draw());
    }
  }

  private void check(Statement statement) throws SQLException {
    long days = number(statement, "SELECT count(*) FROM daily_weather");
    long months = number(statement, "SELECT count(*) FROM monthly_weather");
    out.println("daily_weather has " + days + " rows, monthly_weather " + months + ".");
    expect("rows of daily_weather", 365, days);
    expect("rows of monthly_weather", 12, months);
    expect(
        "readings in daily_weather",
        READINGS,
        number(statement, "SELECT sum(readings) FROM daily_weather"));
    try (ResultSet july =
        statement.executeQuery(
            "SELECT readings, min_temp, max_temp, avg_temp FROM monthly_weather WHERE month ="
                + " '2010-07-01'")) {
      if (july.next()) {
        expect("readings of July", 744, july.getLong(1));
        expect("lowest temperature of July", "12.8", decimal(july.getDouble(2)));
        expect("highest temperature of July", "24.4", decimal(july.getDouble(3)));
        expect("mean temperature of July", "18.268011", decimal(july.getDouble(4)));
      } else {
        wrong.add("monthly_weather has no July");
      }
    }
    compare(statement, "day", "daily_weather", DAILY);
    compare(statement, "month", "monthly_weather", MONTHLY);
  }

  /** Every row of the sink against the flow's query run over the table now. */
  private void compare(Statement statement, String key, String sink, String query)
      throws SQLException {
    String columns = key + ", min_temp, max_temp, avg_temp, readings";
    List<String> kept = rows(statement, "SELECT " + columns + " FROM " + sink + " ORDER BY " + key);
    List<String> asked = rows(statement, query + " ORDER BY " + key);
    if (!kept.equals(asked)) {
      wrong.add(sink + " differs from its query over the table");
    }
  }

  private static List<String> rows(Statement statement, String sql) throws SQLException {
    var rows = new ArrayList<String>();
    try (ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows.add(
            result.getTimestamp(1)
                + " "
                + decimal(result.getDouble(2))
                + " "
                + decimal(result.getDouble(3))
                + " "
                + decimal(result.getDouble(4))
                + " "
                + result.getLong(5));
      }
    }
    return rows;
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  /** To six places, without closing zeros. */
  private static String decimal(double value) {
    return BigDecimal.valueOf(value)
        .setScale(6, RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }

  private void expect(String what, Object right, Object found) {
    if (!String.valueOf(right).equals(String.valueOf(found))) {
      wrong.add(what + ": " + found + " instead of " + right);
    }
  }
}
