package io.millrace.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.ManualClock;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.OpType;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.sim.SimDisk;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SstMeta;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The log's format, version 1: the committed file must be read for ever, and be what is written as
 * long as the version is 1. With -Dgolden.write=FOLDER the file is written anew.
 */
class WalGoldenTest {
  private static final String FILE = "wal-v1.log";

  /** The kinds of parts that came later. */
  private static final String LATER = "wal-v1-later.log";

  private static final RegionId REGION = RegionId.of(new TableId(7), 3);

  private static final TableSchema SCHEMA =
      new TableSchema(
          2,
          List.of(
              new ColumnSchema(1, "host", SqlType.TEXT, SemanticType.TAG, false, null),
              new ColumnSchema(2, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null),
              new ColumnSchema(3, "v", SqlType.numeric(10, 2), SemanticType.FIELD, true, "1.50")),
          List.of(1),
          2);

  private static Vector vector(SqlType type, int rows) {
    VectorBuilder b = VectorBuilder.of(type, rows);
    for (int i = 0; i < rows; i++) {
      if (i == 2) {
        b.appendNull();
        continue;
      }
      switch (b) {
        case VectorBuilder.Bools x -> x.append(i % 2 == 0);
        case VectorBuilder.Ints x -> x.append(i - 1);
        case VectorBuilder.Longs x -> x.append(1L << (i * 20));
        case VectorBuilder.Floats x -> x.append(i / 4f);
        case VectorBuilder.Doubles x -> x.append(i == 1 ? Double.NaN : i / 3d);
        case VectorBuilder.Bytes x -> x.append("wörd" + i);
        case VectorBuilder.Numerics x -> {
          if (i == 0) {
            x.append(new BigDecimal("123456789012345678901234567890.12"));
          } else if (i == 1) {
            x.appendSpecial((byte) 1);
          } else {
            x.append(12345, i);
          }
        }
        case VectorBuilder.Intervals x -> x.append(i, -i, 5L * i);
        case VectorBuilder.ArrayRows x -> {
          ((VectorBuilder.Ints) x.elements()).append(i);
          x.elements().appendNull();
          x.endRow(i == 3 ? new int[] {2, 0} : null);
        }
        case VectorBuilder.Records x -> {
          ((VectorBuilder.Ints) x.child(0)).append(i);
          ((VectorBuilder.Bytes) x.child(1)).append("r" + i);
          x.endRow();
        }
      }
    }
    return b.build();
  }

  private static RegionWrite write() {
    int rows = 4;
    var columns = new ArrayList<Vector>();
    byte[] words = "abcc".getBytes(StandardCharsets.UTF_8);
    var dictionary = new DictVector.FixedDictionary(new int[] {0, 1, 2, 4}, words, 3, true);
    columns.add(new DictVector(SqlType.TEXT, new int[] {2, 0, 2, 2}, dictionary, rows, null));
    for (SqlType t :
        List.of(
            SqlType.BOOL,
            SqlType.INT4,
            SqlType.TIMESTAMP_NS,
            SqlType.FLOAT4,
            SqlType.FLOAT8,
            SqlType.varchar(10),
            SqlType.numeric(40, 2),
            SqlType.INTERVAL,
            SqlType.arrayOf(SqlType.INT4),
            SqlType.record(
                List.of(
                    new SqlType.Field("a", SqlType.INT4), new SqlType.Field("b", SqlType.TEXT))))) {
      columns.add(vector(t, rows));
    }
    var ids = new ArrayList<Integer>();
    for (int i = 1; i <= columns.size(); i++) {
      ids.add(i);
    }
    return new RegionWrite(REGION, 2, OpType.REPLACE, ids, new Batch(columns, rows));
  }

  private static LogPart part(LogPart.Kind kind, long sequence, int rows, ByteWriter payload) {
    return new LogPart(
        REGION, sequence, rows, 2, kind, LogPart.NO_ROW_ID, payload.array(), payload.size());
  }

  private static byte[] written() {
    var disk = new SimDisk();
    var empty = new LogReplay(disk.logFiles(), false, Map::of).run(_ -> {});
    var log = new LocalLog(disk.logFiles(), new ManualClock(0), 8192, Runnable::run, empty);
    var records =
        List.of(
            new LogRecord(1, List.of(part(LogPart.Kind.WRITE, 1, 4, PayloadCodec.encode(write())))),
            new LogRecord(
                2,
                List.of(
                    part(
                        LogPart.Kind.ALTER,
                        5,
                        1,
                        PayloadCodec.encodeAlter(SCHEMA, RegionOptions.DEFAULT)),
                    part(LogPart.Kind.TRUNCATE, 6, 1, new ByteWriter(1).u1(1)))));
    return written(log, disk, records);
  }

  private static SstMeta file(String id) {
    return new SstMeta(id, 1, 100, 5000, -5, 5, 1, 1, 0, false, false, false, 0, 0, 1, 300, 77);
  }

  private static byte[] writtenLater() {
    var disk = new SimDisk();
    var empty = new LogReplay(disk.logFiles(), false, Map::of).run(_ -> {});
    var log = new LocalLog(disk.logFiles(), new ManualClock(0), 8192, Runnable::run, empty);
    List<Vector> tags = List.of(vector(SqlType.TEXT, 1));
    var edited = new PayloadCodec.Edited(List.of(file("e")), List.of("gone"), true, -7, 7);
    var ranges =
        PayloadCodec.encodeRanges(List.of(new RangeDelete(List.of(1), tags, -1, 9, 40)), 2);
    return written(
        log,
        disk,
        List.of(
            new LogRecord(
                1,
                List.of(
                    part(LogPart.Kind.EXPIRE, 1, 1, PayloadCodec.encodeExpire(-100)),
                    part(
                        LogPart.Kind.STAGED, 2, 1, PayloadCodec.encodeStaged(List.of(file("s")))))),
            new LogRecord(
                2,
                List.of(
                    part(LogPart.Kind.RANGE, 5, 1, ranges),
                    part(LogPart.Kind.EDIT, 6, 1, PayloadCodec.encodeEdit(edited))))));
  }

  private static byte[] written(LocalLog log, SimDisk disk, List<LogRecord> records) {
    for (LogRecord r : records) {
      log.ensureRoom(LogRecord.bodySize(r.parts()), false);
      log.stage(r);
    }
    log.write();
    log.force();
    log.close();
    return disk.log(SegmentFormat.name(1));
  }

  private static byte[] golden() throws IOException {
    return golden(FILE, written());
  }

  private static byte[] golden(String file, byte[] written) throws IOException {
    String folder = System.getProperty("golden.write");
    if (folder != null) {
      Files.write(Path.of(folder, file), written);
    }
    try (InputStream in = WalGoldenTest.class.getResourceAsStream("/golden/" + file)) {
      return Objects.requireNonNull(in, file).readAllBytes();
    }
  }

  @Test
  void partsThatCameLaterAreWrittenAndReadAsTheyAlwaysWere() throws IOException {
    byte[] golden = golden(LATER, writtenLater());
    assertThat(writtenLater()).isEqualTo(golden);
    var disk = new SimDisk();
    disk.putLog(SegmentFormat.name(1), golden);
    var parts = new ArrayList<LogPart>();
    LogReplay.Result result =
        new LogReplay(disk.logFiles(), false, Map::of).run(r -> parts.addAll(r.parts()));
    assertThat(result.damages()).isEmpty();
    assertThat(parts.stream().map(LogPart::kind))
        .containsExactly(
            LogPart.Kind.EXPIRE, LogPart.Kind.STAGED, LogPart.Kind.RANGE, LogPart.Kind.EDIT);
    assertThat(PayloadCodec.decodeExpire(parts.get(0))).isEqualTo(-100);
    assertThat(PayloadCodec.decodeStaged(parts.get(1)))
        .extracting(SstMeta::fileId, SstMeta::rows)
        .containsExactly(tuple("s", 100L));
    Rectangle range = PayloadCodec.decodeRanges(parts.get(2)).getFirst();
    assertThat(range.sequence()).isEqualTo(5);
    assertThat(range.ownFrom()).isEqualTo(3);
    assertThat(range.what().tags().getFirst().same(0, vector(SqlType.TEXT, 1), 0)).isTrue();
    assertThat(range.what().maxTime()).isEqualTo(9);
    PayloadCodec.Edited edited = PayloadCodec.decodeEdit(parts.get(3));
    assertThat(edited.added())
        .extracting(SstMeta::fileId, SstMeta::uniform, SstMeta::visibleSince)
        .containsExactly(tuple("e", 6L, 6L));
    assertThat(edited.removed()).containsExactly("gone");
  }

  @Test
  void theSummaryOfASegmentIsWrittenAndReadAsItAlwaysWas() throws IOException {
    var summary =
        new SegmentSummary(
            5,
            90,
            120,
            Map.of(
                REGION,
                new SegmentSummary.Last(118, 0),
                RegionId.of(new TableId(8), 0),
                new SegmentSummary.Last(0, 120)));
    byte[] golden = golden("wal-v1.sum", summary.toBytes());
    assertThat(summary.toBytes()).isEqualTo(golden);
    assertThat(SegmentSummary.parse(golden, golden.length, 5)).isEqualTo(summary);
    assertThat(SegmentSummary.parse(golden, golden.length, 6)).isNull();
    golden[40] ^= 1;
    assertThat(SegmentSummary.parse(golden, golden.length, 5)).isNull();
  }

  @Test
  void versionOneIsWrittenAsItAlwaysWas() throws IOException {
    assertThat(written()).isEqualTo(golden());
  }

  @Test
  void versionOneIsRead() throws IOException {
    var disk = new SimDisk();
    disk.putLog(SegmentFormat.name(1), golden());
    var records = new ArrayList<LogRecord>();
    LogReplay.Result result = new LogReplay(disk.logFiles(), false, Map::of).run(records::add);
    assertThat(result.damages()).isEmpty();
    assertThat(records).hasSize(2);
    RegionWrite expected = write();
    RegionWrite read = PayloadCodec.decode(records.get(0).parts().getFirst(), SCHEMA);
    assertThat(read.op()).isEqualTo(expected.op());
    assertThat(read.columnIds()).isEqualTo(expected.columnIds());
    for (int c = 0; c < expected.rows().width(); c++) {
      Vector e = expected.rows().column(c);
      Vector r = read.rows().column(c);
      assertThat(r.type()).isEqualTo(e.type());
      for (int i = 0; i < expected.rows().rows(); i++) {
        assertThat(r.same(i, e, i)).as("column %s row %s", c, i).isTrue();
      }
    }
    PayloadCodec.Altered altered = PayloadCodec.decodeAlter(records.get(1).parts().getFirst());
    assertThat(altered.schema()).isEqualTo(SCHEMA);
    assertThat(altered.options()).isEqualTo(RegionOptions.DEFAULT);
    assertThat(records.get(1).parts().get(1).kind()).isEqualTo(LogPart.Kind.TRUNCATE);
  }
}
