package io.millrace.sql.plan.analyse;

import io.millrace.sql.plan.analyse.Scope.Entry;
import io.millrace.sql.plan.analyse.Scope.Field;
import org.jspecify.annotations.Nullable;

/*
 * PostgreSQL's choice of the columns that a hint names instead of one that is not there: those of the
 * smallest edit distance, at most three and at most half of the name's length, where a qualifier's
 * distance to the relation's alias counts too. Two of the same distance are both named, more are
 * none.
 */
final class NearestColumn {
  private static final int FARTHEST = 3;

  private final @Nullable String qualifier;
  private final String name;
  private int distance = FARTHEST + 1;
  private @Nullable String first;
  private @Nullable String second;

  NearestColumn(@Nullable String qualifier, String name) {
    this.qualifier = qualifier;
    this.name = name;
  }

  void consider(Entry entry) {
    String q = qualifier;
    int penalty = q == null ? 0 : levenshtein(q, entry.alias());
    for (Field f : entry.fields()) {
      if (penalty <= distance && !f.name().isEmpty()) {
        consider(entry.alias() + "." + f.name(), levenshtein(f.name(), name), penalty);
      }
    }
  }

  private void consider(String column, int columnDistance, int penalty) {
    if (columnDistance > name.length() / 2) {
      return;
    }
    int d = columnDistance + penalty;
    if (d < distance) {
      distance = d;
      first = column;
      second = null;
    } else if (d == distance) {
      if (second != null) {
        first = null;
        second = null;
        distance = d - 1;
      } else if (first != null) {
        second = column;
      } else if (distance <= FARTHEST) {
        first = column;
      }
    }
  }

  @Nullable String hint() {
    if (first == null) {
      return null;
    }
    String hint = "Perhaps you meant to reference the column \"" + first + "\"";
    return second == null ? hint + "." : hint + " or the column \"" + second + "\".";
  }

  private static int levenshtein(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int cost = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        current[j] = Math.min(Math.min(current[j - 1], previous[j]) + 1, previous[j - 1] + cost);
      }
      previous = current;
    }
    return previous[b.length()];
  }
}
