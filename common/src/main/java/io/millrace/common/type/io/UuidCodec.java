package io.millrace.common.type.io;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;

/** uuid as sixteen bytes. */
final class UuidCodec implements TypeCodec {
  private final byte[] scratch = new byte[16];

  @Override
  public void writeText(Vector v, int row, ByteSink out, SessionFormat format) {
    var c = (BytesColumn) v;
    byte[] d = c.data(row);
    int s = c.start(row);
    for (int i = 0; i < 16; i++) {
      if (i == 4 || i == 6 || i == 8 || i == 10) {
        out.put('-');
      }
      out.put(Character.forDigit(d[s + i] >> 4 & 15, 16));
      out.put(Character.forDigit(d[s + i] & 15, 16));
    }
  }

  @Override
  public void writeBinary(Vector v, int row, ByteSink out) {
    var c = (BytesColumn) v;
    out.putBytes(c.data(row), c.start(row), 16);
  }

  /** Braces around it and a hyphen after any group of four digits are taken. */
  @Override
  public void parseText(byte[] b, int off, int len, VectorBuilder out, SessionFormat format) {
    int i = off;
    int end = off + len;
    if (len > 0 && b[i] == '{') {
      if (b[end - 1] != '}') {
        throw Problems.syntax("uuid", b, off, len);
      }
      i++;
      end--;
    }
    for (int n = 0; n < 16; n++) {
      int hi = i + 1 < end ? Ascii.hex(b[i]) : -1;
      int lo = i + 1 < end ? Ascii.hex(b[i + 1]) : -1;
      if (hi < 0 || lo < 0) {
        throw Problems.syntax("uuid", b, off, len);
      }
      scratch[n] = (byte) (hi << 4 | lo);
      i += 2;
      if ((n & 1) == 1 && n < 15 && i < end && b[i] == '-') {
        i++;
      }
    }
    if (i != end) {
      throw Problems.syntax("uuid", b, off, len);
    }
    ((VectorBuilder.Bytes) out).append(scratch);
  }

  @Override
  public void parseBinary(byte[] b, int off, int len, VectorBuilder out) {
    Problems.requireLength(len, 16);
    ((VectorBuilder.Bytes) out).append(b, off, 16);
  }
}
