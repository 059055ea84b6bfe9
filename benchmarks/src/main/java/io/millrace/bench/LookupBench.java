package io.millrace.bench;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.storage.KeyRows;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Old rows of keys, per key: keys that are new (the next steps of all hosts), and keys that exist,
 * anywhere in the region's files. Ten tags, ten metrics; 1.2 million rows, the newest in memory.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
@NullUnmarked
public class LookupBench {
  private static final int KEYS = 8_000;
  private static final int HOSTS = 400;

  /** Columns asked for: one metric, or all. */
  @Param({"1", "10"})
  public int metrics;

  private CpuRegion region;
  private Snapshot snapshot;
  private Batch fresh;
  private Batch existing;
  private List<Integer> columns;

  /** Loads the region. */
  @Setup
  public void load() {
    var data = new CpuData(HOSTS, 10, 12, 42);
    region = new CpuRegion(data, 512L << 20);
    int last = data.steps() - KEYS / HOSTS;
    region.write(0, last / 2);
    region.flush();
    region.write(last / 2, last - 200);
    region.flush();
    region.write(last - 200, last);
    fresh = region.keys(region.rows(last, KEYS / HOSTS));
    existing = shuffled(fresh, data, last - 200);
    columns = region.ids(CpuData.METRICS.subList(0, metrics));
    snapshot = region.engine().snapshot(List.of(CpuRegion.id()));
    int found = Bits.count(overwrites().found(), KEYS);
    if (found != KEYS || Bits.count(newKeys().found(), KEYS) != 0) {
      throw new IllegalStateException(found + " of " + KEYS + " keys found");
    }
  }

  /** Keys of other steps for the same hosts, in no order. */
  private static Batch shuffled(Batch keys, CpuData data, int steps) {
    var random = new SplittableRandom(1);
    int width = keys.width();
    long first =
        ((LongVector) keys.column(width - 1)).values()[0] - 220L * data.stepSeconds() * 1_000_000;
    int[] order = new int[KEYS];
    long[] times = new long[KEYS];
    for (int i = 0; i < KEYS; i++) {
      order[i] = random.nextInt(KEYS);
      times[i] = first - (random.nextInt(steps) - 20) * (long) data.stepSeconds() * 1_000_000;
    }
    Batch taken = keys.take(order, KEYS);
    var columns = new ArrayList<Vector>(taken.columns().subList(0, width - 1));
    columns.add(new LongVector(keys.column(width - 1).type(), times, KEYS, null));
    return new Batch(columns, KEYS);
  }

  @TearDown
  public void close() {
    snapshot.close();
    region.close();
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public KeyRows newKeys() {
    return region.engine().lookup(snapshot, CpuRegion.id(), fresh, columns, null);
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public KeyRows overwrites() {
    return region.engine().lookup(snapshot, CpuRegion.id(), existing, columns, null);
  }
}
