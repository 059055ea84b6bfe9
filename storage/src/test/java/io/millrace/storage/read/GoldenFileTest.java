package io.millrace.storage.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.IntervalVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.NumericVector;
import io.millrace.common.batch.RecordVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.HoldKind;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.sst.SstMeta;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A file of format version 1, written once, must be read by every later version. */
@NullUnmarked // rows hold nulls
class GoldenFileTest {
  private static byte[] resource(String name) throws IOException {
    try (InputStream in = GoldenFileTest.class.getResourceAsStream("/golden/" + name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  @Test
  void theFileOfVersionOneIsRead() throws IOException {
    String[] m = new String(resource("sst-v1.meta"), StandardCharsets.UTF_8).strip().split(" ");
    long[] n = Arrays.stream(m).skip(1).mapToLong(Long::parseLong).toArray();
    var meta =
        new SstMeta(
            m[0],
            (int) n[0],
            n[1],
            n[2],
            n[3],
            n[4],
            n[5],
            n[6],
            n[7],
            n[8] != 0,
            n[9] != 0,
            n[10] != 0,
            0,
            0,
            (int) n[11],
            (int) n[12],
            (int) n[13]);
    var store = new MemoryStore();
    store.files.put(m[0], resource("sst-v1.parquet"));
    try (var region = new TestRegion(AllTypesTest.schema(), options());
        RegionReads reads = RegionReads.create(store, EngineConfig.DEFAULT)) {
      var version =
          Version.empty(TestRegion.ID, region.schema, options())
              .with()
              .files(List.of(meta))
              .incarnation(1)
              .build();
      String expected = new String(resource("sst-v1.txt"), StandardCharsets.UTF_8);
      assertThat(dump(region, reads, version, Long.MAX_VALUE)).isEqualTo(expected);
    }
  }

  private static RegionOptions options() {
    return TestRegion.options(RegionOptions.MergeMode.LAST_NON_NULL, false);
  }

  @Test
  @EnabledIfSystemProperty(named = "golden.write", matches = ".+")
  void write() throws IOException {
    Path dir = Path.of(System.getProperty("golden.write"));
    try (var region = new TestRegion(AllTypesTest.schema(), options())) {
      AllTypesTest.fill(region, new Random(42), 40, true);
      AllTypesTest.fill(region, new Random(43), 40, false);
      long hold = region.sequence;
      var keys =
          new Batch(
              List.of(
                  TestRegion.vector(SqlType.INT8, 1, 2, 3),
                  TestRegion.vector(SqlType.TIMESTAMPTZ, 1, 2, 3)),
              3);
      region.write(OpType.DELETE, List.of(1, 2), keys);
      region.write(
          OpType.CLEAR,
          List.of(1, 2, 3, 4),
          new Batch(
              List.of(
                  TestRegion.vector(SqlType.INT8, 4),
                  TestRegion.vector(SqlType.TIMESTAMPTZ, 4),
                  TestRegion.vector(SqlType.BOOL, true),
                  TestRegion.vector(SqlType.INT2, 1)),
              1));
      region.flush(List.of(new HoldPoint(hold, HoldKind.ROWS)), false);
      SstMeta f = region.files().getFirst();
      Files.createDirectories(dir);
      Files.write(dir.resolve("sst-v1.parquet"), region.store.files.get(f.fileId()));
      long[] n = {
        f.schemaVersion(),
        f.rows(),
        f.bytes(),
        f.minTime(),
        f.maxTime(),
        f.minSequence(),
        f.maxSequence(),
        f.visibleSince(),
        f.multiVersion() ? 1 : 0,
        f.tombstones() ? 1 : 0,
        f.fresh() ? 1 : 0,
        f.rowGroups(),
        f.footerLength(),
        f.footerCrc()
      };
      String line =
          f.fileId()
              + " "
              + Arrays.stream(n).mapToObj(Long::toString).collect(Collectors.joining(" "));
      Files.writeString(dir.resolve("sst-v1.meta"), line + "\n");
      Files.writeString(
          dir.resolve("sst-v1.txt"), dump(region, region.reads, region.version(), region.sequence));
    }
  }

  /** Merged rows, then all versions. */
  private static String dump(TestRegion region, RegionReads reads, Version v, long at) {
    var out = new StringBuilder();
    for (boolean all : new boolean[] {false, true}) {
      var ids = new ArrayList<Integer>();
      region.schema.columns().forEach(c -> ids.add(c.id()));
      ids.add(-1);
      ids.add(-2);
      var request =
          new ScanRequest(
              TestRegion.ID,
              ids,
              List.of(),
              Long.MIN_VALUE,
              Long.MAX_VALUE,
              -1,
              ScanRequest.Order.KEY,
              0,
              null,
              ScanRequest.RowSelector.ALL,
              all,
              1);
      try (var s = reads.scan(v, at, request);
          var r = s.open(0)) {
        for (Batch b = r.next(); b != null; b = r.next()) {
          for (int i = 0; i < b.rows(); i++) {
            for (Vector c : b.columns()) {
              out.append(text(c, i)).append('|');
            }
            out.append('\n');
          }
        }
      }
      out.append("--\n");
    }
    return out.toString();
  }

  private static String text(Vector v, int i) {
    if (v.isNull(i)) {
      return "";
    }
    return switch (v) {
      case BoolVector x -> Boolean.toString(x.get(i));
      case IntVector x -> Integer.toString(x.get(i));
      case LongVector x -> Long.toString(x.get(i));
      case FloatVector x -> Float.toString(x.get(i));
      case DoubleVector x -> Double.toString(x.get(i));
      case BytesColumn x -> HexFormat.of().formatHex(x.bytes(i));
      case NumericVector x ->
          x.special(i) != 0 ? "special" + x.special(i) : x.get(i).toPlainString();
      case IntervalVector x -> x.months()[i] + " " + x.days()[i] + " " + x.micros()[i];
      case ArrayVector x -> {
        var b = new StringBuilder("{" + Arrays.toString(x.shape(i)));
        for (int e = x.start(i); e < x.end(i); e++) {
          b.append(',').append(text(x.elements(), e));
        }
        yield b + "}";
      }
      case RecordVector x ->
          x.children().stream().map(c -> text(c, i)).collect(Collectors.joining(",", "(", ")"));
    };
  }
}
