package io.millrace.common.type.io;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first half of PostgreSQL's date and time input: text cut into typed fields, and the words
 * that mean something.
 */
final class DateTimeTokens {
  /** What a field looks like. */
  enum Type {
    NUMBER,
    STRING,
    DATE,
    TIME,
    TZ,
    SPECIAL
  }

  record Field(String text, Type type) {}

  /** What a word is. */
  enum Kind {
    RESERVED,
    MONTH,
    DOW,
    AMPM,
    ADBC,
    UNITS,
    ISOTIME,
    IGNORE,
    DST
  }

  record Word(Kind kind, int value) {}

  static final int NOW = 1;
  static final int TODAY = 2;
  static final int TOMORROW = 3;
  static final int YESTERDAY = 4;
  static final int EPOCH = 5;
  static final int LATE = 6;
  static final int EARLY = 7;
  static final int ALLBALLS = 8;
  static final int YEAR = 20;
  static final int MONTH = 21;
  static final int DAY = 22;
  static final int HOUR = 23;
  static final int MINUTE = 24;
  static final int SECOND = 25;
  static final int JULIAN = 26;

  private static final Map<String, Word> WORDS = words();

  private DateTimeTokens() {}

  private static Map<String, Word> words() {
    var w = new HashMap<String, Word>();
    w.put("-infinity", new Word(Kind.RESERVED, EARLY));
    w.put("infinity", new Word(Kind.RESERVED, LATE));
    w.put("+infinity", new Word(Kind.RESERVED, LATE));
    w.put("epoch", new Word(Kind.RESERVED, EPOCH));
    w.put("now", new Word(Kind.RESERVED, NOW));
    w.put("today", new Word(Kind.RESERVED, TODAY));
    w.put("tomorrow", new Word(Kind.RESERVED, TOMORROW));
    w.put("yesterday", new Word(Kind.RESERVED, YESTERDAY));
    w.put("allballs", new Word(Kind.RESERVED, ALLBALLS));
    w.put("am", new Word(Kind.AMPM, 0));
    w.put("pm", new Word(Kind.AMPM, 1));
    w.put("ad", new Word(Kind.ADBC, 0));
    w.put("bc", new Word(Kind.ADBC, 1));
    w.put("at", new Word(Kind.IGNORE, 0));
    w.put("on", new Word(Kind.IGNORE, 0));
    w.put("d", new Word(Kind.UNITS, DAY));
    w.put("h", new Word(Kind.UNITS, HOUR));
    w.put("m", new Word(Kind.UNITS, MONTH));
    w.put("mm", new Word(Kind.UNITS, MINUTE));
    w.put("s", new Word(Kind.UNITS, SECOND));
    w.put("y", new Word(Kind.UNITS, YEAR));
    w.put("j", new Word(Kind.UNITS, JULIAN));
    w.put("jd", new Word(Kind.UNITS, JULIAN));
    w.put("julian", new Word(Kind.UNITS, JULIAN));
    w.put("t", new Word(Kind.ISOTIME, 0));
    w.put("dst", new Word(Kind.DST, 3600));
    String[] months = {
      "jan january",
      "feb february",
      "mar march",
      "apr april",
      "may",
      "jun june",
      "jul july",
      "aug august",
      "sep sept september",
      "oct october",
      "nov november",
      "dec december"
    };
    for (int i = 0; i < 12; i++) {
      for (String s : months[i].split(" ")) {
        w.put(s, new Word(Kind.MONTH, i + 1));
      }
    }
    String[] days = {
      "sun sunday",
      "mon monday",
      "tue tues tuesday",
      "wed weds wednesday",
      "thu thur thurs thursday",
      "fri friday",
      "sat saturday"
    };
    for (int i = 0; i < 7; i++) {
      for (String s : days[i].split(" ")) {
        w.put(s, new Word(Kind.DOW, i));
      }
    }
    return Map.copyOf(w);
  }

  static @Nullable Word word(String lower) {
    return WORDS.get(lower);
  }

  private static boolean digit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean alpha(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
  }

  /** The fields; null if there is a character that cannot be there. */
  static @Nullable List<Field> split(String s) {
    var out = new ArrayList<Field>();
    int n = s.length();
    int i = 0;
    while (i < n) {
      char c = s.charAt(i);
      if (c == ' ' || (c >= '\t' && c <= '\r')) {
        i++;
        continue;
      }
      int from = i;
      Type type;
      if (digit(c)) {
        i = digits(s, i);
        char d = at(s, i);
        if (d == ':') {
          type = Type.TIME;
          while (i < n && (digit(s.charAt(i)) || s.charAt(i) == ':' || s.charAt(i) == '.')) {
            i++;
          }
        } else if (d == '-' || d == '/' || d == '.') {
          i++;
          if (digit(at(s, i))) {
            type = d == '.' ? Type.NUMBER : Type.DATE;
            i = digits(s, i);
            if (at(s, i) == d) {
              type = Type.DATE;
              while (i < n && (digit(s.charAt(i)) || s.charAt(i) == d)) {
                i++;
              }
            }
          } else {
            type = Type.DATE;
            while (i < n && (digit(s.charAt(i)) || alpha(s.charAt(i)) || s.charAt(i) == d)) {
              i++;
            }
          }
        } else {
          type = Type.NUMBER;
        }
      } else if (c == '.') {
        type = Type.NUMBER;
        i = digits(s, i + 1);
      } else if (alpha(c)) {
        type = Type.STRING;
        while (i < n && alpha(s.charAt(i))) {
          i++;
        }
        char d = at(s, i);
        boolean date = d == '-' || d == '/' || d == '.';
        if (!date && (d == '+' || digit(d))) {
          date = word(s.substring(from, i).toLowerCase(Locale.ROOT)) == null;
        }
        if (date) {
          type = Type.DATE;
          while (i < n
              && (digit(s.charAt(i)) || alpha(s.charAt(i)) || "+-/_.:".indexOf(s.charAt(i)) >= 0)) {
            i++;
          }
        }
      } else if (c == '+' || c == '-') {
        i++;
        while (i < n && s.charAt(i) == ' ') {
          i++;
        }
        int start = i;
        if (digit(at(s, i))) {
          type = Type.TZ;
          while (i < n && (digit(s.charAt(i)) || ":.-".indexOf(s.charAt(i)) >= 0)) {
            i++;
          }
        } else if (alpha(at(s, i))) {
          type = Type.SPECIAL;
          while (i < n && alpha(s.charAt(i))) {
            i++;
          }
        } else {
          return null;
        }
        out.add(new Field(c + s.substring(start, i).toLowerCase(Locale.ROOT), type));
        continue;
      } else if (c > ' ' && c < 0x7f) {
        i++;
        continue;
      } else {
        return null;
      }
      out.add(new Field(s.substring(from, i).toLowerCase(Locale.ROOT), type));
      if (out.size() > 25) {
        return null;
      }
    }
    return out;
  }

  private static char at(String s, int i) {
    return i < s.length() ? s.charAt(i) : 0;
  }

  private static int digits(String s, int from) {
    int i = from;
    while (i < s.length() && digit(s.charAt(i))) {
      i++;
    }
    return i;
  }
}
