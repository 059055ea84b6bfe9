package io.millrace.bench;

import io.millrace.common.batch.Batch;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Snapshot;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Scans, per row seen, in one thread: of rows that a second file has written over in every tenth
 * step, so that all times must be merged, and of the last rows of all hosts. Ten tags; two metrics
 * are read.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
@NullUnmarked
public class MergeBench {
  private static final int HOSTS = 100;
  private static final int STEPS = 3_000;

  private CpuRegion region;
  private Snapshot snapshot;

  /** Loads the region. */
  @Setup
  public void load() {
    var data = new CpuData(HOSTS, STEPS / 360 + 1, 10, 42);
    region = new CpuRegion(data, 512L << 20);
    region.write(0, STEPS);
    region.flush();
    for (int s = 0; s < STEPS; s += 10) {
      region.write(s, s + 1);
    }
    region.flush();
    snapshot = region.engine().snapshot(List.of(CpuRegion.id()));
    if (merged() != HOSTS * STEPS || lastRows() != HOSTS) {
      throw new IllegalStateException(merged() + " rows, " + lastRows() + " last ones");
    }
  }

  /** Removes it. */
  @TearDown
  public void close() {
    snapshot.close();
    region.close();
  }

  private long rows(ScanRequest.RowSelector selector) {
    var request =
        new ScanRequest(
            CpuRegion.id(),
            region.ids(List.of("ts", "hostname", "usage_user", "usage_system")),
            List.of(),
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            -1,
            ScanRequest.Order.ANY,
            0,
            null,
            selector,
            false,
            1);
    long n = 0;
    try (RegionScanner scanner = region.engine().scan(snapshot, request)) {
      for (int p = 0; p < scanner.partitions(); p++) {
        try (PartitionReader reader = scanner.open(p)) {
          for (Batch b = reader.next(); b != null; b = reader.next()) {
            n += b.rows();
          }
        }
      }
    }
    return n;
  }

  @Benchmark
  @OperationsPerInvocation(HOSTS * STEPS)
  public long merged() {
    return rows(ScanRequest.RowSelector.ALL);
  }

  @Benchmark
  @OperationsPerInvocation(HOSTS)
  public long lastRows() {
    return rows(ScanRequest.RowSelector.LAST_ROW);
  }
}
