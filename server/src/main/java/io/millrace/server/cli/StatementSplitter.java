package io.millrace.server.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts typed text into statements at semicolons, except inside quotes, dollar quotes, comments and
 * parentheses. Text is added line by line; what is not ended yet waits in {@link #rest()}.
 */
final class StatementSplitter {
  private final StringBuilder text = new StringBuilder();

  /** Adds text and returns the statements that it completes, without their semicolons. */
  List<String> add(String more) {
    text.append(more);
    var statements = new ArrayList<String>();
    int start = 0;
    int depth = 0;
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ';' && depth == 0) {
        String statement = text.substring(start, at).strip();
        if (!statement.isEmpty()) {
          statements.add(statement);
        }
        start = ++at;
        continue;
      }
      int end = skipQuoted(at);
      if (end < 0) {
        break;
      }
      if (end == at) {
        depth += c == '(' ? 1 : c == ')' && depth > 0 ? -1 : 0;
        at++;
      } else {
        at = end;
      }
    }
    text.delete(0, start);
    return statements;
  }

  /** What has been typed since the last statement ended. */
  String rest() {
    return text.toString();
  }

  void clear() {
    text.setLength(0);
  }

  /**
   * The position after the quoted text or comment that starts here, here if none starts, -1 if it
   * does not end.
   */
  private int skipQuoted(int at) {
    char c = text.charAt(at);
    char next = at + 1 < text.length() ? text.charAt(at + 1) : 0;
    if (c == '\'') {
      boolean escapes =
          at > 0 && (text.charAt(at - 1) | 0x20) == 'e' && !(at > 1 && isWord(text.charAt(at - 2)));
      return skipString(at, escapes);
    }
    if (c == '"') {
      return after("\"", at + 1);
    }
    if (c == '-' && next == '-') {
      int end = text.indexOf("\n", at);
      return end < 0 ? text.length() : end;
    }
    if (c == '/' && next == '*') {
      return after("*/", at + 2);
    }
    if (c == '$' && !(at > 0 && isWord(text.charAt(at - 1)))) {
      int end = at + 1;
      while (end < text.length() && isWord(text.charAt(end))) {
        end++;
      }
      boolean tag = end < text.length() && text.charAt(end) == '$' && !Character.isDigit(next);
      return tag ? after(text.substring(at, end + 1), end + 1) : at;
    }
    return at;
  }

  private int skipString(int at, boolean escapes) {
    for (int i = at + 1; i < text.length(); i++) {
      if (escapes && text.charAt(i) == '\\') {
        i++;
      } else if (text.charAt(i) == '\'') {
        return i + 1;
      }
    }
    return -1;
  }

  private int after(String mark, int from) {
    int end = text.indexOf(mark, from);
    return end < 0 ? -1 : end + mark.length();
  }

  private static boolean isWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }
}
