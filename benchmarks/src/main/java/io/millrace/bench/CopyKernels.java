package io.millrace.bench;

import io.millrace.common.batch.Batch;
import io.millrace.common.copy.CopyOptions;
import io.millrace.common.copy.CopyParser;
import io.millrace.common.copy.CopyWriter;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import java.util.ArrayList;
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
import org.openjdk.jmh.annotations.Warmup;

/** What a row of 21 columns costs on its way in, from COPY's text to vectors, and back out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@NullUnmarked
public class CopyKernels {
  private static final int ROWS = 4_000;

  private byte[] text;
  private CopyParser parser;
  private CopyWriter writer;
  private Batch batch;
  private final ByteSink out = new ByteSink(1 << 20);

  /** One step of as many hosts as there are rows. */
  @Setup
  public void prepare() {
    text = new CpuData(ROWS, 1, 3600, 42).copyLines(0);
    var names = List.of(CpuData.columns().split(", "));
    var types = new ArrayList<SqlType>();
    types.add(SqlType.of(TypeKind.TIMESTAMP, 3));
    CpuData.TAGS.forEach(_ -> types.add(SqlType.TEXT));
    CpuData.METRICS.forEach(_ -> types.add(SqlType.FLOAT8));
    CopyOptions options = CopyOptions.text();
    parser = CopyParser.of(options, "cpu", names, types, SessionFormat.DEFAULT, () -> 0L, ROWS);
    writer = new CopyWriter(options, names, types, SessionFormat.DEFAULT);
    batch = parse();
  }

  /** Text to vectors. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public Batch parse() {
    parser.feed(text, 0, text.length);
    return parser.take();
  }

  /** Vectors to text. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public int write() {
    out.clear();
    for (int row = 0; row < ROWS; row++) {
      writer.row(batch, row, out);
    }
    return out.position();
  }
}
