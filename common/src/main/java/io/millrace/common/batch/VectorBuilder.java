package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds a vector value by value. After {@link #build} the builder is empty and may be used again.
 */
public abstract sealed class VectorBuilder {
  final SqlType type;
  int length;
  private long @Nullable [] validity;

  VectorBuilder(SqlType type) {
    this.type = type;
  }

  /** A builder for the type's layout. */
  public static VectorBuilder of(SqlType type, int capacity) {
    return switch (type.layout()) {
      case BOOL -> new Bools(type, capacity);
      case INT -> new Ints(type, capacity);
      case LONG -> new Longs(type, capacity);
      case FLOAT -> new Floats(type, capacity);
      case DOUBLE -> new Doubles(type, capacity);
      case BYTES -> new Bytes(type, capacity);
      case NUMERIC -> new Numerics(type, capacity);
      case INTERVAL -> new Intervals(type, capacity);
      case ARRAY -> new ArrayRows(type, capacity);
      case RECORD -> new Records(type, capacity);
    };
  }

  public final SqlType type() {
    return type;
  }

  public final int length() {
    return length;
  }

  /** Appends NULL. */
  public final void appendNull() {
    int n = length;
    appendDefault();
    markNull(n);
  }

  /** Appends a value of a vector of the same layout, NULL included. */
  public final void append(Vector source, int row) {
    if (source.isNull(row)) {
      appendNull();
    } else {
      appendValue(source, row);
    }
  }

  /** Appends rows [from, from + count) of a vector of the same layout. */
  public final void append(Vector source, int from, int count) {
    for (int i = from; i < from + count; i++) {
      append(source, i);
    }
  }

  /** Makes an already appended row NULL. */
  public final void setNull(int row) {
    markNull(row);
  }

  public final Vector build() {
    long[] v = validity == null ? null : Arrays.copyOf(validity, Bits.words(length));
    Vector out = finish(v);
    length = 0;
    validity = null;
    return out;
  }

  abstract void appendDefault();

  abstract void appendValue(Vector source, int row);

  abstract Vector finish(long @Nullable [] v);

  private void markNull(int row) {
    if (validity == null) {
      validity = Bits.allSet(Math.max(64, length + 64));
      Arrays.fill(validity, -1L);
    }
    ensureValidity();
    Bits.clear(validity, row);
  }

  private void ensureValidity() {
    long[] v = validity;
    if (v != null && v.length < Bits.words(length + 1)) {
      int old = v.length;
      v = Arrays.copyOf(v, Math.max(old * 2, Bits.words(length + 1)));
      Arrays.fill(v, old, v.length, -1L);
      validity = v;
    }
  }

  final void grown() {
    length++;
    ensureValidity();
  }

  /** Builds {@link BoolVector}s. */
  public static final class Bools extends VectorBuilder {
    private boolean[] values;

    Bools(SqlType type, int capacity) {
      super(type);
      values = new boolean[Math.max(4, capacity)];
    }

    public void append(boolean v) {
      if (length == values.length) {
        values = Arrays.copyOf(values, length * 2);
      }
      values[length] = v;
      grown();
    }

    @Override
    void appendDefault() {
      append(false);
    }

    @Override
    void appendValue(Vector source, int row) {
      append(((BoolVector) source).get(row));
    }

    @Override
    Vector finish(long @Nullable [] v) {
      return new BoolVector(type, Arrays.copyOf(values, length), length, v);
    }
  }

  /** Builds {@link IntVector}s. */
  public static final class Ints extends VectorBuilder {
    private int[] values;

    Ints(SqlType type, int capacity) {
      super(type);
      values = new int[Math.max(4, capacity)];
    }

    public void append(int v) {
      if (length == values.length) {
        values = Arrays.copyOf(values, length * 2);
      }
      values[length] = v;
      grown();
    }

    @Override
    void appendDefault() {
      append(0);
    }

    @Override
    void appendValue(Vector source, int row) {
      append(((IntVector) source).get(row));
    }

    @Override
    Vector finish(long @Nullable [] v) {
      return new IntVector(type, Arrays.copyOf(values, length), length, v);
    }
  }

  /** Builds {@link LongVector}s. */
  public static final class Longs extends VectorBuilder {
    private long[] values;

    Longs(SqlType type, int capacity) {
      super(type);
      values = new long[Math.max(4, capacity)];
    }

    public void append(long v) {
      if (length == values.length) {
        values = Arrays.copyOf(values, length * 2);
      }
      values[length] = v;
      grown();
    }

    @Override
    void appendDefault() {
      append(0);
    }

    @Override
    void appendValue(Vector source, int row) {
      append(((LongVector) source).get(row));
    }

    @Override
    Vector finish(long @Nullable [] v) {
      return new LongVector(type, Arrays.copyOf(values, length), length, v);
    }
  }

  /** Builds {@link FloatVector}s. */
  public static final class Floats extends VectorBuilder {
    private float[] values;

    Floats(SqlType type, int capacity) {
      super(type);
      values = new float[Math.max(4, capacity)];
    }

    public void append(float v) {
      if (length == values.length) {
        values = Arrays.copyOf(values, length * 2);
      }
      values[length] = v;
      grown();
    }

    @Override
    void appendDefault() {
      append(0f);
    }

    @Override
    void appendValue(Vector source, int row) {
      append(((FloatVector) source).get(row));
    }

    @Override
    Vector finish(long @Nullable [] v) {
      return new FloatVector(type, Arrays.copyOf(values, length), length, v);
    }
  }

  /** Builds {@link DoubleVector}s. */
  public static final class Doubles extends VectorBuilder {
    private double[] values;

    Doubles(SqlType type, int capacity) {
      super(type);
      values = new double[Math.max(4, capacity)];
    }

    public void append(double v) {
      if (length == values.length) {
        values = Arrays.copyOf(values, length * 2);
      }
      values[length] = v;
      grown();
    }

    @Override
    void appendDefault() {
      append(0d);
    }

    @Override
    void appendValue(Vector source, int row) {
      append(((DoubleVector) source).get(row));
    }

    @Override
    Vector finish(long @Nullable [] v) {
      return new DoubleVector(type, Arrays.copyOf(values, length), length, v);
    }
  }

  /** Builds {@link BytesVector}s. */
  public static final class Bytes extends VectorBuilder {
    private int[] offsets;
    private byte[] data = new byte[64];

    Bytes(SqlType type, int capacity) {
      super(type);
      offsets = new int[Math.max(4, capacity) + 1];
    }

    public void append(byte[] source, int from, int count) {
      int at = offsets[length];
      ensure(at, count);
      System.arraycopy(source, from, data, at, count);
      push(at + count);
    }

    public void append(byte[] source) {
      append(source, 0, source.length);
    }

    public void append(String text) {
      append(text.getBytes(StandardCharsets.UTF_8));
    }

    private void ensure(int at, int count) {
      int need = Math.addExact(at, count);
      if (need > data.length) {
        data =
            Arrays.copyOf(
                data, (int) Math.max(need, Math.min(Integer.MAX_VALUE - 16L, data.length * 2L)));
      }
    }

    private void push(int end) {
      if (length + 2 > offsets.length) {
        offsets = Arrays.copyOf(offsets, offsets.length * 2);
      }
      offsets[length + 1] = end;
      grown();
    }

    @Override
    void appendDefault() {
      push(offsets[length]);
    }

    @Override
    void appendValue(Vector source, int row) {
      var b = (BytesColumn) source;
      append(b.data(row), b.start(row), b.size(row));
    }

    @Override
    Vector finish(long @Nullable [] v) {
      var out =
          new BytesVector(
              type,
              Arrays.copyOf(offsets, length + 1),
              Arrays.copyOf(data, offsets[length]),
              length,
              v);
      offsets[0] = 0;
      return out;
    }
  }

  /** Builds {@link NumericVector}s. */
  public static final class Numerics extends VectorBuilder {
    private static final BigInteger MIN = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private long[] unscaled;
    private byte[] scales;
    private @Nullable BigDecimal @Nullable [] big;
    private byte @Nullable [] special;

    Numerics(SqlType type, int capacity) {
      super(type);
      unscaled = new long[Math.max(4, capacity)];
      scales = new byte[unscaled.length];
    }

    private void ensure() {
      if (length == unscaled.length) {
        int n = length * 2;
        unscaled = Arrays.copyOf(unscaled, n);
        scales = Arrays.copyOf(scales, n);
        big = big == null ? null : Arrays.copyOf(big, n);
        special = special == null ? null : Arrays.copyOf(special, n);
      }
    }

    /** Appends unscaled × 10^-scale, scale in 0..127. */
    public void append(long unscaledValue, int scale) {
      ensure();
      unscaled[length] = unscaledValue;
      scales[length] = (byte) scale;
      grown();
    }

    /** Appends a value with its display scale (negative scales become 0). */
    public void append(BigDecimal v) {
      BigDecimal d = v.scale() < 0 ? v.setScale(0) : v;
      BigInteger u = d.unscaledValue();
      if (d.scale() <= 127 && u.compareTo(MIN) >= 0 && u.compareTo(MAX) <= 0) {
        append(u.longValue(), d.scale());
        return;
      }
      ensure();
      if (big == null) {
        big = new BigDecimal[unscaled.length];
      }
      big[length] = d;
      grown();
    }

    /** Appends NAN, POSITIVE_INFINITY or NEGATIVE_INFINITY. */
    public void appendSpecial(byte mark) {
      ensure();
      if (special == null) {
        special = new byte[unscaled.length];
      }
      special[length] = mark;
      grown();
    }

    @Override
    void appendDefault() {
      append(0L, length == 0 ? 0 : scales[length - 1]);
    }

    @Override
    void appendValue(Vector source, int row) {
      var n = (NumericVector) source;
      if (n.special(row) != NumericVector.FINITE) {
        appendSpecial(n.special(row));
      } else if (n.big(row) == null) {
        append(n.unscaled()[row], n.scale(row));
      } else {
        append(Objects.requireNonNull(n.big(row)));
      }
    }

    @Override
    Vector finish(long @Nullable [] v) {
      boolean uniform = true;
      for (int i = 1; i < length && uniform; i++) {
        uniform = scales[i] == scales[0];
      }
      var out =
          new NumericVector(
              type,
              Arrays.copyOf(unscaled, length),
              length == 0 ? 0 : scales[0],
              uniform ? null : Arrays.copyOf(scales, length),
              big == null ? null : Arrays.copyOf(big, length),
              special == null ? null : Arrays.copyOf(special, length),
              length,
              v);
      Arrays.fill(scales, (byte) 0);
      big = null;
      special = null;
      return out;
    }
  }

  /** Builds {@link IntervalVector}s. */
  public static final class Intervals extends VectorBuilder {
    private int[] months;
    private int[] days;
    private long[] micros;

    Intervals(SqlType type, int capacity) {
      super(type);
      int n = Math.max(4, capacity);
      months = new int[n];
      days = new int[n];
      micros = new long[n];
    }

    public void append(int m, int d, long u) {
      if (length == months.length) {
        months = Arrays.copyOf(months, length * 2);
        days = Arrays.copyOf(days, length * 2);
        micros = Arrays.copyOf(micros, length * 2);
      }
      months[length] = m;
      days[length] = d;
      micros[length] = u;
      grown();
    }

    @Override
    void appendDefault() {
      append(0, 0, 0L);
    }

    @Override
    void appendValue(Vector source, int row) {
      var i = (IntervalVector) source;
      append(i.months()[row], i.days()[row], i.micros()[row]);
    }

    @Override
    Vector finish(long @Nullable [] v) {
      return new IntervalVector(
          type,
          Arrays.copyOf(months, length),
          Arrays.copyOf(days, length),
          Arrays.copyOf(micros, length),
          length,
          v);
    }
  }

  /** Builds {@link ArrayVector}s: append elements to {@link #elements}, then end the row. */
  public static final class ArrayRows extends VectorBuilder {
    private final VectorBuilder elements;
    private int[] offsets;
    private int @Nullable [] @Nullable [] shapes;

    ArrayRows(SqlType type, int capacity) {
      super(type);
      elements = VectorBuilder.of(type.elementType(), capacity);
      offsets = new int[Math.max(4, capacity) + 1];
    }

    public VectorBuilder elements() {
      return elements;
    }

    /**
     * Ends a row: all elements appended since the last end. Shape as in {@link ArrayVector#shape}.
     */
    public void endRow(int @Nullable [] shape) {
      if (length + 2 > offsets.length) {
        offsets = Arrays.copyOf(offsets, offsets.length * 2);
      }
      offsets[length + 1] = elements.length();
      if (shape != null && shapes == null) {
        shapes = new int[offsets.length][];
      }
      if (shapes != null) {
        if (shapes.length < offsets.length) {
          shapes = Arrays.copyOf(shapes, offsets.length);
        }
        shapes[length] = shape;
      }
      grown();
    }

    @Override
    void appendDefault() {
      endRow(null);
    }

    @Override
    void appendValue(Vector source, int row) {
      var a = (ArrayVector) source;
      for (int e = a.start(row); e < a.end(row); e++) {
        elements.append(a.elements(), e);
      }
      endRow(a.shape(row));
    }

    @Override
    Vector finish(long @Nullable [] v) {
      var out =
          new ArrayVector(
              type,
              Arrays.copyOf(offsets, length + 1),
              elements.build(),
              shapes == null ? null : Arrays.copyOf(shapes, length),
              length,
              v);
      offsets[0] = 0;
      shapes = null;
      return out;
    }
  }

  /** Builds {@link RecordVector}s: append one value to each child, then end the row. */
  public static final class Records extends VectorBuilder {
    private final List<VectorBuilder> children = new ArrayList<>();

    Records(SqlType type, int capacity) {
      super(type);
      for (SqlType.Field f : type.fields()) {
        children.add(VectorBuilder.of(f.type(), capacity));
      }
    }

    public VectorBuilder child(int field) {
      return children.get(field);
    }

    public void endRow() {
      grown();
    }

    @Override
    void appendDefault() {
      for (VectorBuilder c : children) {
        c.appendNull();
      }
      endRow();
    }

    @Override
    void appendValue(Vector source, int row) {
      var r = (RecordVector) source;
      for (int i = 0; i < children.size(); i++) {
        children.get(i).append(r.children().get(i), row);
      }
      endRow();
    }

    @Override
    Vector finish(long @Nullable [] v) {
      var out = new ArrayList<Vector>(children.size());
      for (VectorBuilder c : children) {
        out.add(c.build());
      }
      return new RecordVector(type, out, length, v);
    }
  }
}
