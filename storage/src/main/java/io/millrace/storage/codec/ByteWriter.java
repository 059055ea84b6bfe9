package io.millrace.storage.codec;

import io.millrace.common.batch.Words;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Appends little-endian values to a growing array. */
public final class ByteWriter {
  private byte[] data;
  private int size;

  public ByteWriter(int capacity) {
    data = new byte[Math.max(64, capacity)];
  }

  public int size() {
    return size;
  }

  /** The array behind the writer; valid up to {@link #size}. */
  public byte[] array() {
    return data;
  }

  public byte[] toBytes() {
    return Arrays.copyOf(data, size);
  }

  /** Makes room and returns the place of the first of {@code count} bytes. */
  public int skip(int count) {
    int at = size;
    int need = Math.addExact(size, count);
    if (need > data.length) {
      data =
          Arrays.copyOf(
              data, (int) Math.max(need, Math.min(Integer.MAX_VALUE - 16L, data.length * 2L)));
    }
    size = need;
    return at;
  }

  public ByteWriter u1(int v) {
    int at = skip(1);
    data[at] = (byte) v;
    return this;
  }

  public ByteWriter i4(int v) {
    int at = skip(4);
    Words.putInt(data, at, v);
    return this;
  }

  public ByteWriter i8(long v) {
    int at = skip(8);
    Words.putLong(data, at, v);
    return this;
  }

  public void i4At(int at, int v) {
    Words.putInt(data, at, v);
  }

  /** Unsigned variable-length number. */
  public ByteWriter var(long v) {
    long rest = v;
    while ((rest & ~0x7fL) != 0) {
      u1((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    return u1((int) rest);
  }

  public ByteWriter bytes(byte[] source, int from, int count) {
    int at = skip(count);
    System.arraycopy(source, from, data, at, count);
    return this;
  }

  /** Length and UTF-8 bytes. */
  public ByteWriter text(String s) {
    byte[] b = s.getBytes(StandardCharsets.UTF_8);
    return var(b.length).bytes(b, 0, b.length);
  }
}
