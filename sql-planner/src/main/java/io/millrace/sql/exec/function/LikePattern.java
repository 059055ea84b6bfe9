package io.millrace.sql.exec.function;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A LIKE pattern over UTF-8 bytes: literals between runs of %, a literal being bytes and "one
 * character" places. The first must stand at the start, the last at the end, those between are
 * taken at their first place from left to right, which is enough since % takes anything.
 */
final class LikePattern {
  /** Marks a place for one character in {@link #ones}. */
  private final List<byte[]> pieces = new ArrayList<>();

  private final List<boolean[]> ones = new ArrayList<>();

  private boolean dangling;

  LikePattern(byte[] p, int from, int to) {
    var bytes = new ByteArrayOutputStream();
    var marks = new ArrayList<Boolean>();
    for (int i = from; i < to; i++) {
      byte c = p[i];
      if (c == '%') {
        flush(bytes, marks);
      } else if (c == '_') {
        bytes.write('_');
        marks.add(true);
      } else {
        if (c == '\\') {
          if (++i == to) {
            // An error only where a text gets so far: then there is one more character for it.
            dangling = true;
            bytes.write('_');
            marks.add(true);
            flush(bytes, marks);
            break;
          }
          c = p[i];
        }
        bytes.write(c);
        marks.add(false);
      }
    }
    flush(bytes, marks);
  }

  private void flush(ByteArrayOutputStream bytes, List<Boolean> marks) {
    pieces.add(bytes.toByteArray());
    boolean[] m = new boolean[marks.size()];
    for (int i = 0; i < m.length; i++) {
      m[i] = marks.get(i);
    }
    ones.add(m);
    bytes.reset();
    marks.clear();
  }

  boolean matches(byte[] b, int from, int to) {
    boolean m = run(b, from, to);
    if (m && dangling) {
      throw new MillraceException(
          ErrorCode.INVALID_ESCAPE_SEQUENCE, "LIKE pattern must not end with escape character");
    }
    return m;
  }

  private boolean run(byte[] b, int from, int to) {
    int last = pieces.size() - 1;
    int at = matchAt(0, b, from, to);
    if (at < 0) {
      return false;
    }
    if (last == 0) {
      return at == to;
    }
    for (int p = 1; p < last; p++) {
      at = find(p, b, at, to);
      if (at < 0) {
        return false;
      }
    }
    return endsWith(last, b, at, to);
  }

  /** Where the piece ends if it stands at {@code at}; -1 if it does not. */
  private int matchAt(int piece, byte[] b, int at, int to) {
    byte[] p = pieces.get(piece);
    boolean[] one = ones.get(piece);
    int i = at;
    for (int k = 0; k < p.length; k++) {
      if (i >= to) {
        return -1;
      }
      if (one[k]) {
        i++;
        while (i < to && (b[i] & 0xc0) == 0x80) {
          i++;
        }
      } else if (b[i++] != p[k]) {
        return -1;
      }
    }
    return i;
  }

  private int find(int piece, byte[] b, int from, int to) {
    for (int i = from; i <= to; i++) {
      if (i < to && (b[i] & 0xc0) == 0x80) {
        continue;
      }
      int end = matchAt(piece, b, i, to);
      if (end >= 0) {
        return end;
      }
    }
    return -1;
  }

  private boolean endsWith(int piece, byte[] b, int from, int to) {
    byte[] p = pieces.get(piece);
    boolean[] one = ones.get(piece);
    int i = to;
    for (int k = p.length - 1; k >= 0; k--) {
      if (i <= from) {
        return false;
      }
      i--;
      if (one[k]) {
        while (i > from && (b[i] & 0xc0) == 0x80) {
          i--;
        }
      } else if (b[i] != p[k]) {
        return false;
      }
    }
    return true;
  }

  /** Keeps the last pattern, since it is nearly always the same one. */
  static final class Cache {
    private byte[] bytes = {};
    private LikePattern pattern = new LikePattern(bytes, 0, 0);

    LikePattern get(byte[] p, int from, int to) {
      if (!Arrays.equals(bytes, 0, bytes.length, p, from, to)) {
        bytes = Arrays.copyOfRange(p, from, to);
        pattern = new LikePattern(bytes, 0, bytes.length);
      }
      return pattern;
    }
  }
}
