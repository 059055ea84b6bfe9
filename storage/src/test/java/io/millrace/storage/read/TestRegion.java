package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.OpType;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A region made by hand: writes, freezes, flushes and reads through Version and RegionReads. */
public final class TestRegion implements AutoCloseable {
  public static final RegionId ID = new RegionId(7L << 32);

  public final MemoryStore store = new MemoryStore();
  public final RegionReads reads;
  public TableSchema schema;
  public final RegionOptions options;
  public long sequence;
  private final AtomicInteger nextFile = new AtomicInteger();
  private List<Memtable> memtables = new ArrayList<>();
  private List<SstMeta> files = new ArrayList<>();
  public long feedStartKeys;
  public long feedStartRows;

  public TestRegion(TableSchema schema, RegionOptions options) {
    this.schema = schema;
    this.options = options;
    reads = RegionReads.create(store, EngineConfig.DEFAULT);
    memtables.add(new Memtable(schema, options, Long.MIN_VALUE));
  }

  /** host text tag, ts, v float8, n int8, s text. */
  public static TableSchema cpu() {
    return new TableSchema(
        1,
        List.of(
            new ColumnSchema(1, "host", SqlType.TEXT, SemanticType.TAG, true, null),
            new ColumnSchema(2, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null),
            new ColumnSchema(3, "v", SqlType.FLOAT8, SemanticType.FIELD, true, null),
            new ColumnSchema(4, "n", SqlType.INT8, SemanticType.FIELD, true, null),
            new ColumnSchema(5, "s", SqlType.TEXT, SemanticType.FIELD, true, null)),
        List.of(1),
        2);
  }

  public static RegionOptions options(RegionOptions.MergeMode mode, boolean append) {
    return new RegionOptions(RegionOptions.KeyMode.TIME_INDEX, append, mode, 0, false, 0);
  }

  public List<SstMeta> files() {
    return files;
  }

  public void write(OpType op, List<Integer> columnIds, Batch rows) {
    memtables
        .getFirst()
        .append(new RegionWrite(ID, schema.version(), op, columnIds, rows), sequence + 1);
    sequence += rows.rows();
  }

  public void freeze() {
    memtables.getFirst().freeze();
    memtables = new ArrayList<>(memtables);
    memtables.addFirst(memtables.getFirst().successor(schema, options));
  }

  public FlushOutput flush(List<HoldPoint> holds, boolean keepAll) {
    freeze();
    List<Memtable> frozen = memtables.subList(1, memtables.size());
    FlushOutput out =
        new SstFold(store)
            .flush(
                new FlushInput(
                    ID,
                    schema,
                    options,
                    frozen,
                    sequence,
                    holds,
                    keepAll,
                    files,
                    List.of(),
                    feedStartKeys,
                    feedStartRows,
                    Long.MIN_VALUE,
                    0,
                    64L << 20,
                    () -> "f" + nextFile.incrementAndGet()));
    files = new ArrayList<>(files);
    files.addAll(out.files());
    memtables = new ArrayList<>(memtables.subList(0, 1));
    feedStartKeys = out.feedStartKeys();
    feedStartRows = out.feedStartRows();
    return out;
  }

  /** As after a restart: what is in memory is lost, what is known of series too. */
  public void reopen() {
    long max = Long.MIN_VALUE;
    for (SstMeta f : files) {
      max = Math.max(max, f.maxTime());
    }
    memtables = new ArrayList<>(List.of(new Memtable(schema, options, max)));
  }

  public Version version() {
    return Version.empty(ID, schema, options)
        .with()
        .memtables(memtables)
        .files(files)
        .incarnation(1)
        .feedStarts(feedStartKeys, feedStartRows)
        .build();
  }

  public List<Batch> scan(ScanRequest request) {
    return scan(version(), sequence, request);
  }

  public List<Batch> scan(Version version, long at, ScanRequest request) {
    var out = new ArrayList<Batch>();
    try (RegionScanner s = reads.scan(version, at, request)) {
      for (int p = 0; p < s.partitions(); p++) {
        try (PartitionReader r = s.open(p)) {
          for (Batch b = r.next(); b != null; b = r.next()) {
            if (b.rows() > 16_384) {
              throw new AssertionError("batch of " + b.rows());
            }
            if (b.rows() > 0) {
              out.add(b);
            }
          }
        }
      }
    }
    return out;
  }

  public static Vector vector(SqlType type, Object... values) {
    VectorBuilder b = VectorBuilder.of(type, values.length);
    for (Object v : values) {
      append(b, v);
    }
    return b.build();
  }

  public static void append(VectorBuilder b, Object v) {
    if (v == null) {
      b.appendNull();
      return;
    }
    switch (b) {
      case VectorBuilder.Longs x -> x.append(((Number) v).longValue());
      case VectorBuilder.Ints x -> x.append(((Number) v).intValue());
      case VectorBuilder.Doubles x -> x.append(((Number) v).doubleValue());
      case VectorBuilder.Bytes x -> x.append((String) v);
      case VectorBuilder.Bools x -> x.append((Boolean) v);
      default -> throw new IllegalArgumentException(b.getClass() + " " + v);
    }
  }

  @Override
  public void close() {
    reads.close();
  }
}
