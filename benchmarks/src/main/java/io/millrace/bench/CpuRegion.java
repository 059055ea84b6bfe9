package io.millrace.bench;

import io.millrace.common.batch.Batch;
import io.millrace.common.copy.CopyOptions;
import io.millrace.common.copy.CopyParser;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.SstInfo;
import io.millrace.storage.WriteGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A region of an engine of its own in a temporary folder, for measurements without a server. */
final class CpuRegion implements AutoCloseable {
  private static final RegionId ID = RegionId.of(new TableId(1), 0);
  private static final int STEPS_A_COMMIT = 20;

  private final CpuData data;
  private final Path folder;
  private final RegionEngine engine;
  private final TableSchema schema;
  private final CopyParser parser;

  CpuRegion(CpuData data, long pageCacheBytes) {
    this.data = data;
    EngineConfig d = EngineConfig.DEFAULT;
    try {
      folder = Files.createTempDirectory("millrace-bench");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var config =
        new EngineConfig(
            EngineConfig.WalSync.NONE,
            d.walSyncIntervalMicros(),
            d.walSegmentBytes(),
            d.writeBufferBytes(),
            d.writeBufferHardBytes(),
            d.regionWriteBufferBytes(),
            1 << 20,
            pageCacheBytes,
            1,
            Long.MAX_VALUE / 4);
    engine = RegionEngines.open(folder, config, RegionEngines.localEnvironment(1));
    engine.openGate();
    var columns = new ArrayList<ColumnSchema>();
    var types = new ArrayList<SqlType>();
    var names = List.of(CpuData.columns().split(", "));
    for (String name : names) {
      boolean time = columns.isEmpty();
      boolean tag = CpuData.TAGS.contains(name);
      types.add(time ? SqlType.of(TypeKind.TIMESTAMP, 3) : tag ? SqlType.TEXT : SqlType.FLOAT8);
      SemanticType role =
          time ? SemanticType.TIMESTAMP : tag ? SemanticType.TAG : SemanticType.FIELD;
      columns.add(new ColumnSchema(columns.size() + 1, name, types.getLast(), role, !time, null));
    }
    schema = new TableSchema(1, columns, ids(CpuData.TAGS), 1);
    engine.request(new RegionRequest.Create(ID, schema, RegionOptions.DEFAULT)).join();
    parser =
        CopyParser.of(
            CopyOptions.text(),
            "cpu",
            names,
            types,
            SessionFormat.DEFAULT,
            () -> 0L,
            STEPS_A_COMMIT * data.hosts());
  }

  RegionEngine engine() {
    return engine;
  }

  static RegionId id() {
    return ID;
  }

  List<Integer> ids(List<String> names) {
    List<String> all = List.of(CpuData.columns().split(", "));
    return names.stream().map(n -> all.indexOf(n) + 1).toList();
  }

  /** Rows of some steps as COPY gives them. */
  Batch rows(int fromStep, int steps) {
    for (int s = fromStep; s < fromStep + steps; s++) {
      byte[] lines = data.copyLines(s);
      parser.feed(lines, 0, lines.length);
    }
    return parser.take();
  }

  /** The keys of rows: tags, then the time. */
  Batch keys(Batch rows) {
    return rows.project(
        IntStream.concat(IntStream.rangeClosed(1, CpuData.TAGS.size()), IntStream.of(0)).toArray());
  }

  void write(int fromStep, int toStep) {
    List<Integer> all = schema.columns().stream().map(ColumnSchema::id).toList();
    for (int s = fromStep; s < toStep; s += STEPS_A_COMMIT) {
      Batch b = rows(s, Math.min(STEPS_A_COMMIT, toStep - s));
      var write = new RegionWrite(ID, schema.version(), OpType.PUT, all, b);
      engine.commit(WriteGroup.of(List.of(write))).join();
    }
  }

  void flush() {
    engine.request(new RegionRequest.Flush(ID, "bench")).join();
  }

  /** All rows in as few files as there can be. */
  void compact() {
    engine.request(new RegionRequest.Compact(ID, false)).join();
  }

  List<SstInfo> files() {
    return engine.files(ID);
  }

  /** Where a file of the region is. */
  Path path(SstInfo file) {
    return folder.resolve(file.path());
  }

  @Override
  public void close() {
    engine.close();
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path f, BasicFileAttributes a) throws IOException {
              Files.delete(f);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path d, IOException e) throws IOException {
              Files.delete(d);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
