package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Values as {@code double[]}. */
public final class DoubleVector extends Vector {
  private final double[] values;

  public DoubleVector(SqlType type, double[] values, int length, long @Nullable [] validity) {
    super(type, length, validity);
    this.values = values;
  }

  /** The values; at least {@link #length()} of them. */
  public double[] values() {
    return values;
  }

  public double get(int row) {
    return values[row];
  }

  @Override
  public long byteSize() {
    long[] v = validity();
    return 48 + (long) values.length * 8 + (v == null ? 0 : v.length * 8L);
  }

  @Override
  public DoubleVector take(int[] positions, int count) {
    double[] out = new double[count];
    for (int i = 0; i < count; i++) {
      out[i] = values[positions[i]];
    }
    return new DoubleVector(type(), out, count, takeValidity(positions, count));
  }

  @Override
  public DoubleVector slice(int from, int count) {
    return from == 0 && count == length()
        ? this
        : new DoubleVector(
            type(),
            Arrays.copyOfRange(values, from, from + count),
            count,
            sliceValidity(from, count));
  }

  @Override
  public DoubleVector withType(SqlType newType) {
    return new DoubleVector(newType, values, length(), validity());
  }

  @Override
  public int compare(int row, Vector other, int otherRow) {
    double a = values[row];
    double b = ((DoubleVector) other).values[otherRow];
    return a == b ? 0 : Double.compare(a, b);
  }

  @Override
  public long hash(int row) {
    double v = values[row];
    return mix(v == 0 ? 0 : Double.doubleToLongBits(v));
  }
}
