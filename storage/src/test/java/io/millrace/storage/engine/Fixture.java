package io.millrace.storage.engine;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.OpType;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A table (k int tag, ts timestamp, v bigint) and how to write and read it. */
public final class Fixture {
  public static final int K = 1;
  public static final int TS = 2;
  public static final int V = 3;
  public static final TableSchema SCHEMA = schema(1);

  private Fixture() {}

  public static TableSchema schema(int version) {
    return new TableSchema(
        version,
        List.of(
            new ColumnSchema(K, "k", SqlType.INT4, SemanticType.TAG, false, null),
            new ColumnSchema(TS, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null),
            new ColumnSchema(V, "v", SqlType.INT8, SemanticType.FIELD, true, null)),
        List.of(K),
        TS);
  }

  public static RegionId region(int number) {
    return RegionId.of(new TableId(1000), number);
  }

  /** Small sizes, so that things happen. */
  public static EngineConfig config(WalSync sync) {
    return new EngineConfig(
        sync, 10_000, 8192, 256 << 10, 512 << 10, 128 << 10, 4096, 1 << 20, 2, 60_000_000);
  }

  public static RegionWrite put(RegionId region, int[] keys, long[] values) {
    int n = keys.length;
    List<Vector> columns =
        List.of(
            new IntVector(SqlType.INT4, keys, n, null),
            new LongVector(SqlType.TIMESTAMP, new long[n], n, null),
            new LongVector(SqlType.INT8, values, n, null));
    return new RegionWrite(region, 1, OpType.PUT, List.of(K, TS, V), new Batch(columns, n));
  }

  public static RegionWrite put(RegionId region, int key, long value) {
    return put(region, new int[] {key}, new long[] {value});
  }

  public static RegionWrite delete(RegionId region, int key) {
    return new RegionWrite(region, 1, OpType.DELETE, List.of(K, TS), key(key));
  }

  public static Batch key(int key) {
    return new Batch(
        List.of(
            new IntVector(SqlType.INT4, new int[] {key}, 1, null),
            new LongVector(SqlType.TIMESTAMP, new long[1], 1, null)),
        1);
  }

  public static Batch value(long value) {
    return new Batch(List.of(new LongVector(SqlType.INT8, new long[] {value}, 1, null)), 1);
  }

  /** The rows of a region of the snapshot. */
  public static Map<Integer, Long> rows(RegionEngine engine, Snapshot snapshot, RegionId region) {
    var out = new TreeMap<Integer, Long>();
    try (RegionScanner scanner = engine.scan(snapshot, ScanRequest.all(region, List.of(K, V)))) {
      for (int p = 0; p < scanner.partitions(); p++) {
        try (PartitionReader reader = scanner.open(p)) {
          for (Batch b = reader.next(); b != null; b = reader.next()) {
            var k = (IntVector) b.column(0);
            var v = (LongVector) b.column(1);
            for (int i = 0; i < b.rows(); i++) {
              if (out.put(k.get(i), v.get(i)) != null) {
                throw new AssertionError("key " + k.get(i) + " twice in " + region);
              }
            }
          }
        }
      }
    }
    return out;
  }

  /** The rows of a region now. */
  public static Map<Integer, Long> rows(RegionEngine engine, RegionId region) {
    try (Snapshot s = engine.snapshot(List.of(region))) {
      return rows(engine, s, region);
    }
  }
}
