package io.millrace.sqlness;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Runs a case's statements one after the other on one connection and writes the result text: the
 * comments and the statement as they stand in the file, an empty line, the outcome, an empty line.
 *
 * <p>Directives: {@code SORT_RESULT [first last]}, {@code REPLACE regex [replacement]}, {@code
 * SLEEP 1s}, {@code ARG restart=true}, {@code PROTOCOL POSTGRES | HTTP} (every protocol but
 * Postgres is an error).
 */
final class CaseRunner {
  private static final Pattern SLEEP = Pattern.compile("(\\d+)(ms|s)");
  private final Server server;
  private @Nullable Connection connection;

  CaseRunner(Server server) {
    this.server = server;
  }

  String run(CaseFile file) throws IOException, InterruptedException, SQLException {
    var out = new StringBuilder();
    try {
      for (CaseFile.Part part : file.parts()) {
        part.comments().forEach(c -> out.append(c).append('\n'));
        part.sql().forEach(l -> out.append(l).append('\n'));
        out.append('\n').append(outcome(part)).append("\n\n");
      }
      file.trailing().forEach(c -> out.append(c).append('\n'));
    } finally {
      disconnect();
    }
    return out.toString();
  }

  private void disconnect() throws SQLException {
    Connection c = connection;
    connection = null;
    if (c != null) {
      c.close();
    }
  }

  private Connection connect() throws SQLException {
    Connection c = connection;
    if (c == null) {
      c =
          DriverManager.getConnection(
              "jdbc:postgresql://"
                  + server.host()
                  + ":"
                  + server.port()
                  + "/millrace?user=millrace&preferQueryMode=simple&ApplicationName=sqlness");
      connection = c;
    }
    return c;
  }

  private String outcome(CaseFile.Part part)
      throws IOException, InterruptedException, SQLException {
    List<String> sort = null;
    var replacements = new ArrayList<String[]>();
    for (String d : part.directives()) {
      String[] words = d.split("\\s+", 2);
      String rest = words.length > 1 ? words[1] : "";
      switch (words[0]) {
        case "SORT_RESULT" -> sort = rest.isBlank() ? List.of() : List.of(rest.split("\\s+"));
        case "REPLACE" -> replacements.add(replacement(rest));
        case "SLEEP" -> sleep(rest);
        case "ARG" -> {
          if (rest.strip().equals("restart=true")) {
            disconnect();
            server.restart();
          } else {
            throw new IOException("unknown argument in \"" + d + "\"");
          }
        }
        case "PROTOCOL" -> {
          if (!rest.strip().equalsIgnoreCase("postgres")) {
            throw new IOException("only PROTOCOL POSTGRES is spoken here: \"" + d + "\"");
          }
        }
        default -> throw new IOException("unknown directive \"" + d + "\"");
      }
    }
    String text = execute(part.text(), sort);
    for (String[] r : replacements) {
      text = Pattern.compile(r[0]).matcher(text).replaceAll(r[1]);
    }
    return text;
  }

  private static String[] replacement(String rest) {
    int space = rest.lastIndexOf(' ');
    return space < 0
        ? new String[] {rest, ""}
        : new String[] {rest.substring(0, space), rest.substring(space + 1)};
  }

  private static void sleep(String text) throws IOException, InterruptedException {
    var m = SLEEP.matcher(text.strip());
    if (!m.matches()) {
      throw new IOException("not a time: \"" + text + "\"");
    }
    long n = Long.parseLong(m.group(1));
    (m.group(2).equals("s") ? TimeUnit.SECONDS : TimeUnit.MILLISECONDS).sleep(n);
  }

  private String execute(String sql, @Nullable List<String> sort) throws SQLException {
    try (Statement s = connect().createStatement()) {
      s.setEscapeProcessing(false);
      boolean rows = s.execute(sql);
      if (!rows) {
        return "Affected Rows: " + Math.max(0, s.getUpdateCount());
      }
      Table t = read(s.getResultSet());
      if (sort != null) {
        int first = sort.isEmpty() ? 0 : Integer.parseInt(sort.getFirst());
        int last = sort.size() < 2 ? 0 : Integer.parseInt(sort.get(1));
        t = t.sorted(first, last);
      }
      return t.draw();
    } catch (PSQLException e) {
      ServerErrorMessage m = e.getServerErrorMessage();
      if (m == null) {
        throw e;
      }
      var out = new StringBuilder("Error: " + m.getSQLState() + ", " + m.getMessage());
      if (m.getPosition() > 0) {
        out.append(" (at ").append(m.getPosition()).append(')');
      }
      if (m.getDetail() != null) {
        out.append("\nDetail: ").append(m.getDetail());
      }
      if (m.getHint() != null) {
        out.append("\nHint: ").append(m.getHint());
      }
      return out.toString();
    }
  }

  private static Table read(ResultSet r) throws SQLException {
    int n = r.getMetaData().getColumnCount();
    var names = new ArrayList<String>();
    for (int i = 1; i <= n; i++) {
      names.add(r.getMetaData().getColumnLabel(i));
    }
    var rows = new ArrayList<List<@Nullable String>>();
    while (r.next()) {
      var row = new ArrayList<@Nullable String>();
      for (int i = 1; i <= n; i++) {
        row.add(r.getString(i));
      }
      rows.add(row);
    }
    return new Table(names, rows);
  }
}
