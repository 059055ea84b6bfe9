package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Errors of analysis, worded as PostgreSQL words them. */
final class Problems {
  private Problems() {}

  static MillraceException error(ErrorCode code, int position, String message) {
    var e = new MillraceException(code, message);
    return position > 0 ? e.at(position) : e;
  }

  static MillraceException unsupported(int position, String what) {
    return error(ErrorCode.FEATURE_NOT_SUPPORTED, position, what);
  }

  /** format_type without modifier; unknown is named so. */
  static String name(SqlType type) {
    return type.kind() == TypeKind.UNKNOWN ? "unknown" : type.withTypmod(-1).sqlName();
  }

  static String names(List<SqlType> types) {
    return types.stream().map(Problems::name).collect(Collectors.joining(", "));
  }

  static MillraceException mustBeBool(String clause, SqlType type, int position) {
    return error(
        ErrorCode.DATATYPE_MISMATCH,
        position,
        "argument of " + clause + " must be type boolean, not type " + name(type));
  }

  /** The candidate nearest to a name: a third of its length away at most; null if none is. */
  static @Nullable String nearest(String name, Collection<String> candidates) {
    String best = null;
    int bestDistance = Math.max(1, name.length() / 3) + 1;
    for (String c : candidates) {
      if (Math.abs(c.length() - name.length()) < bestDistance) {
        int d = distance(name.toLowerCase(Locale.ROOT), c.toLowerCase(Locale.ROOT));
        if (d < bestDistance) {
          best = c;
          bestDistance = d;
        }
      }
    }
    return best;
  }

  /** Levenshtein's distance with swapped neighbours as one step, three rows at a time. */
  static int distance(String a, String b) {
    int[] before = new int[b.length() + 1];
    int[] previous = new int[b.length() + 1];
    int[] current = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int cost = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        current[j] =
            Math.min(Math.min(current[j - 1] + 1, previous[j] + 1), previous[j - 1] + cost);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          current[j] = Math.min(current[j], before[j - 2] + 1);
        }
      }
      int[] swap = before;
      before = previous;
      previous = current;
      current = swap;
    }
    return previous[b.length()];
  }
}
