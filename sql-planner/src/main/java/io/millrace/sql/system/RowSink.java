package io.millrace.sql.system;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of a system relation, given as Java values in column order. */
final class RowSink {
  private final List<VectorBuilder> builders = new ArrayList<>();
  private int rows;

  RowSink(List<SqlType> types) {
    for (SqlType t : types) {
      builders.add(VectorBuilder.of(t, 64));
    }
  }

  /**
   * One row: String, Integer, Long, Boolean, Float, Double, a List for arrays, or null. Missing
   * values at the end are NULL.
   */
  void row(@Nullable Object... values) {
    for (int i = 0; i < builders.size(); i++) {
      put(builders.get(i), i < values.length ? values[i] : null);
    }
    rows++;
  }

  /** One row of fields in PostgreSQL's text form. */
  void textRow(@Nullable String[] fields) {
    for (int i = 0; i < builders.size(); i++) {
      VectorBuilder b = builders.get(i);
      String f = i < fields.length ? fields[i] : null;
      put(b, f == null ? null : parsed(b, f));
    }
    rows++;
  }

  private static Object parsed(VectorBuilder b, String f) {
    return switch (b) {
      case VectorBuilder.Bools x -> f.equals("t");
      case VectorBuilder.Ints x -> (int) Long.parseLong(f);
      case VectorBuilder.Longs x -> Long.parseLong(f);
      case VectorBuilder.Floats x -> Float.parseFloat(f);
      case VectorBuilder.Doubles x -> Double.parseDouble(f);
      case VectorBuilder.ArrayRows x ->
          f.isEmpty()
              ? List.of()
              : Arrays.stream(f.split(" ")).map(n -> (int) Long.parseLong(n)).toList();
      default -> f;
    };
  }

  int rows() {
    return rows;
  }

  static void put(VectorBuilder b, @Nullable Object value) {
    if (value == null) {
      b.appendNull();
      return;
    }
    switch (b) {
      case VectorBuilder.Bools x -> x.append((Boolean) value);
      case VectorBuilder.Ints x -> x.append(((Number) value).intValue());
      case VectorBuilder.Longs x -> x.append(((Number) value).longValue());
      case VectorBuilder.Floats x -> x.append(((Number) value).floatValue());
      case VectorBuilder.Doubles x -> x.append(((Number) value).doubleValue());
      case VectorBuilder.Bytes x -> x.append(value.toString());
      case VectorBuilder.Numerics x -> x.append(((Number) value).longValue(), 0);
      case VectorBuilder.ArrayRows x -> {
        int n = 0;
        for (Object e : (List<?>) value) {
          put(x.elements(), e);
          n++;
        }
        boolean vector =
            x.type().kind() == io.millrace.common.type.TypeKind.INT2VECTOR
                || x.type().kind() == io.millrace.common.type.TypeKind.OIDVECTOR;
        x.endRow(vector && n > 0 ? new int[] {n, 0} : null);
      }
      case VectorBuilder.Intervals x ->
          throw new IllegalArgumentException("no system relation has an interval");
      case VectorBuilder.Records x ->
          throw new IllegalArgumentException("no system relation has a record");
    }
  }

  Batch build() {
    var out = new ArrayList<Vector>();
    for (VectorBuilder b : builders) {
      out.add(b.build());
    }
    var batch = new Batch(out, rows);
    rows = 0;
    return batch;
  }
}
