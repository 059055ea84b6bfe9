package io.millrace.sql.exec.operator;

import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The line through a series' values: between two of them the straight line through both, before the
 * first and behind the last that of the nearest two. With one value alone only that is known.
 */
final class RangeLine {
  private static final int SCALE = 16;
  private final SqlType type;
  private final boolean open;
  private final Vector values;
  private final long[] times;
  private final int[] known;
  private int count;

  /** The first known value at or behind the point asked for last. */
  private int next;

  /**
   * @param open whether the line goes on before the first value and behind the last
   */
  RangeLine(SqlType type, long[] times, Vector values, boolean open) {
    this.type = type;
    this.open = open;
    this.values = values;
    this.times = times;
    known = new int[values.length()];
    for (int i = 0; i < known.length; i++) {
      if (!values.isNull(i)) {
        known[count++] = i;
      }
    }
  }

  /** Values at n growing times, which go on where the last call ended. */
  Vector at(long[] wanted, int n) {
    VectorBuilder out = VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      while (next < count && times[known[next]] < wanted[i]) {
        next++;
      }
      if (next < count && times[known[next]] == wanted[i]) {
        exact(out, known[next]);
      } else if (count < 2 || (!open && (next == 0 || next == count))) {
        out.appendNull();
      } else {
        int right = Math.clamp(next, 1, count - 1);
        between(out, known[right - 1], known[right], wanted[i]);
      }
    }
    return out.build();
  }

  private void exact(VectorBuilder out, int row) {
    switch (out) {
      case VectorBuilder.Doubles d -> d.append(number(row));
      case VectorBuilder.Floats f -> f.append((float) number(row));
      default -> out.append(values, row);
    }
  }

  private void between(VectorBuilder out, int a, int b, long time) {
    switch (out) {
      case VectorBuilder.Doubles d -> d.append(line(a, b, time));
      case VectorBuilder.Floats f -> f.append((float) line(a, b, time));
      case VectorBuilder.Numerics n -> exactLine(n, a, b, time);
      default -> throw new IllegalStateException("no line through " + type);
    }
  }

  private double number(int row) {
    return switch (values) {
      case DoubleVector v -> v.get(row);
      case FloatVector v -> v.get(row);
      case LongVector v -> v.get(row);
      case IntVector v -> v.get(row);
      default -> throw new IllegalStateException("no number: " + values.type());
    };
  }

  private double line(int a, int b, long time) {
    double first = number(a);
    double rise = number(b) - first;
    double step = (double) time - times[a];
    double width = (double) times[b] - times[a];
    double y = first + rise * step / width;
    return Double.isInfinite(y) ? first + rise * (step / width) : y;
  }

  private void exactLine(VectorBuilder.Numerics out, int a, int b, long time) {
    var v = (NumericVector) values;
    if (v.special(a) != NumericVector.FINITE || v.special(b) != NumericVector.FINITE) {
      out.appendSpecial(NumericVector.NAN);
      return;
    }
    BigDecimal first = v.get(a);
    BigDecimal rise = v.get(b).subtract(first);
    BigDecimal step = BigDecimal.valueOf(time).subtract(BigDecimal.valueOf(times[a]));
    BigDecimal width = BigDecimal.valueOf(times[b]).subtract(BigDecimal.valueOf(times[a]));
    int scale = Math.max(SCALE, rise.scale());
    out.append(first.add(rise.multiply(step).divide(width, scale, RoundingMode.HALF_UP)));
  }
}
