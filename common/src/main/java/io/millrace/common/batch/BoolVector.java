package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Values as {@code boolean[]}. */
public final class BoolVector extends Vector {
  private final boolean[] values;

  public BoolVector(SqlType type, boolean[] values, int length, long @Nullable [] validity) {
    super(type, length, validity);
    this.values = values;
  }

  /** The values; at least {@link #length()} of them. */
  public boolean[] values() {
    return values;
  }

  public boolean get(int row) {
    return values[row];
  }

  @Override
  public long byteSize() {
    long[] v = validity();
    return 48 + (long) values.length * 1 + (v == null ? 0 : v.length * 8L);
  }

  @Override
  public BoolVector take(int[] positions, int count) {
    boolean[] out = new boolean[count];
    for (int i = 0; i < count; i++) {
      out[i] = values[positions[i]];
    }
    return new BoolVector(type(), out, count, takeValidity(positions, count));
  }

  @Override
  public BoolVector slice(int from, int count) {
    return from == 0 && count == length()
        ? this
        : new BoolVector(
            type(),
            Arrays.copyOfRange(values, from, from + count),
            count,
            sliceValidity(from, count));
  }

  @Override
  public BoolVector withType(SqlType newType) {
    return new BoolVector(newType, values, length(), validity());
  }

  @Override
  public int compare(int row, Vector other, int otherRow) {
    boolean a = values[row];
    boolean b = ((BoolVector) other).values[otherRow];
    return Boolean.compare(a, b);
  }

  @Override
  public long hash(int row) {
    boolean v = values[row];
    return mix(v ? 1 : 2);
  }
}
