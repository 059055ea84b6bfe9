package io.millrace.common.text;

/**
 * Takes a text apart into words: longest runs of letters and digits, and every ideograph by itself.
 * Full-text indexes hold words, so a change here makes them wrong. One thread.
 */
public final class Words {
  private String text;
  private int start;
  private int end;

  public Words(String text) {
    this.text = text;
  }

  /** Begins anew with another text. */
  public void reset(String other) {
    text = other;
    start = 0;
    end = 0;
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
    if (joins(c)) {
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
    return c < 128
        ? c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z'
        : Character.isLetterOrDigit(c);
  }

  /** Whether the character makes one word with such characters beside it. */
  static boolean joins(int c) {
    return isPart(c) && (c < 128 || !Character.isIdeographic(c));
  }

  /** The word as it stands. */
  public String word() {
    return text.substring(start, end);
  }

  /** The word without regard to case. */
  public String folded() {
    return fold(text, start, end);
  }

  /** Whether the word is that one without regard to case, given {@link #folded}. */
  boolean is(String folded) {
    int j = 0;
    for (int i = start; i < end; ) {
      if (j >= folded.length()) {
        return false;
      }
      int c = text.codePointAt(i);
      int f = folded.codePointAt(j);
      if (c != f && fold(c) != f) {
        return false;
      }
      i += Character.charCount(c);
      j += Character.charCount(f);
    }
    return j == folded.length();
  }

  private static int fold(int c) {
    return c < 128
        ? c >= 'A' && c <= 'Z' ? c + 32 : c
        : Character.toLowerCase(Character.toUpperCase(c));
  }

  private static String fold(String s, int from, int to) {
    var out = new StringBuilder(to - from);
    for (int i = from; i < to; ) {
      int c = s.codePointAt(i);
      i += Character.charCount(c);
      out.appendCodePoint(fold(c));
    }
    return out.toString();
  }
}
