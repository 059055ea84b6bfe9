package io.millrace.sql.exec.function;

import java.util.function.IntUnaryOperator;

/**
 * Upper and lower case of texts, character by character as PostgreSQL does: no character becomes
 * several (upper of ß is ß) and none depends on its neighbours (lower of Σ is σ everywhere).
 */
final class Casing {
  private Casing() {}

  static String lower(String s) {
    return mapped(s, Character::toLowerCase);
  }

  static String upper(String s) {
    return mapped(s, Character::toUpperCase);
  }

  private static String mapped(String s, IntUnaryOperator map) {
    int n = s.length();
    int at = 0;
    while (at < n) {
      int c = s.codePointAt(at);
      if (map.applyAsInt(c) != c) {
        break;
      }
      at += Character.charCount(c);
    }
    if (at == n) {
      return s;
    }
    var out = new StringBuilder(n).append(s, 0, at);
    while (at < n) {
      int c = s.codePointAt(at);
      out.appendCodePoint(map.applyAsInt(c));
      at += Character.charCount(c);
    }
    return out.toString();
  }
}
