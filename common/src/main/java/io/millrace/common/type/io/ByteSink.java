package io.millrace.common.type.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array with a position; numbers go in big endian. Owned by one thread. */
public final class ByteSink {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final byte[] PAIRS = new byte[200];

  static {
    for (int i = 0; i < 100; i++) {
      PAIRS[i * 2] = (byte) ('0' + i / 10);
      PAIRS[i * 2 + 1] = (byte) ('0' + i % 10);
    }
  }

  private byte[] bytes;
  private int position;

  public ByteSink() {
    this(256);
  }

  public ByteSink(int capacity) {
    bytes = new byte[Math.max(16, capacity)];
  }

  /** The array that is being filled; replaced when it grows. Bytes [0, position) are written. */
  public byte[] array() {
    return bytes;
  }

  public int position() {
    return position;
  }

  /** Moves the position, for example back to drop what was written. */
  public void position(int p) {
    position = p;
  }

  public void clear() {
    position = 0;
  }

  /** Makes room for n more bytes. */
  public void ensure(int n) {
    if (bytes.length - position < n) {
      grow(n);
    }
  }

  private void grow(int n) {
    int need = Math.addExact(position, n);
    bytes =
        Arrays.copyOf(
            bytes, (int) Math.max(need, Math.min(Integer.MAX_VALUE - 16L, bytes.length * 2L)));
  }

  public void put(int b) {
    ensure(1);
    bytes[position++] = (byte) b;
  }

  public void putShort(int v) {
    ensure(2);
    SHORT.set(bytes, position, (short) v);
    position += 2;
  }

  public void putInt(int v) {
    ensure(4);
    INT.set(bytes, position, v);
    position += 4;
  }

  public void putLong(long v) {
    ensure(8);
    LONG.set(bytes, position, v);
    position += 8;
  }

  public void putFloat(float v) {
    putInt(Float.floatToRawIntBits(v));
  }

  public void putDouble(double v) {
    putLong(Double.doubleToRawLongBits(v));
  }

  /** Overwrites four bytes that were written before. */
  public void setInt(int at, int v) {
    INT.set(bytes, at, v);
  }

  public void setShort(int at, int v) {
    SHORT.set(bytes, at, (short) v);
  }

  public void putBytes(byte[] source) {
    putBytes(source, 0, source.length);
  }

  public void putBytes(byte[] source, int from, int count) {
    ensure(count);
    System.arraycopy(source, from, bytes, position, count);
    position += count;
  }

  /** Text as UTF-8; ASCII text takes no detour. */
  public void putText(String text) {
    int n = text.length();
    ensure(n);
    int p = position;
    for (int i = 0; i < n; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        position = p;
        putBytes(text.substring(i).getBytes(StandardCharsets.UTF_8));
        return;
      }
      bytes[p++] = (byte) c;
    }
    position = p;
  }

  /** A number in decimal digits. */
  public void putDecimal(long v) {
    ensure(20);
    if (v < 0) {
      if (v == Long.MIN_VALUE) {
        putText("-9223372036854775808");
        return;
      }
      bytes[position++] = '-';
      v = -v;
    }
    int digits = digits(v);
    putDigits(v, digits);
  }

  /** The last {@code digits} decimal digits of a number that is not negative, zeros in front. */
  public void putDigits(long v, int digits) {
    ensure(digits);
    int p = position + digits;
    int end = p;
    long x = v;
    int left = digits;
    while (left >= 2) {
      long q = x / 100;
      int r = (int) (x - q * 100) * 2;
      bytes[--p] = PAIRS[r + 1];
      bytes[--p] = PAIRS[r];
      x = q;
      left -= 2;
    }
    if (left == 1) {
      bytes[--p] = (byte) ('0' + x % 10);
    }
    position = end;
  }

  /** Decimal digits of a number that is not negative. */
  public static int digits(long v) {
    int d = 1;
    long limit = 10;
    while (d < 19 && v >= limit) {
      d++;
      limit *= 10;
    }
    return d;
  }

  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, position);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, position, StandardCharsets.UTF_8);
  }

  /** Reads a big-endian short, sign extended. */
  public static int getShort(byte[] b, int at) {
    return (short) SHORT.get(b, at);
  }

  /** Reads a big-endian int. */
  public static int getInt(byte[] b, int at) {
    return (int) INT.get(b, at);
  }

  /** Reads a big-endian long. */
  public static long getLong(byte[] b, int at) {
    return (long) LONG.get(b, at);
  }
}
