package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Arrays: row i holds elements [offsets[i], offsets[i + 1]) of one element vector, in row-major
 * order. {@link #shape} is only there for rows that are not one-dimensional with lower bound 1:
 * alternating length and lower bound of each dimension. An empty array has no elements and no
 * dimensions.
 */
public final class ArrayVector extends Vector {
  private final int[] offsets;
  private final Vector elements;
  private final int @Nullable [] @Nullable [] shapes;

  public ArrayVector(
      SqlType type,
      int[] offsets,
      Vector elements,
      int @Nullable [] @Nullable [] shapes,
      int length,
      long @Nullable [] validity) {
    super(type, length, validity);
    this.offsets = offsets;
    this.elements = elements;
    this.shapes = shapes;
  }

  public int[] offsets() {
    return offsets;
  }

  public Vector elements() {
    return elements;
  }

  public int start(int row) {
    return offsets[row];
  }

  public int end(int row) {
    return offsets[row + 1];
  }

  /** Length and lower bound per dimension; null for the usual one dimension from 1 (or empty). */
  public int @Nullable [] shape(int row) {
    return shapes == null ? null : shapes[row];
  }

  @Override
  public long byteSize() {
    return 72 + offsets.length * 4L + elements.byteSize();
  }

  @Override
  public ArrayVector take(int[] positions, int count) {
    int[] o = new int[count + 1];
    int total = 0;
    for (int i = 0; i < count; i++) {
      int p = positions[i];
      total += offsets[p + 1] - offsets[p];
      o[i + 1] = total;
    }
    int[] at = new int[total];
    int n = 0;
    int @Nullable [] @Nullable [] s = shapes == null ? null : new int[count][];
    for (int i = 0; i < count; i++) {
      int p = positions[i];
      for (int e = offsets[p]; e < offsets[p + 1]; e++) {
        at[n++] = e;
      }
      if (s != null && shapes != null) {
        s[i] = shapes[p];
      }
    }
    return new ArrayVector(
        type(), o, elements.take(at, total), s, count, takeValidity(positions, count));
  }

  @Override
  public ArrayVector slice(int from, int count) {
    return from == 0 && count == length()
        ? this
        : new ArrayVector(
            type(),
            Arrays.copyOfRange(offsets, from, from + count + 1),
            elements,
            shapes == null ? null : Arrays.copyOfRange(shapes, from, from + count),
            count,
            sliceValidity(from, count));
  }

  @Override
  public ArrayVector withType(SqlType newType) {
    return new ArrayVector(newType, offsets, elements, shapes, length(), validity());
  }

  @Override
  public int compare(int row, Vector other, int otherRow) {
    var o = (ArrayVector) other;
    int n = end(row) - start(row);
    int m = o.end(otherRow) - o.start(otherRow);
    for (int i = 0; i < Math.min(n, m); i++) {
      int a = start(row) + i;
      int b = o.start(otherRow) + i;
      boolean an = elements.isNull(a);
      boolean bn = o.elements.isNull(b);
      int c = an || bn ? Boolean.compare(an, bn) : elements.compare(a, o.elements, b);
      if (c != 0) {
        return c;
      }
    }
    return n != m ? Integer.compare(n, m) : Arrays.compare(shape(row), o.shape(otherRow));
  }

  @Override
  public long hash(int row) {
    long h = 17;
    for (int e = start(row); e < end(row); e++) {
      h = h * 31 + (elements.isNull(e) ? 7 : elements.hash(e));
    }
    return mix(h);
  }
}
