package io.millrace.common.type.io;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;

/** bytea: hex or escape out by bytea_output, either of them in. */
final class ByteaCodec implements TypeCodec {
  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    var c = (BytesColumn) v;
    byte[] data = c.data(row);
    int end = c.end(row);
    if (format.byteaHex()) {
      out.ensure(2 + 2 * (end - c.start(row)));
      out.put('\\');
      out.put('x');
      for (int i = c.start(row); i < end; i++) {
        out.put(HEX[data[i] >> 4 & 15]);
        out.put(HEX[data[i] & 15]);
      }
      return;
    }
    for (int i = c.start(row); i < end; i++) {
      int x = data[i] & 0xff;
      if (x == '\\') {
        out.put('\\');
        out.put('\\');
      } else if (x < 0x20 || x > 0x7e) {
        out.put('\\');
        out.put('0' + (x >> 6));
        out.put('0' + (x >> 3 & 7));
        out.put('0' + (x & 7));
      } else {
        out.put(x);
      }
    }
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    var c = (BytesColumn) v;
    out.putBytes(c.data(row), c.start(row), c.size(row));
  }

  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    var bytes = (VectorBuilder.Bytes) out;
    if (len >= 2 && b[off] == '\\' && b[off + 1] == 'x') {
      bytes.append(hex(b, off + 2, off + len));
      return;
    }
    byte[] value = new byte[len];
    int n = 0;
    int end = off + len;
    for (int i = off; i < end; ) {
      if (b[i] != '\\') {
        value[n++] = b[i++];
      } else if (i + 1 < end && b[i + 1] == '\\') {
        value[n++] = '\\';
        i += 2;
      } else if (i + 3 < end
          && octal(b[i + 1])
          && b[i + 1] <= '3'
          && octal(b[i + 2])
          && octal(b[i + 3])) {
        value[n++] = (byte) ((b[i + 1] - '0') << 6 | (b[i + 2] - '0') << 3 | (b[i + 3] - '0'));
        i += 4;
      } else {
        throw new MillraceException(
            ErrorCode.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea");
      }
    }
    bytes.append(value, 0, n);
  }

  private static boolean octal(byte c) {
    return c >= '0' && c <= '7';
  }

  private static byte[] hex(byte[] b, int from, int to) {
    byte[] out = new byte[(to - from + 1) / 2];
    int n = 0;
    for (int i = from; i < to; ) {
      if (Ascii.space(b[i])) {
        i++;
        continue;
      }
      int hi = digit(b[i++]);
      if (i >= to) {
        throw new MillraceException(
            ErrorCode.INVALID_PARAMETER_VALUE, "invalid hexadecimal data: odd number of digits");
      }
      out[n++] = (byte) (hi << 4 | digit(b[i++]));
    }
    return n == out.length ? out : java.util.Arrays.copyOf(out, n);
  }

  private static int digit(byte c) {
    int d = Ascii.hex(c);
    if (d < 0) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE,
          "invalid hexadecimal digit: \"" + (char) (c & 0xff) + "\"");
    }
    return d;
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    ((VectorBuilder.Bytes) out).append(b, off, len);
  }
}
