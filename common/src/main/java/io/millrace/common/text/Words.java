package io.millrace.common.text;

/**
 * Takes a text apart into words: longest runs of letters and digits, and every ideograph by itself.
 * Full-text indexes hold words, so a change here makes them wrong. One thread.
 */
public final class Words {
  private final String text;
  private int start;
  private int end;

  public Words(String text) {
    this.text = text;
  }

  /** Goes on to the next word; false after the last. */
  public boolean next() {
    int at = end;
    while (at < text.length()) {
      int c = text.codePointAt(at);
      if (isPart(c)) {
        break;
      }
      at += Character.charCount(c);
    }
    if (at == text.length()) {
      return false;
    }
    start = at;
    int c = text.codePointAt(at);
    at += Character.charCount(c);
    if (!Character.isIdeographic(c)) {
      while (at < text.length()) {
        c = text.codePointAt(at);
        if (!joins(c)) {
          break;
        }
        at += Character.charCount(c);
      }
    }
    end = at;
    return true;
  }

  private static boolean isPart(int c) {
    return Character.isLetterOrDigit(c);
  }

  /** Whether the character makes one word with such characters beside it. */
  static boolean joins(int c) {
    return isPart(c) && !Character.isIdeographic(c);
  }

  /** The word as it stands. */
  public String word() {
    return text.substring(start, end);
  }

  /** The word without regard to case. */
  public String folded() {
    return fold(text, start, end);
  }

  private static String fold(String s, int from, int to) {
    var out = new StringBuilder(to - from);
    for (int i = from; i < to; ) {
      int c = s.codePointAt(i);
      i += Character.charCount(c);
      out.appendCodePoint(Character.toLowerCase(Character.toUpperCase(c)));
    }
    return out.toString();
  }
}
