package io.millrace.common.batch;

import io.millrace.common.type.SqlType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Composite values: one child vector per field. */
public final class RecordVector extends Vector {
  private final List<Vector> children;

  public RecordVector(SqlType type, List<Vector> children, int length, long @Nullable [] validity) {
    super(type, length, validity);
    this.children = List.copyOf(children);
  }

  public List<Vector> children() {
    return children;
  }

  @Override
  public long byteSize() {
    long n = 64;
    for (Vector v : children) {
      n += v.byteSize();
    }
    return n;
  }

  @Override
  public RecordVector take(int[] positions, int count) {
    return new RecordVector(
        type(),
        children.stream().map(c -> c.take(positions, count)).toList(),
        count,
        takeValidity(positions, count));
  }

  @Override
  public RecordVector slice(int from, int count) {
    return new RecordVector(
        type(),
        children.stream().map(c -> c.slice(from, count)).toList(),
        count,
        sliceValidity(from, count));
  }

  @Override
  public RecordVector withType(SqlType newType) {
    return new RecordVector(newType, children, length(), validity());
  }

  @Override
  public int compare(int row, Vector other, int otherRow) {
    var o = (RecordVector) other;
    for (int i = 0; i < children.size(); i++) {
      Vector a = children.get(i);
      Vector b = o.children.get(i);
      boolean an = a.isNull(row);
      boolean bn = b.isNull(otherRow);
      int c = an || bn ? Boolean.compare(an, bn) : a.compare(row, b, otherRow);
      if (c != 0) {
        return c;
      }
    }
    return 0;
  }

  @Override
  public long hash(int row) {
    long h = 23;
    for (Vector c : children) {
      h = h * 31 + (c.isNull(row) ? 7 : c.hash(row));
    }
    return mix(h);
  }
}
