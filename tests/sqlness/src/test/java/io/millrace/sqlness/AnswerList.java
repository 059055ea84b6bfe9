package io.millrace.sqlness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A list of statements with the answers of PostgreSQL 15. A line is the statement (an expression
 * counts as SELECT of it), a tab and the answer; {@code #} starts a comment, {@code @} a statement
 * that prepares the session and is not compared. The answer is the types, a tab and the rows
 * (columns parted by {@code " | "}, rows by {@code " ; "}, {@code \N} for NULL), or {@code
 * !SQLSTATE@position message}, a tab and the hint if there is one.
 *
 * <p>The answers were taken by {@link #main} from PostgreSQL 15.18 (Debian) with {@code initdb -E
 * UTF8 --locale=C.UTF-8}, all other settings as they come, in a fresh database.
 */
final class AnswerList {
  private static final List<String> QUERIES = List.of("SELECT", "WITH", "VALUES", "TABLE");

  record Line(String text, @Nullable String answer) {
    boolean prepares() {
      return text.startsWith("@");
    }

    String directive() {
      return text.substring(1).strip();
    }
  }

  private AnswerList() {}

  static List<Line> read(Path file) throws IOException {
    var out = new ArrayList<Line>();
    for (String line : Files.readAllLines(file)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        int tab = line.indexOf('\t');
        boolean bare = tab < 0 || line.startsWith("@");
        out.add(
            bare
                ? new Line(line, null)
                : new Line(line.substring(0, tab), line.substring(tab + 1)));
      }
    }
    return out;
  }

  /** The list's statement as it is sent. */
  static String statement(String text, boolean expressions) {
    String sql = text.replace("\\n", "\n");
    String first = sql.strip().split("[\\s(]", 2)[0];
    return !expressions || QUERIES.contains(first) ? sql : "SELECT " + sql;
  }

  /** Asks one server after the other statement of a list, and writes the answers in its form. */
  static final class Asker implements AutoCloseable {
    private final Wire wire;
    private final Map<String, String> types = new HashMap<>();

    Asker(Wire wire) {
      this.wire = wire;
    }

    void prepare(String directive) throws IOException {
      Wire.Reply reply = wire.query(directive);
      if (!reply.error().isEmpty()) {
        throw new IOException(directive + ": " + reply.error().get('M'));
      }
    }

    String ask(String sql) throws IOException {
      Wire.Reply reply = wire.query(sql);
      Map<Character, String> e = reply.error();
      if (!e.isEmpty()) {
        String error = "!" + e.get('C') + "@" + e.getOrDefault('P', "") + " " + escape(e.get('M'));
        return e.containsKey('H') ? error + "\t" + escape(e.get('H')) : error;
      }
      var names = new ArrayList<String>();
      for (Wire.Column c : reply.columns()) {
        names.add(type(c));
      }
      String rows =
          reply.rows().stream()
              .map(r -> r.stream().map(AnswerList::escape).collect(Collectors.joining(" | ")))
              .collect(Collectors.joining(" ; "));
      return String.join(",", names) + "\t" + rows;
    }

    @Override
    public void close() throws IOException {
      wire.close();
    }

    private String type(Wire.Column c) throws IOException {
      String key = Integer.toUnsignedString(c.oid()) + "," + c.typmod();
      String known = types.get(key);
      if (known == null) {
        known = wire.query("SELECT format_type(" + key + ")").rows().getFirst().getFirst();
        types.put(key, String.valueOf(known));
      }
      return String.valueOf(known);
    }
  }

  private static String escape(@Nullable String s) {
    return s == null
        ? "\\N"
        : s.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r");
  }

  /**
   * Writes a list's answers anew: file, {@code expressions} or {@code statements}, host, port, user
   * and database of a PostgreSQL server.
   */
  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[0]);
    boolean expressions = args[1].equals("expressions");
    var out = new ArrayList<String>();
    try (var wire = new Wire(args[2], Integer.parseInt(args[3]), args[4], args[5])) {
      var asker = new Asker(wire);
      for (String line : Files.readAllLines(file)) {
        if (line.isBlank() || line.startsWith("#")) {
          out.add(line);
        } else if (line.startsWith("@")) {
          asker.prepare(line.substring(1).strip());
          out.add(line);
        } else {
          String text = line.split("\t", 2)[0];
          out.add(text + "\t" + asker.ask(statement(text, expressions)));
        }
      }
    }
    Files.write(file, out);
  }
}
