package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Values as {@code int[]}. */
public final class IntVector extends Vector {
  private final int[] values;

  public IntVector(SqlType type, int[] values, int length, long @Nullable [] validity) {
    super(type, length, validity);
    this.values = values;
  }

  /** The values; at least {@link #length()} of them. */
  public int[] values() {
    return values;
  }

  public int get(int row) {
    return values[row];
  }

  @Override
  public long byteSize() {
    long[] v = validity();
    return 48 + (long) values.length * 4 + (v == null ? 0 : v.length * 8L);
  }

  @Override
  public IntVector take(int[] positions, int count) {
    int[] out = new int[count];
    for (int i = 0; i < count; i++) {
      out[i] = values[positions[i]];
    }
    return new IntVector(type(), out, count, takeValidity(positions, count));
  }

  @Override
  public IntVector slice(int from, int count) {
    return from == 0 && count == length()
        ? this
        : new IntVector(
            type(),
            Arrays.copyOfRange(values, from, from + count),
            count,
            sliceValidity(from, count));
  }

  @Override
  public IntVector withType(SqlType newType) {
    return new IntVector(newType, values, length(), validity());
  }

  @Override
  public int compare(int row, Vector other, int otherRow) {
    int a = values[row];
    int b = ((IntVector) other).values[otherRow];
    return type().kind().isOid() ? Integer.compareUnsigned(a, b) : Integer.compare(a, b);
  }

  @Override
  public long hash(int row) {
    int v = values[row];
    return mix(v);
  }
}
