package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import org.jspecify.annotations.Nullable;

/**
 * A column of values of one type, immutable once handed on. Values of NULL rows are unspecified.
 * Arrays are shared, never copied, by accessors: read only.
 */
public abstract sealed class Vector
    permits BoolVector,
        IntVector,
        LongVector,
        FloatVector,
        DoubleVector,
        BytesColumn,
        NumericVector,
        IntervalVector,
        ArrayVector,
        RecordVector {
  private final SqlType type;
  private final int length;
  private final long @Nullable [] validity;

  Vector(SqlType type, int length, long @Nullable [] validity) {
    this.type = type;
    this.length = length;
    this.validity = validity;
  }

  public final SqlType type() {
    return type;
  }

  public final int length() {
    return length;
  }

  /** Bit i set = row i is not NULL; null when no row is NULL. */
  public final long @Nullable [] validity() {
    return validity;
  }

  public final boolean mayHaveNulls() {
    return validity != null;
  }

  public final boolean isNull(int row) {
    long[] v = validity;
    return v != null && (v[row >> 6] >>> row & 1) == 0;
  }

  /** Bytes held, arrays counted whole. */
  public abstract long byteSize();

  /** The rows at the given positions, {@code count} of them from {@code positions[0]}. */
  public abstract Vector take(int[] positions, int count);

  /** Rows [from, from + count). */
  public abstract Vector slice(int from, int count);

  /** The same values seen as another type of the same layout. */
  public abstract Vector withType(SqlType newType);

  /**
   * Order of two values that are not NULL, as PostgreSQL's btree orders them: NaN above all, bytes
   * unsigned, false before true. The other vector must have the same layout.
   */
  public abstract int compare(int row, Vector other, int otherRow);

  /** Hash of a value that is not NULL; equal values (−0.0 = 0.0, 1.0 = 1.00) hash alike. */
  public abstract long hash(int row);

  /** Equality of two values with NULL equal to NULL. */
  public final boolean same(int row, Vector other, int otherRow) {
    boolean a = isNull(row);
    boolean b = other.isNull(otherRow);
    return a || b ? a == b : compare(row, other, otherRow) == 0;
  }

  final long @Nullable [] takeValidity(int[] positions, int count) {
    return validity == null ? null : Bits.take(validity, positions, count);
  }

  final long @Nullable [] sliceValidity(int from, int count) {
    return validity == null ? null : Bits.slice(validity, from, count);
  }

  static long mix(long h) {
    h ^= h >>> 32;
    h *= 0x9E3779B97F4A7C15L;
    h ^= h >>> 29;
    h *= 0xBF58476D1CE4E5B9L;
    return h ^ h >>> 32;
  }
}
