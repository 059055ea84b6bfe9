package io.millrace.sqlness;

import java.util.ArrayList;
import java.util.List;

/**
 * A {@code .sql} file cut into statements. A statement ends with a semicolon at the end of a line;
 * comment lines before it belong to it, and those that begin with {@code -- SQLNESS} direct its
 * run.
 */
record CaseFile(List<Part> parts, List<String> trailing) {
  static final String DIRECTIVE = "-- SQLNESS ";

  /**
   * @param comments lines in front, directives among them
   * @param sql the statement's lines, semicolon included
   */
  record Part(List<String> comments, List<String> sql) {
    String text() {
      String joined = String.join("\n", sql).strip();
      return joined.endsWith(";") ? joined.substring(0, joined.length() - 1) : joined;
    }

    List<String> directives() {
      return comments.stream()
          .filter(c -> c.startsWith(DIRECTIVE))
          .map(c -> c.substring(DIRECTIVE.length()).strip())
          .toList();
    }
  }

  static CaseFile parse(String text) {
    var parts = new ArrayList<Part>();
    var comments = new ArrayList<String>();
    var sql = new ArrayList<String>();
    boolean dollar = false;
    for (String line : text.split("\n", -1)) {
      String t = line.strip();
      if (sql.isEmpty() && (t.isEmpty() || t.startsWith("--"))) {
        if (!t.isEmpty()) {
          comments.add(t);
        }
        continue;
      }
      sql.add(line.stripTrailing());
      if (count(line, "$$") % 2 == 1) {
        dollar = !dollar;
      }
      if (!dollar && t.endsWith(";")) {
        parts.add(new Part(List.copyOf(comments), List.copyOf(sql)));
        comments.clear();
        sql.clear();
      }
    }
    if (!sql.isEmpty()) {
      parts.add(new Part(List.copyOf(comments), List.copyOf(sql)));
      comments.clear();
    }
    return new CaseFile(List.copyOf(parts), List.copyOf(comments));
  }

  private static int count(String line, String what) {
    int n = 0;
    for (int i = line.indexOf(what); i >= 0; i = line.indexOf(what, i + what.length())) {
      n++;
    }
    return n;
  }
}
