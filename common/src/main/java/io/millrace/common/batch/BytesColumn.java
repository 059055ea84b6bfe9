package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Variable-length values, plain or by dictionary. A value is data(row)[start(row), end(row)). */
public abstract sealed class BytesColumn extends Vector permits BytesVector, DictVector {
  BytesColumn(SqlType type, int length, long @Nullable [] validity) {
    super(type, length, validity);
  }

  /** The array that holds the row's bytes. */
  public abstract byte[] data(int row);

  public abstract int start(int row);

  public abstract int end(int row);

  public final int size(int row) {
    return end(row) - start(row);
  }

  /** The value as text. */
  public final String string(int row) {
    int s = start(row);
    return new String(data(row), s, end(row) - s, StandardCharsets.UTF_8);
  }

  public final byte[] bytes(int row) {
    return Arrays.copyOfRange(data(row), start(row), end(row));
  }

  /** As offsets and bytes. */
  public abstract BytesVector plain();

  @Override
  public final int compare(int row, Vector other, int otherRow) {
    var o = (BytesColumn) other;
    return Arrays.compareUnsigned(
        data(row), start(row), end(row), o.data(otherRow), o.start(otherRow), o.end(otherRow));
  }

  @Override
  public long hash(int row) {
    return hashBytes(data(row), start(row), end(row));
  }

  /** The hash of a byte range that {@link #hash} gives. */
  public static long hashBytes(byte[] data, int from, int to) {
    long h = 0x9E3779B97F4A7C15L ^ (to - from);
    int i = from;
    for (; i + 8 <= to; i += 8) {
      h = (h ^ Words.getLong(data, i)) * 0xBF58476D1CE4E5B9L;
      h ^= h >>> 31;
    }
    long tail = 0;
    for (int s = 0; i < to; i++, s += 8) {
      tail |= (data[i] & 0xffL) << s;
    }
    return mix(h ^ tail);
  }
}
