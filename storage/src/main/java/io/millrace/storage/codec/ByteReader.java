package io.millrace.storage.codec;

import io.millrace.common.batch.Words;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads what {@link ByteWriter} wrote; reading past the end is DATA_CORRUPTED. */
public final class ByteReader {
  private final byte[] data;
  private final int end;
  private int at;

  public ByteReader(byte[] data, int from, int count) {
    this.data = data;
    this.at = from;
    this.end = from + count;
  }

  public int position() {
    return at;
  }

  public int remaining() {
    return end - at;
  }

  public byte[] array() {
    return data;
  }

  /** Steps over bytes and returns the place of the first. */
  public int skip(int count) {
    if (count < 0 || count > end - at) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "stored bytes end early: " + count + " more expected");
    }
    int from = at;
    at += count;
    return from;
  }

  public int u1() {
    return data[skip(1)] & 0xff;
  }

  public int i4() {
    return Words.getInt(data, skip(4));
  }

  public long i8() {
    return Words.getLong(data, skip(8));
  }

  public long var() {
    long v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int b = u1();
      v |= (b & 0x7fL) << shift;
      if (b < 0x80) {
        return v;
      }
    }
    throw new MillraceException(ErrorCode.DATA_CORRUPTED, "stored number is too long");
  }

  /** A count that the remaining bytes can hold, one byte each at least. */
  public int count() {
    long v = var();
    if (v < 0 || v > remaining()) {
      throw new MillraceException(ErrorCode.DATA_CORRUPTED, "stored count " + v + " is too large");
    }
    return (int) v;
  }

  public byte[] bytes(int count) {
    int from = skip(count);
    return Arrays.copyOfRange(data, from, from + count);
  }

  public String text() {
    int n = count();
    return new String(data, skip(n), n, StandardCharsets.UTF_8);
  }
}
