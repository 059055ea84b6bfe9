package io.millrace.storage.sst.index;

import static io.millrace.storage.read.TestRegion.vector;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.storage.IndexKind;
import io.millrace.storage.IndexOptions;
import io.millrace.storage.KeyRows;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.read.TestRegion;
import io.millrace.storage.sst.SstMeta;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyBloomTest {
  private static final int ROWS = 120_000;

  private static RegionOptions bloomed() {
    return TestRegion.options(RegionOptions.MergeMode.LAST_ROW, false)
        .withIndex(new IndexOptions(true, true, List.of()));
  }

  /** Hosts h0 to h99 with even times. */
  private static TestRegion filled() {
    var region = new TestRegion(TestRegion.cpu(), bloomed());
    for (int from = 0; from < ROWS; from += 10_000) {
      region.write(OpType.PUT, List.of(1, 2, 3), keys(from, from + 10_000, 0));
    }
    region.flush(List.of(), false);
    return region;
  }

  private static Batch keys(int from, int to, int shift) {
    var hosts = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, to - from);
    var times = (VectorBuilder.Longs) VectorBuilder.of(SqlType.TIMESTAMP, to - from);
    var values = (VectorBuilder.Doubles) VectorBuilder.of(SqlType.FLOAT8, to - from);
    for (int i = from; i < to; i++) {
      hosts.append("h" + i % 100);
      times.append(2L * i + shift);
      values.append(i);
    }
    return new Batch(List.of(hosts.build(), times.build(), values.build()), to - from);
  }

  private static long[] hashes(Batch b) {
    return KeyHash.of(
        List.of(b.column(0)),
        ((io.millrace.common.batch.LongVector) b.column(1)).values(),
        b.rows());
  }

  @Test
  void keysThatAreThereAreNeverRuledOutAndFewOthersPass() {
    try (TestRegion region = filled()) {
      SstMeta file = region.files().getFirst();
      assertThat(requireNonNull(file.index()).parts())
          .extracting(p -> p.kind())
          .containsExactly(IndexKind.KEY_BLOOM);
      var sideCars = new SideCars(region.store, 1 << 20);
      KeyBloom bloom = requireNonNull(requireNonNull(sideCars.of(TestRegion.ID, file)).keyBloom());
      assertThat(bloom.tagIds()).containsExactly(1);
      for (long h : hashes(keys(0, ROWS, 0))) {
        assertThat(bloom.mightContain(0, h) || bloom.mightContain(1, h)).isTrue();
      }
      int wrong = 0;
      for (long h : hashes(keys(0, ROWS, 1))) {
        wrong += bloom.mightContain(0, h) ? 1 : 0;
      }
      // Ten bits and seven probes a key: about one in a hundred, and blocking adds to it.
      assertThat((double) wrong / ROWS).isBetween(0.001, 0.02);
    }
  }

  @Test
  void costsTenBitsAKey() {
    try (TestRegion region = filled()) {
      long bytes = requireNonNull(region.files().getFirst().index()).parts().getFirst().bytes();
      assertThat(bytes).isBetween(ROWS * 10L / 8, ROWS * 10L / 8 + 200);
    }
  }

  @Test
  void lookupsFindTheSameRowsWithAndWithoutIt() {
    try (TestRegion region = filled()) {
      SstMeta file = region.files().getFirst();
      Batch wanted =
          new Batch(
              List.of(
                  vector(SqlType.TEXT, "h0", "h1", "h1", "x"),
                  vector(SqlType.TIMESTAMP, 0L, 2L, 3L, 4L)),
              4);
      assertThat(found(region, wanted)).containsExactly(true, true, false, false);
      String name = requireNonNull(file.index()).name(file.fileId());
      byte[] b = requireNonNull(region.store.files.get(name));
      b[b.length / 2] ^= 1;
      assertThat(found(region, wanted)).containsExactly(true, true, false, false);
      region.store.files.remove(name);
      assertThat(found(region, wanted)).containsExactly(true, true, false, false);
    }
  }

  private static List<Boolean> found(TestRegion region, Batch wanted) {
    var reads =
        io.millrace.storage.read.RegionReads.create(
            region.store, io.millrace.storage.EngineConfig.DEFAULT);
    try (reads) {
      KeyRows rows = reads.lookup(region.version(), region.sequence, wanted, List.of(3), null);
      return java.util.stream.IntStream.range(0, wanted.rows())
          .mapToObj(i -> Bits.get(rows.found(), i))
          .toList();
    }
  }

  @Test
  void aDamagedSideCarIsLeftAsideAndCounted() {
    try (TestRegion region = filled()) {
      SstMeta file = region.files().getFirst();
      String name = requireNonNull(file.index()).name(file.fileId());
      byte[] b = requireNonNull(region.store.files.get(name));
      b[b.length - 6] ^= 1;
      var sideCars = new SideCars(region.store, 1 << 20);
      assertThat(sideCars.of(TestRegion.ID, file)).isNull();
      assertThat(sideCars.of(TestRegion.ID, file)).isNull();
      assertThat(sideCars.failures()).isEqualTo(1);
    }
  }

  @Test
  void regionsWithoutUniqueKeysHaveNone() {
    try (var region =
        new TestRegion(
            TestRegion.cpu(), TestRegion.options(RegionOptions.MergeMode.LAST_ROW, false))) {
      region.write(OpType.PUT, List.of(1, 2, 3), keys(0, 100, 0));
      region.flush(List.of(), false);
      assertThat(region.files().getFirst().index()).isNull();
    }
  }
}
