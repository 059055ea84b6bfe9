package io.millrace.storage.sst.index;

import static io.millrace.storage.read.TestRegion.vector;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.text.TextQuery;
import io.millrace.common.text.TextTerm;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.ColumnPredicate.Op;
import io.millrace.storage.IndexKind;
import io.millrace.storage.IndexOptions;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.read.MemoryStore;
import io.millrace.storage.read.TestRegion;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstMetaCodec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.roaringbitmap.RoaringBitmap;

/**
 * A side-car as version 1 wrote it must be read for ever, its hashes and words included. It belongs
 * to a file of 100 rows in key order: row i has host h(i/10) (NULL from 90 on), time i, v = i mod
 * 10, n = 3·i, and s "word i even" or "Word i odd".
 */
class GoldenSideCarTest {
  private static byte[] golden(String name) throws IOException {
    try (InputStream in = GoldenSideCarTest.class.getResourceAsStream("/golden/" + name)) {
      return requireNonNull(in, name).readAllBytes();
    }
  }

  private static Batch rows() {
    var host = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 100);
    var ts = (VectorBuilder.Longs) VectorBuilder.of(SqlType.TIMESTAMP, 100);
    var v = (VectorBuilder.Doubles) VectorBuilder.of(SqlType.FLOAT8, 100);
    var n = (VectorBuilder.Longs) VectorBuilder.of(SqlType.INT8, 100);
    var s = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 100);
    for (int i = 0; i < 100; i++) {
      if (i < 90) {
        host.append("h" + i / 10);
      } else {
        host.appendNull();
      }
      ts.append(i);
      v.append(i % 10);
      n.append(3L * i);
      s.append(i % 2 == 0 ? "word " + i + " even" : "Word " + i + " odd");
    }
    return new Batch(List.of(host.build(), ts.build(), v.build(), n.build(), s.build()), 100);
  }

  private static SideCar sideCar() throws IOException {
    byte[] meta = golden("sidecar-v1.meta");
    SstMeta file = SstMetaCodec.read(new ByteReader(meta, 0, meta.length)).getFirst();
    var store = new MemoryStore();
    store.files.put(requireNonNull(file.index()).name(file.fileId()), golden("sidecar-v1.puffin"));
    return requireNonNull(new SideCars(store, 1 << 20).of(TestRegion.ID, file));
  }

  private static int[] rows(SideCar x, IndexKind kind, ColumnPredicate p) {
    RoaringBitmap rows = requireNonNull(x.rows(kind, 0, p));
    return rows.toArray();
  }

  @Test
  void keysAreFound() throws IOException {
    KeyBloom bloom = requireNonNull(sideCar().keyBloom());
    Batch all = rows();
    long[] times = new long[100];
    for (int i = 0; i < 100; i++) {
      times[i] = i;
    }
    for (long h : KeyHash.of(List.of(all.column(0)), times, 100)) {
      assertThat(bloom.mightContain(0, h)).isTrue();
    }
    int wrong = 0;
    for (long h : KeyHash.of(List.of(all.column(4)), times, 100)) {
      wrong += bloom.mightContain(0, h) ? 1 : 0;
    }
    assertThat(wrong).isLessThan(10);
  }

  @Test
  void valuesAreFound() throws IOException {
    SideCar x = sideCar();
    assertThat(
            rows(
                x,
                IndexKind.INVERTED,
                new ColumnPredicate.Compare(3, Op.EQ, vector(SqlType.FLOAT8, 4))))
        .containsExactly(4, 14, 24, 34, 44, 54, 64, 74, 84, 94);
    assertThat(
            rows(
                x,
                IndexKind.INVERTED,
                new ColumnPredicate.Compare(3, Op.GT, vector(SqlType.FLOAT8, 1))))
        .hasSize(80);
    assertThat(rows(x, IndexKind.INVERTED, new ColumnPredicate.IsNull(1)))
        .containsExactly(90, 91, 92, 93, 94, 95, 96, 97, 98, 99);
    assertThat(
            rows(
                x,
                IndexKind.INVERTED,
                new ColumnPredicate.In(1, vector(SqlType.TEXT, "h3", "h7", "x"))))
        .hasSize(20)
        .startsWith(30, 31)
        .endsWith(78, 79);
  }

  @Test
  void stretchesAreFound() throws IOException {
    SideCar x = sideCar();
    for (int i = 0; i < 100; i++) {
      int[] rows =
          rows(
              x,
              IndexKind.SKIPPING,
              new ColumnPredicate.Compare(4, Op.EQ, vector(SqlType.INT8, 3 * i)));
      assertThat(rows).contains(i).hasSizeLessThan(50);
    }
  }

  @Test
  void wordsAreFound() throws IOException {
    SideCar x = sideCar();
    assertThat(
            rows(
                x,
                IndexKind.FULLTEXT,
                new ColumnPredicate.Text(5, TextQuery.parse("+EVEN +(42 OR 43)"))))
        .containsExactly(42);
    assertThat(rows(x, IndexKind.FULLTEXT, new ColumnPredicate.Text(5, new TextTerm("Word 43"))))
        .containsExactly(43);
    assertThat(rows(x, IndexKind.FULLTEXT, new ColumnPredicate.Text(5, new TextTerm("Word 42"))))
        .isEmpty();
  }

  @Test
  @EnabledIfSystemProperty(named = "golden.write", matches = ".+")
  void write() throws IOException {
    Path dir = Path.of(System.getProperty("golden.write"));
    var options =
        TestRegion.options(RegionOptions.MergeMode.LAST_ROW, false)
            .withIndex(
                new IndexOptions(
                    true,
                    true,
                    List.of(
                        ColumnIndex.of(1, IndexKind.INVERTED),
                        ColumnIndex.of(3, IndexKind.INVERTED),
                        new ColumnIndex(4, IndexKind.SKIPPING, 16, 0.001, false),
                        new ColumnIndex(5, IndexKind.FULLTEXT, 1, 0.01, true))));
    try (var region = new TestRegion(TestRegion.cpu(), options)) {
      region.write(OpType.PUT, List.of(1, 2, 3, 4, 5), rows());
      region.flush(List.of(), false);
      SstMeta file = region.files().getFirst();
      var w = new ByteWriter(100);
      SstMetaCodec.write(w, List.of(file));
      Files.write(dir.resolve("sidecar-v1.meta"), w.toBytes());
      Files.write(
          dir.resolve("sidecar-v1.puffin"),
          requireNonNull(region.store.files.get(requireNonNull(file.index()).name(file.fileId()))));
    }
  }
}
