package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import org.jspecify.annotations.Nullable;

/**
 * Turns PostgreSQL's advanced regular expressions into the syntax of the two engines.
 *
 * <p>What differs from PostgreSQL by design: alternations inside a pattern with a non-greedy
 * quantifier prefer the first match and not the longest; equivalence classes and collating elements
 * other than single characters are refused; {@code \m} and {@code \M} need the backtracking engine.
 */
final class RegexTranslator {
  private final StringBuilder out = new StringBuilder();
  private boolean backtracking;
  private boolean nonGreedy;
  private boolean plain = true;
  private boolean ignoreCase;
  private boolean newlineDot;
  private boolean newlineAnchors;
  private boolean expanded;
  private boolean literal;
  private final String source;

  /**
   * @param flags PostgreSQL's: i, c, n, m, s, p, w, x, q, e; g is the caller's
   */
  RegexTranslator(String pattern, String flags) {
    for (int i = 0; i < flags.length(); i++) {
      flag(flags.charAt(i));
    }
    String p = pattern;
    if (p.startsWith("***=")) {
      literal = true;
      p = p.substring(4);
    } else if (p.startsWith("***:")) {
      p = p.substring(4);
    }
    if (!literal && p.startsWith("(?") && p.length() > 2 && Character.isLetter(p.charAt(2))) {
      int close = p.indexOf(')');
      if (close > 0) {
        for (int i = 2; i < close; i++) {
          flag(p.charAt(i));
        }
        p = p.substring(close + 1);
      }
    }
    source = p;
    if (literal) {
      out.append(java.util.regex.Pattern.quote(p));
      plain = true;
    } else {
      translate(p);
    }
    plain &= !ignoreCase;
  }

  private void flag(char f) {
    switch (f) {
      case 'i' -> ignoreCase = true;
      case 'c' -> ignoreCase = false;
      case 'n', 'm' -> {
        newlineDot = true;
        newlineAnchors = true;
      }
      case 's' -> {
        newlineDot = false;
        newlineAnchors = false;
      }
      case 'p' -> newlineDot = true;
      case 'w' -> newlineAnchors = true;
      case 'x' -> expanded = true;
      case 't' -> expanded = false;
      case 'q' -> literal = true;
      case 'e', 'b' -> {}
      default ->
          throw new MillraceException(
              ErrorCode.INVALID_PARAMETER_VALUE,
              "invalid regular expression option: \"" + f + "\"");
    }
  }

  String pattern() {
    return out.toString();
  }

  /** The text itself if the pattern is nothing but that text; null otherwise. */
  @Nullable String plain() {
    return plain ? source : null;
  }

  boolean needsBacktracking() {
    return backtracking;
  }

  int re2Flags() {
    int f = newlineDot ? 0 : com.google.re2j.Pattern.DOTALL;
    f |= newlineAnchors ? com.google.re2j.Pattern.MULTILINE : 0;
    f |= ignoreCase ? com.google.re2j.Pattern.CASE_INSENSITIVE : 0;
    f |= nonGreedy ? 0 : com.google.re2j.Pattern.LONGEST_MATCH;
    return f;
  }

  int javaFlags() {
    int f = newlineDot ? 0 : java.util.regex.Pattern.DOTALL;
    f |=
        newlineAnchors ? java.util.regex.Pattern.MULTILINE | java.util.regex.Pattern.UNIX_LINES : 0;
    f |=
        ignoreCase
            ? java.util.regex.Pattern.CASE_INSENSITIVE | java.util.regex.Pattern.UNICODE_CASE
            : 0;
    return f;
  }

  private void translate(String p) {
    int n = p.length();
    int i = 0;
    int depth = 0;
    boolean atom = false;
    while (i < n) {
      char c = p.charAt(i);
      boolean special = "\\^$.[]()*+?{}|".indexOf(c) >= 0;
      plain &= !special && !(expanded && (Character.isWhitespace(c) || c == '#'));
      switch (c) {
        case '\\' -> {
          i = escape(p, i);
          atom = true;
          continue;
        }
        case '[' -> {
          i = bracket(p, i);
          atom = true;
          continue;
        }
        case '(' -> {
          depth++;
          atom = false;
          if (p.startsWith("(?", i)) {
            if (p.startsWith("(?#", i)) {
              int close = p.indexOf(')', i);
              i = close < 0 ? n : close + 1;
              depth--;
              continue;
            }
            char k = i + 2 < n ? p.charAt(i + 2) : 0;
            if (k == '=' || k == '!' || k == '<') {
              backtracking = true;
              out.append(p, i, i + 3);
              i += 3;
              continue;
            }
            if (k == ':') {
              out.append("(?:");
              i += 3;
              continue;
            }
            throw Regex.invalid("quantifier operand invalid", null);
          }
          out.append('(');
        }
        case ')' -> {
          if (depth == 0) {
            throw Regex.invalid("parentheses () not balanced", null);
          }
          depth--;
          out.append(')');
          atom = true;
        }
        case '^' -> {
          out.append('^');
          atom = false;
        }
        case '$' -> {
          out.append(newlineAnchors ? "$" : "\\z");
          atom = false;
        }
        case '*', '+', '?' -> {
          if (!atom) {
            throw Regex.invalid("quantifier operand invalid", null);
          }
          out.append(c);
          i = afterQuantifier(p, i + 1);
          atom = false;
          continue;
        }
        case '{' -> {
          boolean bound = i + 1 < n && Character.isDigit(p.charAt(i + 1));
          int close = bound ? p.indexOf('}', i) : -1;
          if (!bound) {
            out.append("\\{");
            atom = true;
          } else if (close < 0) {
            throw Regex.invalid("braces {} not balanced", null);
          } else {
            bounds(p.substring(i + 1, close));
            out.append(p, i, close + 1);
            i = afterQuantifier(p, close + 1);
            atom = false;
            continue;
          }
        }
        case '|' -> {
          out.append('|');
          atom = false;
        }
        case '}', ']' -> {
          out.append('\\').append(c);
          atom = true;
        }
        default -> {
          if (expanded && Character.isWhitespace(c)) {
            i++;
            continue;
          }
          if (expanded && c == '#') {
            int end = p.indexOf('\n', i);
            i = end < 0 ? n : end + 1;
            continue;
          }
          if (c == '.') {
            out.append('.');
          } else {
            quoted(c);
          }
          atom = true;
        }
      }
      i++;
    }
    if (depth > 0) {
      throw Regex.invalid("parentheses () not balanced", null);
    }
  }

  private static void bounds(String b) {
    for (String s : b.split(",", -1)) {
      if (!s.isEmpty()
          && (s.length() > 3
              || !s.chars().allMatch(Character::isDigit)
              || Integer.parseInt(s) > 255)) {
        throw Regex.invalid("invalid repetition count(s)", null);
      }
    }
  }

  private int afterQuantifier(String p, int at) {
    if (at < p.length() && p.charAt(at) == '?') {
      nonGreedy = true;
      out.append('?');
      return at + 1;
    }
    if (at < p.length() && (p.charAt(at) == '*' || p.charAt(at) == '+')) {
      throw Regex.invalid("quantifier operand invalid", null);
    }
    return at;
  }

  private void quoted(char c) {
    if (c < 0x80 && !Character.isLetterOrDigit(c) && c != '_' && c > ' ') {
      out.append('\\');
    }
    out.append(c);
  }

  private int escape(String p, int at) {
    if (at + 1 >= p.length()) {
      throw Regex.invalid("invalid escape \\ sequence", null);
    }
    char c = p.charAt(at + 1);
    switch (c) {
      case 'd', 'D', 's', 'S', 'w', 'W' -> out.append('\\').append(c);
      case 'A' -> out.append("\\A");
      case 'Z' -> out.append("\\z");
      case 'y' -> out.append("\\b");
      case 'Y' -> out.append("\\B");
      case 'm' -> {
        backtracking = true;
        out.append("\\b(?=\\w)");
      }
      case 'M' -> {
        backtracking = true;
        out.append("\\b(?<=\\w)");
      }
      case 'a' -> out.append("\\x07");
      case 'b' -> out.append("\\x08");
      case 'B' -> out.append("\\\\");
      case 'e' -> out.append("\\x1b");
      case 'f' -> out.append("\\f");
      case 'n' -> out.append("\\n");
      case 'r' -> out.append("\\r");
      case 't' -> out.append("\\t");
      case 'v' -> out.append("\\x0b");
      case 'u', 'U', 'x' -> {
        int max = c == 'u' ? 4 : c == 'U' ? 8 : 6;
        int i = at + 2;
        int v = 0;
        while (i < p.length() && i - at - 2 < max && Character.digit(p.charAt(i), 16) >= 0) {
          v = v * 16 + Character.digit(p.charAt(i), 16);
          i++;
        }
        out.append("\\x{").append(Integer.toHexString(v)).append('}');
        return i;
      }
      case '0' -> out.append("\\x00");
      default -> {
        if (c >= '1' && c <= '9') {
          backtracking = true;
          out.append('\\').append(c);
        } else if (Character.isLetter(c)) {
          throw Regex.invalid("invalid escape \\ sequence", null);
        } else {
          quoted(c);
        }
      }
    }
    return at + 2;
  }

  private int bracket(String p, int at) {
    if (p.startsWith("[[:<:]]", at) || p.startsWith("[[:>:]]", at)) {
      backtracking = true;
      out.append(p.charAt(at + 3) == '<' ? "\\b(?=\\w)" : "\\b(?<=\\w)");
      return at + 7;
    }
    out.append('[');
    int i = at + 1;
    boolean negated = i < p.length() && p.charAt(i) == '^';
    if (negated) {
      out.append('^');
      i++;
      if (newlineDot) {
        out.append("\\n");
      }
    }
    boolean first = true;
    while (true) {
      if (i >= p.length()) {
        throw Regex.invalid("brackets [] not balanced", null);
      }
      char c = p.charAt(i);
      if (c == ']' && !first) {
        out.append(']');
        return i + 1;
      }
      first = false;
      if (p.startsWith("[:", i)) {
        int close = p.indexOf(":]", i);
        if (close < 0) {
          throw Regex.invalid("invalid character class", null);
        }
        characterClass(p.substring(i + 2, close));
        i = close + 2;
      } else if (p.startsWith("[.", i) || p.startsWith("[=", i)) {
        char kind = p.charAt(i + 1);
        int close = p.indexOf(kind + "]", i + 2);
        if (close != i + 3) {
          throw Regex.invalid("invalid collating element", null);
        }
        inBracket(p.charAt(i + 2));
        i = close + 2;
      } else if (c == '\\') {
        i = escape(p, i);
      } else if (c == '-') {
        boolean edge =
            out.charAt(out.length() - 1) == '['
                || (out.charAt(out.length() - 1) == '^' && out.charAt(out.length() - 2) == '[')
                || (i + 1 < p.length() && p.charAt(i + 1) == ']');
        out.append(edge ? "\\-" : "-");
        i++;
      } else {
        inBracket(c);
        i++;
      }
    }
  }

  private void inBracket(char c) {
    if ("[]\\^-&~".indexOf(c) >= 0) {
      out.append('\\');
    }
    out.append(c);
  }

  private void characterClass(String name) {
    out.append(
        switch (name) {
          case "alpha" -> "\\p{L}";
          case "digit" -> "0-9";
          case "alnum" -> "\\p{L}\\p{N}";
          case "upper" -> "\\p{Lu}";
          case "lower" -> "\\p{Ll}";
          case "space" -> " \\t\\n\\r\\f\\x0b";
          case "blank" -> " \\t";
          case "punct" -> "!-/:-@\\[-`{-\\~";
          case "xdigit" -> "0-9A-Fa-f";
          case "cntrl" -> "\\x00-\\x1f\\x7f";
          case "print" -> "\\x20-\\x7e\\x{a0}-\\x{ffff}";
          case "graph" -> "\\x21-\\x7e\\x{a1}-\\x{ffff}";
          case "word" -> "\\p{L}\\p{N}_";
          case "ascii" -> "\\x00-\\x7f";
          default -> throw Regex.invalid("invalid character class", null);
        });
  }
}
