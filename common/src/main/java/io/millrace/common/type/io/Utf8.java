package io.millrace.common.type.io;

import io.millrace.common.batch.Words;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;

/** Checking and counting UTF-8. */
public final class Utf8 {
  private static final long HIGH = 0x8080808080808080L;
  private static final long ONES = 0x0101010101010101L;

  private Utf8() {}

  /** Throws 22021 if the range is not UTF-8 or holds a zero byte; eight ASCII bytes a step. */
  public static void check(byte[] b, int off, int len) {
    int end = off + len;
    int i = off;
    while (i < end) {
      while (i + 8 <= end) {
        long w = Words.getLong(b, i);
        if (((w | (w - ONES)) & HIGH) != 0) {
          break;
        }
        i += 8;
      }
      int stop = Math.min(end, i + 8);
      while (i < stop) {
        if (b[i] > 0) {
          i++;
        } else {
          i = sequence(b, i, end);
        }
      }
    }
  }

  private static int sequence(byte[] b, int i, int end) {
    int c = b[i] & 0xff;
    int n = c >= 0xf0 && c <= 0xf4 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 0;
    boolean ok = n > 0 && i + n <= end;
    for (int k = 1; ok && k < n; k++) {
      ok = (b[i + k] & 0xc0) == 0x80;
    }
    if (ok && n >= 3) {
      int second = b[i + 1] & 0xff;
      ok =
          switch (c) {
            case 0xe0 -> second >= 0xa0;
            case 0xed -> second < 0xa0;
            case 0xf0 -> second >= 0x90;
            case 0xf4 -> second < 0x90;
            default -> true;
          };
    }
    if (!ok) {
      throw invalid(b, i, end, c);
    }
    return i + n;
  }

  private static MillraceException invalid(byte[] b, int i, int end, int c) {
    int n = c >= 0xf0 && c < 0xf8 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    if (c >= 0xf8) {
      n = 1;
    }
    var text = new StringBuilder();
    for (int k = i; k < Math.min(end, i + n); k++) {
      text.append(k > i ? " " : "").append(String.format("0x%02x", b[k] & 0xff));
    }
    return new MillraceException(
        ErrorCode.CHARACTER_NOT_IN_REPERTOIRE,
        "invalid byte sequence for encoding \"UTF8\": " + text);
  }

  /** Number of characters. */
  public static int length(byte[] b, int from, int to) {
    int n = 0;
    for (int i = from; i < to; i++) {
      n += (b[i] & 0xc0) != 0x80 ? 1 : 0;
    }
    return n;
  }

  /** Where the character with number {@code chars} (from 0) begins; {@code to} if there is none. */
  public static int offset(byte[] b, int from, int to, int chars) {
    int left = chars;
    for (int i = from; i < to; i++) {
      if ((b[i] & 0xc0) != 0x80 && left-- == 0) {
        return i;
      }
    }
    return to;
  }
}
