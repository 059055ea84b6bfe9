package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL numerics. The normal form is an unscaled {@code long} with a scale that is one for the
 * whole vector or one byte per row; a value that does not fit is a BigDecimal in {@link #big} (null
 * entries = the long form holds); NaN and ±Infinity are marked in {@link #special}.
 */
public final class NumericVector extends Vector {
  public static final byte FINITE = 0;
  public static final byte NAN = 1;
  public static final byte POSITIVE_INFINITY = 2;
  public static final byte NEGATIVE_INFINITY = 3;

  private final long[] unscaled;
  private final int scale;
  private final byte @Nullable [] scales;
  private final @Nullable BigDecimal @Nullable [] big;
  private final byte @Nullable [] special;

  public NumericVector(
      SqlType type,
      long[] unscaled,
      int scale,
      byte @Nullable [] scales,
      @Nullable BigDecimal @Nullable [] big,
      byte @Nullable [] special,
      int length,
      long @Nullable [] validity) {
    super(type, length, validity);
    this.unscaled = unscaled;
    this.scale = scale;
    this.scales = scales;
    this.big = big;
    this.special = special;
  }

  /** Whether every value is unscaled()[i] at {@link #uniformScale()}. */
  public boolean isPlain() {
    return scales == null && big == null && special == null;
  }

  public long[] unscaled() {
    return unscaled;
  }

  /** The scale of all rows if {@link #isPlain()}. */
  public int uniformScale() {
    return scale;
  }

  public int scale(int row) {
    return scales == null ? scale : scales[row];
  }

  /** FINITE, NAN, POSITIVE_INFINITY or NEGATIVE_INFINITY. */
  public byte special(int row) {
    return special == null ? FINITE : special[row];
  }

  /** The BigDecimal of a row that does not fit a long; null where the long form holds. */
  public @Nullable BigDecimal big(int row) {
    return big == null ? null : big[row];
  }

  /** A finite value, with its scale. */
  public BigDecimal get(int row) {
    BigDecimal b = big(row);
    return b != null ? b : BigDecimal.valueOf(unscaled[row], scale(row));
  }

  @Override
  public long byteSize() {
    long n = 80 + unscaled.length * 8L;
    n += scales == null ? 0 : scales.length;
    n += special == null ? 0 : special.length;
    if (big != null) {
      n += big.length * 4L;
      for (BigDecimal b : big) {
        n += b == null ? 0 : 64 + b.unscaledValue().bitLength() / 8;
      }
    }
    return n;
  }

  @Override
  public NumericVector take(int[] positions, int count) {
    long[] u = new long[count];
    byte[] s = scales == null ? null : new byte[count];
    @Nullable BigDecimal @Nullable [] b = big == null ? null : new BigDecimal[count];
    byte[] sp = special == null ? null : new byte[count];
    for (int i = 0; i < count; i++) {
      int p = positions[i];
      u[i] = unscaled[p];
      if (s != null && scales != null) {
        s[i] = scales[p];
      }
      if (b != null && big != null) {
        b[i] = big[p];
      }
      if (sp != null && special != null) {
        sp[i] = special[p];
      }
    }
    return new NumericVector(type(), u, scale, s, b, sp, count, takeValidity(positions, count));
  }

  @Override
  public NumericVector slice(int from, int count) {
    if (from == 0 && count == length()) {
      return this;
    }
    int to = from + count;
    return new NumericVector(
        type(),
        Arrays.copyOfRange(unscaled, from, to),
        scale,
        scales == null ? null : Arrays.copyOfRange(scales, from, to),
        big == null ? null : Arrays.copyOfRange(big, from, to),
        special == null ? null : Arrays.copyOfRange(special, from, to),
        count,
        sliceValidity(from, count));
  }

  @Override
  public NumericVector withType(SqlType newType) {
    return new NumericVector(newType, unscaled, scale, scales, big, special, length(), validity());
  }

  private static int rank(byte special) {
    return switch (special) {
      case NEGATIVE_INFINITY -> 0;
      case POSITIVE_INFINITY -> 2;
      case NAN -> 3;
      default -> 1;
    };
  }

  @Override
  public int compare(int row, Vector other, int otherRow) {
    var o = (NumericVector) other;
    int a = rank(special(row));
    int b = rank(o.special(otherRow));
    if (a != b || a != 1) {
      return Integer.compare(a, b);
    }
    if (big(row) == null && o.big(otherRow) == null && scale(row) == o.scale(otherRow)) {
      return Long.compare(unscaled[row], o.unscaled[otherRow]);
    }
    return get(row).compareTo(o.get(otherRow));
  }

  @Override
  public long hash(int row) {
    if (special(row) != FINITE) {
      return mix(special(row));
    }
    if (big(row) == null) {
      long u = unscaled[row];
      int s = scale(row);
      while (u != 0 && u % 10 == 0) {
        u /= 10;
        s--;
      }
      return u == 0 ? mix(0) : mix(u * 31 + s);
    }
    BigDecimal b = get(row).stripTrailingZeros();
    if (b.signum() == 0) {
      return mix(0);
    }
    if (b.unscaledValue().bitLength() < 64) {
      return mix(b.unscaledValue().longValue() * 31 + b.scale());
    }
    return mix(b.hashCode());
  }
}
