package io.millrace.storage.engine;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.OpType;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.ScanRequest.Order;
import io.millrace.storage.ScanRequest.RowSelector;
import io.millrace.storage.ScanStatistics;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows (k, ts, v) in and out of an engine, as text: columns of a row parted by commas. */
final class Door {
  private Door() {}

  /** A row; null v is NULL. */
  record Row(int k, long ts, @Nullable Long v) {}

  static Row row(int k, long ts, @Nullable Long v) {
    return new Row(k, ts, v);
  }

  static RegionWrite write(RegionId region, OpType op, Row... rows) {
    int n = rows.length;
    int[] k = new int[n];
    long[] ts = new long[n];
    var v = (VectorBuilder.Longs) VectorBuilder.of(SqlType.INT8, n);
    for (int i = 0; i < n; i++) {
      k[i] = rows[i].k;
      ts[i] = rows[i].ts;
      Long value = rows[i].v;
      if (value == null) {
        v.appendNull();
      } else {
        v.append(value);
      }
    }
    var columns = new ArrayList<Vector>();
    columns.add(new IntVector(SqlType.INT4, k, n, null));
    columns.add(new LongVector(SqlType.TIMESTAMP, ts, n, null));
    var ids = new ArrayList<>(List.of(Fixture.K, Fixture.TS));
    if (op != OpType.DELETE) {
      columns.add(v.build());
      ids.add(Fixture.V);
    }
    return new RegionWrite(region, 1, op, ids, new Batch(columns, n));
  }

  static RegionWrite put(RegionId region, Row... rows) {
    return write(region, OpType.PUT, rows);
  }

  static RegionOptions options(boolean append, RegionOptions.MergeMode mode) {
    return new RegionOptions(RegionOptions.KeyMode.TIME_INDEX, append, mode, 0, false, 0);
  }

  /** What to read; changed step by step. */
  static final class Scan {
    private final RegionId region;
    private List<Integer> columns = List.of(Fixture.K, Fixture.TS, Fixture.V);
    private List<ColumnPredicate> predicates = List.of();
    private long min = Long.MIN_VALUE;
    private long max = Long.MAX_VALUE;
    private long limit = -1;
    private Order order = Order.KEY;
    private long after;
    private RowSelector selector = RowSelector.ALL;
    private boolean deletes;
    private int partitions = 1;

    Scan(RegionId region) {
      this.region = region;
    }

    Scan columns(Integer... ids) {
      columns = List.of(ids);
      return this;
    }

    Scan where(ColumnPredicate... all) {
      predicates = List.of(all);
      return this;
    }

    Scan times(long from, long to) {
      min = from;
      max = to;
      return this;
    }

    Scan limit(long n) {
      limit = n;
      return this;
    }

    Scan order(Order o) {
      order = o;
      return this;
    }

    Scan after(long sequence) {
      after = sequence;
      return this;
    }

    Scan lastRows() {
      selector = RowSelector.LAST_ROW;
      return this;
    }

    Scan keepDeletes() {
      deletes = true;
      return this;
    }

    Scan partitions(int n) {
      partitions = n;
      return this;
    }

    ScanRequest request() {
      return new ScanRequest(
          region,
          columns,
          predicates,
          min,
          max,
          limit,
          order,
          after,
          null,
          selector,
          deletes,
          partitions);
    }

    List<String> rows(RegionEngine engine) {
      return read(engine).rows;
    }

    ScanStatistics statistics(RegionEngine engine) {
      return read(engine).statistics;
    }

    private Result read(RegionEngine engine) {
      try (Snapshot s = engine.snapshot(List.of(region));
          RegionScanner scanner = engine.scan(s, request())) {
        var out = new ArrayList<String>();
        for (int p = 0; p < scanner.partitions(); p++) {
          try (PartitionReader reader = scanner.open(p)) {
            for (Batch b = reader.next(); b != null; b = reader.next()) {
              add(b, out);
            }
          }
        }
        return new Result(out, scanner.statistics());
      }
    }

    private static void add(Batch b, List<String> out) {
      for (int i = 0; i < b.rows(); i++) {
        var cells = new ArrayList<String>();
        for (Vector v : b.columns()) {
          cells.add(cell(v, i));
        }
        out.add(String.join(",", cells));
      }
    }

    private static String cell(Vector v, int i) {
      if (v.isNull(i)) {
        return "-";
      }
      return switch (v) {
        case IntVector x -> Integer.toString(x.get(i));
        case LongVector x -> Long.toString(x.get(i));
        default -> v.toString();
      };
    }

    private record Result(List<String> rows, ScanStatistics statistics) {}
  }

  static Scan scan(RegionId region) {
    return new Scan(region);
  }
}
