package io.millrace.storage.sst.parquet;

import io.millrace.common.batch.Words;
import java.util.Arrays;

/** A growing byte array. */
final class Buffer {
  byte[] data;
  int size;

  Buffer(int capacity) {
    data = new byte[Math.max(16, capacity)];
  }

  void ensure(int more) {
    int need = Math.addExact(size, more);
    if (need > data.length) {
      data =
          Arrays.copyOf(data, (int) Math.max(need, Math.min(Integer.MAX_VALUE - 16L, size * 2L)));
    }
  }

  void put(int b) {
    ensure(1);
    data[size++] = (byte) b;
  }

  void putInt(int v) {
    ensure(4);
    Words.putInt(data, size, v);
    size += 4;
  }

  void putLong(long v) {
    ensure(8);
    Words.putLong(data, size, v);
    size += 8;
  }

  void put(byte[] b, int from, int n) {
    ensure(n);
    System.arraycopy(b, from, data, size, n);
    size += n;
  }

  void putVar(long v) {
    while ((v & ~0x7fL) != 0) {
      put((int) (v & 0x7f | 0x80));
      v >>>= 7;
    }
    put((int) v);
  }

  void putZigZag(long v) {
    putVar(v << 1 ^ v >> 63);
  }

  byte[] bytes() {
    return Arrays.copyOf(data, size);
  }
}
