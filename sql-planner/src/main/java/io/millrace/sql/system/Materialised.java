package io.millrace.sql.system;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.sql.exec.SystemTables.Condition;
import io.millrace.sql.physical.PhysicalPlan.ScanConjunct;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Rows of a relation with hash indexes, built for the columns that conditions name. */
final class Materialised {
  private static final int[] NONE = {};

  private final Batch all;
  private final Map<Integer, Map<Object, int[]>> indexes = new ConcurrentHashMap<>();

  Materialised(Batch all) {
    this.all = all;
  }

  /** The rows that can meet the conditions: a superset. */
  Batch rows(List<Condition> conditions) {
    for (Condition c : conditions) {
      if (!indexable(c) || all.rows() < 8) {
        continue;
      }
      Map<Object, int[]> index = indexes.computeIfAbsent(c.column(), this::index);
      int[] rows = NONE;
      for (int i = 0; i < c.values().length(); i++) {
        Object key = key(c.values(), i);
        int[] found = key == null ? NONE : index.getOrDefault(key, NONE);
        int n = rows.length;
        rows = Arrays.copyOf(rows, n + found.length);
        System.arraycopy(found, 0, rows, n, found.length);
      }
      int[] distinct = Arrays.stream(rows).sorted().distinct().toArray();
      return new Batch(
          all.columns().stream().map(v -> v.take(distinct, distinct.length)).toList(),
          distinct.length);
    }
    return all;
  }

  private boolean indexable(Condition c) {
    if (c.kind() != ScanConjunct.Kind.EQ && c.kind() != ScanConjunct.Kind.IN) {
      return false;
    }
    Vector column = all.column(c.column());
    return column instanceof IntVector
        ? c.values() instanceof IntVector || c.values() instanceof LongVector
        : column instanceof BytesColumn && c.values() instanceof BytesColumn;
  }

  private Map<Object, int[]> index(int column) {
    Vector v = all.column(column);
    var out = new HashMap<Object, int[]>();
    for (int i = 0; i < all.rows(); i++) {
      Object key = key(v, i);
      if (key != null) {
        int row = i;
        out.merge(
            key,
            new int[] {row},
            (a, b) -> {
              int[] both = Arrays.copyOf(a, a.length + 1);
              both[a.length] = row;
              return both;
            });
      }
    }
    return out;
  }

  /** A value as a key: whole numbers by their low 32 bits, text as it is; null for NULL. */
  static @Nullable Object key(Vector v, int row) {
    if (v.isNull(row)) {
      return null;
    }
    return switch (v) {
      case IntVector x -> x.get(row);
      case LongVector x -> (int) x.get(row);
      case BytesColumn x -> x.string(row);
      default -> null;
    };
  }
}
