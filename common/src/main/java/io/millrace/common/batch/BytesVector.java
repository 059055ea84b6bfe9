package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Row i is data[offsets[i], offsets[i + 1]). */
public final class BytesVector extends BytesColumn {
  private final int[] offsets;
  private final byte[] data;

  public BytesVector(
      SqlType type, int[] offsets, byte[] data, int length, long @Nullable [] validity) {
    super(type, length, validity);
    this.offsets = offsets;
    this.data = data;
  }

  public int[] offsets() {
    return offsets;
  }

  public byte[] data() {
    return data;
  }

  @Override
  public byte[] data(int row) {
    return data;
  }

  @Override
  public int start(int row) {
    return offsets[row];
  }

  @Override
  public int end(int row) {
    return offsets[row + 1];
  }

  @Override
  public BytesVector plain() {
    return this;
  }

  @Override
  public long byteSize() {
    long[] v = validity();
    return 64 + offsets.length * 4L + data.length + (v == null ? 0 : v.length * 8L);
  }

  @Override
  public BytesVector take(int[] positions, int count) {
    int[] o = new int[count + 1];
    int total = 0;
    for (int i = 0; i < count; i++) {
      int p = positions[i];
      total = Math.addExact(total, offsets[p + 1] - offsets[p]);
      o[i + 1] = total;
    }
    byte[] d = new byte[total];
    for (int i = 0; i < count; i++) {
      int p = positions[i];
      System.arraycopy(data, offsets[p], d, o[i], o[i + 1] - o[i]);
    }
    return new BytesVector(type(), o, d, count, takeValidity(positions, count));
  }

  @Override
  public BytesVector slice(int from, int count) {
    return from == 0 && count == length()
        ? this
        : new BytesVector(
            type(),
            Arrays.copyOfRange(offsets, from, from + count + 1),
            data,
            count,
            sliceValidity(from, count));
  }

  @Override
  public BytesVector withType(SqlType newType) {
    return new BytesVector(newType, offsets, data, length(), validity());
  }
}
