package io.millrace.server.cli;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/** Draws rows as psql does: a centred heading, numbers to the right, a row count below. */
final class TextTable {
  private final String[] names;
  private final boolean[] right;
  private final List<String[]> rows = new ArrayList<>();

  private TextTable(String[] names, boolean[] right) {
    this.names = names;
    this.right = right;
  }

  /** Reads what is left of a result. */
  static TextTable of(ResultSet result) throws SQLException {
    ResultSetMetaData columns = result.getMetaData();
    int count = columns.getColumnCount();
    var names = new String[count];
    var right = new boolean[count];
    for (int i = 0; i < count; i++) {
      names[i] = columns.getColumnLabel(i + 1);
      right[i] =
          switch (columns.getColumnType(i + 1)) {
            case Types.SMALLINT,
                Types.INTEGER,
                Types.BIGINT,
                Types.REAL,
                Types.FLOAT,
                Types.DOUBLE,
                Types.NUMERIC,
                Types.DECIMAL ->
                true;
            default -> false;
          };
    }
    var table = new TextTable(names, right);
    while (result.next()) {
      var row = new String[count];
      for (int i = 0; i < count; i++) {
        String value = result.getString(i + 1);
        row[i] = value == null ? "" : value;
      }
      table.rows.add(row);
    }
    return table;
  }

  int rowCount() {
    return rows.size();
  }

  String cell(int row, String name) {
    for (int i = 0; i < names.length; i++) {
      if (names[i].equals(name)) {
        return rows.get(row)[i];
      }
    }
    throw new IllegalArgumentException("no column " + name);
  }

  String draw() {
    var widths = new int[names.length];
    for (int i = 0; i < names.length; i++) {
      widths[i] = names[i].length();
      for (String[] row : rows) {
        for (String line : row[i].split("\n", -1)) {
          widths[i] = Math.max(widths[i], line.length());
        }
      }
    }
    var out = new StringBuilder();
    for (int i = 0; i < names.length; i++) {
      int space = widths[i] - names[i].length();
      out.append(i == 0 ? " " : "| ").append(" ".repeat(space / 2)).append(names[i]);
      out.append(" ".repeat(space - space / 2 + 1));
    }
    endLine(out);
    for (int i = 0; i < names.length; i++) {
      out.append(i == 0 ? "-" : "+-").append("-".repeat(widths[i] + 1));
    }
    endLine(out);
    for (String[] row : rows) {
      drawRow(row, widths, out);
    }
    out.append('(').append(rows.size()).append(rows.size() == 1 ? " row)\n" : " rows)\n");
    return out.toString();
  }

  private void drawRow(String[] row, int[] widths, StringBuilder out) {
    var cells = new String[row.length][];
    int height = 1;
    for (int i = 0; i < row.length; i++) {
      cells[i] = row[i].split("\n", -1);
      height = Math.max(height, cells[i].length);
    }
    for (int line = 0; line < height; line++) {
      for (int i = 0; i < row.length; i++) {
        String text = line < cells[i].length ? cells[i][line] : "";
        String pad = " ".repeat(widths[i] - text.length());
        out.append(i == 0 ? " " : "| ").append(right[i] ? pad + text : text + pad).append(' ');
      }
      endLine(out);
    }
  }

  private static void endLine(StringBuilder out) {
    int end = out.length();
    while (end > 0 && out.charAt(end - 1) == ' ') {
      end--;
    }
    out.setLength(end);
    out.append('\n');
  }
}
