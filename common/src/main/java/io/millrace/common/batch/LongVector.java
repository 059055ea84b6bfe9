package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Values as {@code long[]}. */
public final class LongVector extends Vector {
  private final long[] values;

  public LongVector(SqlType type, long[] values, int length, long @Nullable [] validity) {
    super(type, length, validity);
    this.values = values;
  }

  /** The values; at least {@link #length()} of them. */
  public long[] values() {
    return values;
  }

  public long get(int row) {
    return values[row];
  }

  @Override
  public long byteSize() {
    long[] v = validity();
    return 48 + (long) values.length * 8 + (v == null ? 0 : v.length * 8L);
  }

  @Override
  public LongVector take(int[] positions, int count) {
    long[] out = new long[count];
    for (int i = 0; i < count; i++) {
      out[i] = values[positions[i]];
    }
    return new LongVector(type(), out, count, takeValidity(positions, count));
  }

  @Override
  public LongVector slice(int from, int count) {
    return from == 0 && count == length()
        ? this
        : new LongVector(
            type(),
            Arrays.copyOfRange(values, from, from + count),
            count,
            sliceValidity(from, count));
  }

  @Override
  public LongVector withType(SqlType newType) {
    return new LongVector(newType, values, length(), validity());
  }

  @Override
  public int compare(int row, Vector other, int otherRow) {
    long a = values[row];
    long b = ((LongVector) other).values[otherRow];
    if (type().kind() == TypeKind.TIMETZ && a != b) {
      // By the instant, then by the zone.
      long day = (1L << 40) - 1;
      int c = Long.compare((a & day) + (a >> 40) * 1_000_000L, (b & day) + (b >> 40) * 1_000_000L);
      return c != 0 ? c : Long.compare(a >> 40, b >> 40);
    }
    return Long.compare(a, b);
  }

  @Override
  public long hash(int row) {
    long v = values[row];
    return mix(v);
  }
}
