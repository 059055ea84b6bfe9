package io.millrace.sqlness;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A result drawn with lines of + - and |. NULL is an empty cell. */
record Table(List<String> names, List<List<@Nullable String>> rows) {
  /** A table with some of its rows' order taken away, for results without one. */
  Table sorted(int keepFirst, int keepLast) {
    int from = Math.min(keepFirst, rows.size());
    int to = Math.max(from, rows.size() - keepLast);
    var out = new ArrayList<List<@Nullable String>>(rows.subList(0, from));
    var middle = new ArrayList<>(rows.subList(from, to));
    middle.sort((a, b) -> String.valueOf(a).compareTo(String.valueOf(b)));
    out.addAll(middle);
    out.addAll(rows.subList(to, rows.size()));
    return new Table(names, out);
  }

  String draw() {
    int n = names.size();
    if (n == 0) {
      return "++\n++";
    }
    int[] widths = new int[n];
    for (int i = 0; i < n; i++) {
      widths[i] = width(names.get(i));
    }
    for (List<@Nullable String> r : rows) {
      for (int i = 0; i < n; i++) {
        for (String line : cell(r.get(i)).split("\n", -1)) {
          widths[i] = Math.max(widths[i], width(line));
        }
      }
    }
    var rule = new StringBuilder("+");
    for (int w : widths) {
      rule.append("-".repeat(w + 2)).append('+');
    }
    var out = new StringBuilder().append(rule).append('\n');
    line(out, names, widths);
    out.append(rule).append('\n');
    if (rows.isEmpty()) {
      return out.toString().stripTrailing();
    }
    for (List<@Nullable String> r : rows) {
      line(out, r, widths);
    }
    out.append(rule);
    return out.toString();
  }

  private static String cell(@Nullable String value) {
    return value == null ? "" : value.replace("\t", "\\t");
  }

  private static int width(String s) {
    return s.codePointCount(0, s.length());
  }

  private static void line(
      StringBuilder out, List<? extends @Nullable String> cells, int[] widths) {
    int height = 1;
    for (String c : cells) {
      height = Math.max(height, cell(c).split("\n", -1).length);
    }
    for (int h = 0; h < height; h++) {
      out.append('|');
      for (int i = 0; i < widths.length; i++) {
        String[] lines = cell(cells.get(i)).split("\n", -1);
        String text = h < lines.length ? lines[h] : "";
        out.append(' ').append(text).append(" ".repeat(widths[i] - width(text) + 1)).append('|');
      }
      out.append('\n');
    }
  }
}
