package io.millrace.common.type.io;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.util.Arrays;

/** The text kinds: bytes as they are, lengths and UTF-8 checked on the way in. */
final class TextCodec implements TypeCodec {
  private static final int NAME_BYTES = 63;

  private final SqlType type;
  private final int limit;

  TextCodec(SqlType type) {
    this.type = type;
    limit = type.typmod() >= 4 ? type.typmod() - 4 : -1;
  }

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    var c = (BytesColumn) v;
    int s = c.start(row);
    out.putBytes(c.data(row), s, c.end(row) - s);
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    var c = (BytesColumn) v;
    int s = c.start(row);
    out.putBytes(c.data(row), s, c.end(row) - s);
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    parseBinary(b, off, len, out);
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Utf8.check(b, off, len);
    var bytes = (VectorBuilder.Bytes) out;
    switch (type.kind()) {
      case VARCHAR -> bytes.append(b, off, limit < 0 ? len : fit(b, off, len));
      case BPCHAR -> appendPadded(b, off, len, bytes);
      case NAME -> bytes.append(b, off, truncated(b, off, len));
      case CHAR -> bytes.append(b, off, Math.min(1, len));
      default -> bytes.append(b, off, len);
    }
  }

  /** Bytes of the value within the length; only blanks may stand beyond it. */
  private int fit(byte[] b, int off, int len) {
    if (len <= limit) {
      return len;
    }
    int cut = Utf8.offset(b, off, off + len, limit);
    for (int i = cut; i < off + len; i++) {
      if (b[i] != ' ') {
        throw new MillraceException(
            ErrorCode.STRING_DATA_RIGHT_TRUNCATION, "value too long for type " + type.sqlName());
      }
    }
    return cut - off;
  }

  private void appendPadded(byte[] b, int off, int len, VectorBuilder.Bytes out) {
    if (limit < 0) {
      out.append(b, off, len);
      return;
    }
    int n = fit(b, off, len);
    int missing = limit - Utf8.length(b, off, off + n);
    if (missing <= 0) {
      out.append(b, off, n);
      return;
    }
    byte[] padded = new byte[n + missing];
    System.arraycopy(b, off, padded, 0, n);
    Arrays.fill(padded, n, padded.length, (byte) ' ');
    out.append(padded);
  }

  /** The most whole characters that a name holds. */
  static int truncated(byte[] b, int off, int len) {
    if (len <= NAME_BYTES) {
      return len;
    }
    int n = NAME_BYTES;
    while (n > 0 && (b[off + n] & 0xc0) == 0x80) {
      n--;
    }
    return n;
  }
}
