package io.millrace.common.type.io;

/** Reading ASCII out of byte ranges. */
final class Ascii {
  private Ascii() {}

  static boolean space(byte c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  static boolean digit(byte c) {
    return c >= '0' && c <= '9';
  }

  static int lower(byte c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
  }

  static int skip(byte[] b, int from, int to) {
    int i = from;
    while (i < to && space(b[i])) {
      i++;
    }
    return i;
  }

  static int trim(byte[] b, int from, int to) {
    int i = to;
    while (i > from && space(b[i - 1])) {
      i--;
    }
    return i;
  }

  /** Whether the range is the given lower-case word, whatever its case. */
  static boolean is(byte[] b, int from, int to, String word) {
    if (to - from != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (lower(b[from + i]) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  static int hex(int c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
      return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }

  /**
   * A signed integer between min and max with white space around it.
   *
   * @param type the name for errors
   */
  static long parseLong(byte[] b, int off, int len, long min, long max, String type) {
    int end = off + len;
    int i = skip(b, off, end);
    int e = trim(b, i, end);
    boolean negative = i < e && b[i] == '-';
    if (i < e && (b[i] == '-' || b[i] == '+')) {
      i++;
    }
    if (i == e) {
      throw Problems.syntax(type, b, off, len);
    }
    long v = 0;
    boolean over = false;
    for (; i < e; i++) {
      int d = b[i] - '0';
      if (d < 0 || d > 9) {
        throw Problems.syntax(type, b, off, len);
      }
      over |= v < -922337203685477580L || (v == -922337203685477580L && d > 8);
      v = v * 10 - d;
    }
    if (!negative) {
      over |= v == Long.MIN_VALUE;
      v = -v;
    }
    if (over || v < min || v > max) {
      throw Problems.range(type, b, off, len);
    }
    return v;
  }
}
