package io.millrace.sqlness;

import java.util.ArrayList;
import java.util.List;

/** Two texts line by line, by their longest common subsequence, with two lines of context. */
final class Difference {
  private static final int CONTEXT = 2;

  private Difference() {}

  static String of(String expected, String actual) {
    List<String> a = expected.lines().toList();
    List<String> b = actual.lines().toList();
    int[][] common = new int[a.size() + 1][b.size() + 1];
    for (int i = a.size() - 1; i >= 0; i--) {
      for (int j = b.size() - 1; j >= 0; j--) {
        common[i][j] =
            a.get(i).equals(b.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    var lines = new ArrayList<String>();
    int i = 0;
    int j = 0;
    while (i < a.size() || j < b.size()) {
      if (i < a.size() && j < b.size() && a.get(i).equals(b.get(j))) {
        lines.add("  " + a.get(i));
        i++;
        j++;
      } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
        lines.add("- " + a.get(i++));
      } else {
        lines.add("+ " + b.get(j++));
      }
    }
    var out = new StringBuilder();
    for (int n = 0; n < lines.size(); n++) {
      boolean near = false;
      for (int k = Math.max(0, n - CONTEXT); k <= Math.min(lines.size() - 1, n + CONTEXT); k++) {
        near |= !lines.get(k).startsWith("  ");
      }
      if (near) {
        out.append(lines.get(n)).append('\n');
      }
    }
    return out.toString();
  }
}
