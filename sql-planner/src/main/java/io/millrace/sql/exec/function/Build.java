package io.millrace.sql.exec.function;

import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;

/** Loops for functions that go row by row. Only rows without NULL arguments are asked. */
final class Build {
  private Build() {}

  /** Appends the value of one row (or NULL). */
  @FunctionalInterface
  interface Row<B extends VectorBuilder> {
    void put(int row, B out);
  }

  @SuppressWarnings("unchecked")
  private static <B extends VectorBuilder> Vector build(
      SqlType type, List<Vector> args, int n, Row<B> row) {
    long[] validity = Args.validity(args, n);
    VectorBuilder out = VectorBuilder.of(type, n);
    for (int i = 0; i < n; i++) {
      if (Args.valid(validity, i)) {
        row.put(i, (B) out);
      } else {
        out.appendNull();
      }
    }
    return out.build();
  }

  static Vector bytes(SqlType type, List<Vector> args, int n, Row<VectorBuilder.Bytes> row) {
    return build(type, args, n, row);
  }

  static Vector numerics(SqlType type, List<Vector> args, int n, Row<VectorBuilder.Numerics> row) {
    return build(type, args, n, row);
  }

  static Vector intervals(
      SqlType type, List<Vector> args, int n, Row<VectorBuilder.Intervals> row) {
    return build(type, args, n, row);
  }

  static Vector arrays(SqlType type, List<Vector> args, int n, Row<VectorBuilder.ArrayRows> row) {
    return build(type, args, n, row);
  }

  static Vector any(SqlType type, List<Vector> args, int n, Row<VectorBuilder> row) {
    return build(type, args, n, row);
  }

  static Vector text(
      SqlType type, List<Vector> args, int n, java.util.function.IntFunction<String> row) {
    return Build.<VectorBuilder.Bytes>build(type, args, n, (i, out) -> out.append(row.apply(i)));
  }

  static Vector ints(SqlType type, List<Vector> args, int n, IntUnaryOperator row) {
    long[] validity = Args.validity(args, n);
    int[] out = new int[n];
    for (int i = 0; i < n; i++) {
      if (Args.valid(validity, i)) {
        out[i] = row.applyAsInt(i);
      }
    }
    return new IntVector(type, out, n, validity);
  }

  static Vector longs(SqlType type, List<Vector> args, int n, IntToLongFunction row) {
    long[] validity = Args.validity(args, n);
    long[] out = new long[n];
    for (int i = 0; i < n; i++) {
      if (Args.valid(validity, i)) {
        out[i] = row.applyAsLong(i);
      }
    }
    return new LongVector(type, out, n, validity);
  }

  static Vector bools(List<Vector> args, int n, IntPredicate row) {
    long[] validity = Args.validity(args, n);
    boolean[] out = new boolean[n];
    for (int i = 0; i < n; i++) {
      if (Args.valid(validity, i)) {
        out[i] = row.test(i);
      }
    }
    return new BoolVector(SqlType.BOOL, out, n, validity);
  }

  static Vector doubles(List<Vector> args, int n, DoubleUnaryOperator f) {
    double[] in = Args.doubles(args, 0);
    long[] validity = Args.validity(args, n);
    double[] out = new double[n];
    for (int i = 0; i < n; i++) {
      if (Args.valid(validity, i)) {
        out[i] = f.applyAsDouble(in[i]);
      }
    }
    return new DoubleVector(SqlType.FLOAT8, out, n, validity);
  }

  /** The same value in all rows. */
  static Vector constant(SqlType type, int n, java.util.function.Consumer<VectorBuilder> value) {
    VectorBuilder b = VectorBuilder.of(type, 1);
    value.accept(b);
    return b.build().take(new int[n], n);
  }
}
