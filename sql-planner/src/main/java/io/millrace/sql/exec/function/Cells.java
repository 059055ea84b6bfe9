package io.millrace.sql.exec.function;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One value (or NULL, or nothing yet) per group. Fixed-width types are kept as 64 bits, the others
 * as vectors of one row that were copied out of their batch.
 */
final class Cells {
  private static final byte EMPTY = 0;
  private static final byte NULL = 1;
  private static final byte VALUE = 2;

  private final SqlType type;
  private final boolean fixed;
  private byte[] state = new byte[0];
  private long[] bits = new long[0];
  private @Nullable Vector[] vectors = new Vector[0];
  private long held;

  Cells(SqlType type) {
    this.type = type;
    fixed =
        switch (type.layout()) {
          case BOOL, INT, LONG, FLOAT, DOUBLE -> true;
          default -> false;
        };
  }

  void grow(int capacity) {
    state = Arrays.copyOf(state, capacity);
    if (fixed) {
      bits = Arrays.copyOf(bits, capacity);
    } else {
      vectors = Arrays.copyOf(vectors, capacity);
    }
  }

  boolean empty(int group) {
    return state[group] == EMPTY;
  }

  boolean isNull(int group) {
    return state[group] != VALUE;
  }

  void clear(int group) {
    state[group] = EMPTY;
    if (!fixed) {
      vectors[group] = null;
    }
  }

  void set(int group, Vector v, int row) {
    if (v.isNull(row)) {
      clear(group);
      state[group] = NULL;
      return;
    }
    state[group] = VALUE;
    if (fixed) {
      bits[group] = bitsOf(v, row);
    } else {
      Vector old = vectors[group];
      Vector one = v.take(new int[] {row}, 1);
      held += one.byteSize() - (old == null ? 0 : old.byteSize());
      vectors[group] = one;
    }
  }

  private static long bitsOf(Vector v, int row) {
    return switch (v) {
      case BoolVector x -> x.get(row) ? 1 : 0;
      case IntVector x -> x.get(row);
      case LongVector x -> x.get(row);
      case FloatVector x -> Float.floatToRawIntBits(x.get(row));
      case DoubleVector x -> Double.doubleToRawLongBits(x.get(row));
      default -> throw new IllegalStateException("layout");
    };
  }

  /** Compares a group's value with a row's, neither NULL. */
  int compare(int group, Vector v, int row) {
    if (!fixed) {
      Vector mine = vectors[group];
      return mine == null ? -1 : mine.compare(0, v, row);
    }
    long a = bits[group];
    long b = bitsOf(v, row);
    return switch (type.layout()) {
      case FLOAT -> compare(Float.intBitsToFloat((int) a), Float.intBitsToFloat((int) b));
      case DOUBLE -> compare(Double.longBitsToDouble(a), Double.longBitsToDouble(b));
      case INT ->
          type.kind().isOid() ? Integer.compareUnsigned((int) a, (int) b) : Long.compare(a, b);
      default -> Long.compare(a, b);
    };
  }

  private static int compare(double a, double b) {
    return a == b ? 0 : Double.compare(a, b);
  }

  void append(int group, VectorBuilder out) {
    if (state[group] != VALUE) {
      out.appendNull();
      return;
    }
    if (!fixed) {
      Vector v = vectors[group];
      if (v == null) {
        out.appendNull();
      } else {
        out.append(v, 0);
      }
      return;
    }
    long x = bits[group];
    switch (out) {
      case VectorBuilder.Bools o -> o.append(x != 0);
      case VectorBuilder.Ints o -> o.append((int) x);
      case VectorBuilder.Longs o -> o.append(x);
      case VectorBuilder.Floats o -> o.append(Float.intBitsToFloat((int) x));
      case VectorBuilder.Doubles o -> o.append(Double.longBitsToDouble(x));
      default -> throw new IllegalStateException("layout");
    }
  }

  Vector build(int from, int count) {
    VectorBuilder out = VectorBuilder.of(type, count);
    for (int g = from; g < from + count; g++) {
      append(g, out);
    }
    return out.build();
  }

  SqlType type() {
    return type;
  }

  boolean isFixed() {
    return fixed;
  }

  Layout layout() {
    return type.layout();
  }

  long byteSize() {
    return state.length + bits.length * 8L + vectors.length * 4L + held;
  }
}
