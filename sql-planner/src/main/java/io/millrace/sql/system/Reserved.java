package io.millrace.sql.system;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** PostgreSQL's key words, and which of them names must quote. */
final class Reserved {
  private static final List<String[]> ALL = List.copyOf(Resources.keywords());
  private static final Set<String> QUOTED = quoted();

  private Reserved() {}

  private static Set<String> quoted() {
    var out = new HashSet<String>();
    for (String[] k : ALL) {
      if (!k[1].equals("U")) {
        out.add(k[0]);
      }
    }
    return Set.copyOf(out);
  }

  static boolean is(String word) {
    return QUOTED.contains(word);
  }

  static List<String[]> all() {
    return ALL;
  }
}
