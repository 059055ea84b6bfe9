package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Values as {@code float[]}. */
public final class FloatVector extends Vector {
  private final float[] values;

  public FloatVector(SqlType type, float[] values, int length, long @Nullable [] validity) {
    super(type, length, validity);
    this.values = values;
  }

  /** The values; at least {@link #length()} of them. */
  public float[] values() {
    return values;
  }

  public float get(int row) {
    return values[row];
  }

  @Override
  public long byteSize() {
    long[] v = validity();
    return 48 + (long) values.length * 4 + (v == null ? 0 : v.length * 8L);
  }

  @Override
  public FloatVector take(int[] positions, int count) {
    float[] out = new float[count];
    for (int i = 0; i < count; i++) {
      out[i] = values[positions[i]];
    }
    return new FloatVector(type(), out, count, takeValidity(positions, count));
  }

  @Override
  public FloatVector slice(int from, int count) {
    return from == 0 && count == length()
        ? this
        : new FloatVector(
            type(),
            Arrays.copyOfRange(values, from, from + count),
            count,
            sliceValidity(from, count));
  }

  @Override
  public FloatVector withType(SqlType newType) {
    return new FloatVector(newType, values, length(), validity());
  }

  @Override
  public int compare(int row, Vector other, int otherRow) {
    float a = values[row];
    float b = ((FloatVector) other).values[otherRow];
    return a == b ? 0 : Float.compare(a, b);
  }

  @Override
  public long hash(int row) {
    float v = values[row];
    return mix(v == 0 ? 0 : Double.doubleToLongBits(v));
  }
}
