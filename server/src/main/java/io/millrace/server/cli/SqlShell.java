package io.millrace.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A small SQL prompt over JDBC for machines without psql: statements, results as tables, history,
 * Ctrl-C to cancel.
 */
@Command(
    name = "millrace sql",
    mixinStandardHelpOptions = true,
    description = "A SQL prompt on a Millrace server.")
public final class SqlShell implements Callable<Integer> {
  private static final String HELP =
      """
      A statement ends with a semicolon and may take several lines. Ctrl-C cancels what runs, Ctrl-D ends.
        \\d, \\dt      tables
        \\d TABLE     columns of a table
        \\df          flows
        \\timing      show how long statements take, on and off
        \\?           this help
        \\q           end
      """;

  @Option(names = "--host", defaultValue = "127.0.0.1", description = "the server's address")
  String host = "127.0.0.1";

  @Option(
      names = "--port",
      defaultValue = "4003",
      description = "the port of the PostgreSQL protocol")
  int port = 4003;

  @Option(
      names = {"-U", "--user"},
      defaultValue = "millrace")
  String user = "millrace";

  @Option(
      names = {"-d", "--database"},
      defaultValue = "millrace")
  String database = "millrace";

  @Option(names = "-c", description = "run these statements and end")
  @Nullable String command;

  @Option(names = "-f", description = "run the statements of this file and end")
  @Nullable Path file;

  private PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
  private boolean timing;

  public static void main(String[] args) {
    System.exit(new CommandLine(new SqlShell()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    var properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("ApplicationName", "millrace sql");
    properties.setProperty("preferQueryMode", "simple");
    String url = "jdbc:postgresql://" + host + ":" + port + "/" + database;
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      if (command != null) {
        return runAll(connection, command);
      }
      if (file != null) {
        return runAll(connection, Files.readString(file));
      }
      return prompt(connection);
    } catch (SQLException e) {
      System.err.println(describe(e));
      return 2;
    }
  }

  private int runAll(Connection connection, String text) {
    for (String statement : new StatementSplitter().add(text + "\n;")) {
      if (!run(connection, statement, null)) {
        return 1;
      }
    }
    return 0;
  }

  private int prompt(Connection connection) throws IOException, SQLException {
    try (Terminal terminal = TerminalBuilder.builder().system(true).dumb(true).build()) {
      out = terminal.writer();
      LineReader reader =
          LineReaderBuilder.builder()
              .terminal(terminal)
              .variable(
                  LineReader.HISTORY_FILE,
                  Path.of(System.getProperty("user.home"), ".millrace_history"))
              .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
              .build();
      out.println("Connected to " + host + ":" + port + ", \\? for help");
      var splitter = new StatementSplitter();
      while (true) {
        String line;
        try {
          line = reader.readLine(splitter.rest().isBlank() ? database + "=> " : database + "-> ");
        } catch (UserInterruptException e) {
          splitter.clear();
          continue;
        } catch (EndOfFileException e) {
          return 0;
        }
        if (splitter.rest().isBlank() && line.strip().startsWith("\\")) {
          splitter.clear();
          if (!meta(connection, line.strip(), terminal)) {
            return 0;
          }
          continue;
        }
        for (String statement : splitter.add(line + "\n")) {
          run(connection, statement, terminal);
        }
        if (connection.isClosed()) {
          out.println("The server closed the connection.");
          out.flush();
          return 2;
        }
      }
    }
  }

  /** A backslash command; false ends the shell. */
  private boolean meta(Connection connection, String line, Terminal terminal) {
    String[] words = line.split("\\s+", 2);
    String argument = words.length > 1 ? words[1].replace("'", "''").replace(";", "").strip() : "";
    String name = words[0].equals("\\d") && argument.isBlank() ? "\\dt" : words[0];
    switch (name) {
      case "\\q":
        return false;
      case "\\dt":
        run(
            connection,
            "SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE"
                + " table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY 1, 2",
            terminal);
        break;
      case "\\d":
        run(
            connection,
            "SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE"
                + " table_name = '"
                + argument
                + "' ORDER BY ordinal_position",
            terminal);
        break;
      case "\\df":
        run(connection, "SHOW FLOWS", terminal);
        break;
      case "\\timing":
        timing = !timing;
        out.println("Timing is " + (timing ? "on." : "off."));
        break;
      default:
        out.print(HELP);
        break;
    }
    out.flush();
    return true;
  }

  private boolean run(Connection connection, String text, @Nullable Terminal terminal) {
    long started = System.nanoTime();
    try (Statement statement = connection.createStatement()) {
      Terminal.@Nullable SignalHandler before =
          terminal == null ? null : terminal.handle(Terminal.Signal.INT, _ -> cancel(statement));
      try {
        boolean rows = statement.execute(text);
        show(statement, rows);
      } finally {
        if (terminal != null && before != null) {
          terminal.handle(Terminal.Signal.INT, before);
        }
      }
      return true;
    } catch (SQLException e) {
      if (terminal == null) {
        System.err.println(describe(e));
      } else {
        out.println(describe(e));
      }
      return false;
    } finally {
      if (timing) {
        out.printf("Time: %.3f ms%n", (System.nanoTime() - started) / 1e6);
      }
      out.flush();
    }
  }

  private void cancel(Statement statement) {
    try {
      statement.cancel();
    } catch (SQLException e) {
      out.println("cannot cancel: " + e.getMessage());
    }
  }

  private void show(Statement statement, boolean firstIsRows) throws SQLException {
    boolean rows = firstIsRows;
    for (SQLWarning warning = statement.getWarnings();
        warning != null;
        warning = warning.getNextWarning()) {
      out.println("NOTICE:  " + warning.getMessage());
    }
    while (true) {
      if (rows) {
        try (ResultSet result = statement.getResultSet()) {
          out.println(TextTable.of(result).draw());
        }
      } else {
        int count = statement.getUpdateCount();
        if (count < 0) {
          return;
        }
        out.println("OK, " + count + (count == 1 ? " row" : " rows"));
      }
      rows = statement.getMoreResults();
    }
  }

  private static String describe(SQLException e) {
    String state = e.getSQLState();
    return state == null
        ? String.valueOf(e.getMessage())
        : e.getMessage() + "\n  SQLSTATE " + state;
  }
}
