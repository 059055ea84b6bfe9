package io.millrace.common.type.io;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;

/** boolean: t and f out; in, every spelling and unique prefix that PostgreSQL takes. */
final class BoolCodec implements TypeCodec {
  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    out.put(((BoolVector) v).get(row) ? 't' : 'f');
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    out.put(((BoolVector) v).get(row) ? 1 : 0);
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    ((VectorBuilder.Bools) out).append(parse(b, off, len));
  }

  static boolean parse(byte[] b, int off, int len) {
    int s = Ascii.skip(b, off, off + len);
    int e = Ascii.trim(b, s, off + len);
    if (s < e) {
      switch (Ascii.lower(b[s])) {
        case 't' -> {
          if (prefix(b, s, e, "true")) {
            return true;
          }
        }
        case 'f' -> {
          if (prefix(b, s, e, "false")) {
            return false;
          }
        }
        case 'y' -> {
          if (prefix(b, s, e, "yes")) {
            return true;
          }
        }
        case 'n' -> {
          if (prefix(b, s, e, "no")) {
            return false;
          }
        }
        case 'o' -> {
          if (Ascii.is(b, s, e, "on")) {
            return true;
          }
          if (e - s >= 2 && prefix(b, s, e, "off")) {
            return false;
          }
        }
        case '1', '0' -> {
          if (e - s == 1) {
            return b[s] == '1';
          }
        }
        default -> {}
      }
    }
    throw Problems.syntax("boolean", b, off, len);
  }

  private static boolean prefix(byte[] b, int from, int to, String word) {
    int n = to - from;
    return n <= word.length() && Ascii.is(b, from, to, word.substring(0, n));
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, 1);
    ((VectorBuilder.Bools) out).append(b[off] != 0);
  }
}
