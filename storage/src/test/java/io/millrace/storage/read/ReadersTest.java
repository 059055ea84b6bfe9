package io.millrace.storage.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.OpType;
import io.millrace.storage.Overlay;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.ScanStatistics;
import io.millrace.storage.VirtualColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** Readers beside a writer, orders, pruning, overlays. */
@NullUnmarked // rows hold nulls
class ReadersTest {
  private static Batch rows(Random random, int n, long firstSequence, int hosts, long timeOf) {
    VectorBuilder host = VectorBuilder.of(SqlType.TEXT, n);
    long[] t = new long[n];
    long[] s = new long[n];
    VectorBuilder text = VectorBuilder.of(SqlType.TEXT, n);
    for (int i = 0; i < n; i++) {
      TestRegion.append(host, "h" + random.nextInt(hosts));
      t[i] = timeOf < 0 ? random.nextInt(1_000_000) : timeOf + i;
      s[i] = firstSequence + i;
      TestRegion.append(text, i % 3 == 0 ? null : "t" + s[i]);
    }
    return new Batch(
        List.of(
            host.build(),
            new LongVector(SqlType.TIMESTAMP, t, n, null),
            new LongVector(SqlType.INT8, s, n, null),
            text.build()),
        n);
  }

  private static final List<Integer> IDS = List.of(1, 2, 4, 5);

  @Test
  void aReaderSeesAPrefixWhileTheWriterGoesOn() throws Exception {
    var options = TestRegion.options(RegionOptions.MergeMode.LAST_ROW, true);
    var published = new AtomicLong();
    try (var region = new TestRegion(TestRegion.cpu(), options);
        var pool = Executors.newFixedThreadPool(2)) {
      Version version = region.version();
      var writer =
          CompletableFuture.runAsync(
              () -> {
                var random = new Random(5);
                while (region.sequence < 150_000) {
                  int n = 1 + random.nextInt(random.nextBoolean() ? 3 : 2000);
                  region.write(OpType.PUT, IDS, rows(random, n, region.sequence + 1, 50, -1));
                  published.set(region.sequence);
                }
              },
              pool);
      do {
        long at = published.get();
        long count = 0;
        long sum = 0;
        for (Batch b :
            region.scan(version, at, ScanRequest.all(TestRegion.ID, List.of(1, 2, 4, 5)))) {
          var s = (LongVector) b.column(2);
          var text = (io.millrace.common.batch.BytesColumn) b.column(3);
          for (int i = 0; i < b.rows(); i++) {
            count++;
            sum += s.get(i);
            if (!text.isNull(i)) {
              assertThat(text.string(i)).isEqualTo("t" + s.get(i));
            }
          }
        }
        assertThat(count).isEqualTo(at);
        assertThat(sum).isEqualTo(at * (at + 1) / 2);
      } while (!writer.isDone());
      writer.join();
    }
  }

  @Test
  void rowsInOrderOfTimeComeInSlabs() {
    for (ScanRequest.Order order :
        List.of(ScanRequest.Order.TIME_ASC, ScanRequest.Order.TIME_DESC)) {
      try (var region = new TestRegion(TestRegion.cpu(), RegionOptions.DEFAULT)) {
        var random = new Random(7);
        while (region.sequence < 160_000) {
          region.write(OpType.PUT, IDS, rows(random, 8000, region.sequence + 1, 2000, -1));
          if (random.nextInt(8) == 0) {
            region.flush(List.of(), false);
          }
        }
        long expected = 0;
        for (Batch b : region.scan(ScanRequest.all(TestRegion.ID, List.of(2)))) {
          expected += b.rows();
        }
        long count = 0;
        long last = order == ScanRequest.Order.TIME_ASC ? Long.MIN_VALUE : Long.MAX_VALUE;
        for (Batch b : region.scan(request(List.of(2, 4), List.of(), -1, order))) {
          long[] t = ((LongVector) b.column(0)).values();
          for (int i = 0; i < b.rows(); i++) {
            boolean ok = order == ScanRequest.Order.TIME_ASC ? t[i] >= last : t[i] <= last;
            assertThat(ok).isTrue();
            last = t[i];
            count++;
          }
        }
        assertThat(count).isEqualTo(expected);
      }
    }
  }

  private static ScanRequest request(
      List<Integer> ids, List<ColumnPredicate> predicates, long limit, ScanRequest.Order order) {
    return new ScanRequest(
        TestRegion.ID,
        ids,
        predicates,
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        limit,
        order,
        0,
        null,
        ScanRequest.RowSelector.ALL,
        false,
        1);
  }

  @Test
  void pagesThatCannotMatchAreNotRead() {
    try (var region = new TestRegion(TestRegion.cpu(), RegionOptions.DEFAULT)) {
      var random = new Random(7);
      for (int i = 0; i < 30; i++) {
        region.write(OpType.PUT, IDS, rows(random, 8000, region.sequence + 1, 1, region.sequence));
      }
      region.flush(List.of(), false);
      for (ColumnPredicate p :
          List.of(
              new ColumnPredicate.Compare(
                  2, ColumnPredicate.Op.GE, TestRegion.vector(SqlType.TIMESTAMP, 239_990)),
              new ColumnPredicate.Compare(
                  4, ColumnPredicate.Op.GT, TestRegion.vector(SqlType.INT8, 239_990)))) {
        try (var s =
            region.reads.scan(
                region.version(),
                region.sequence,
                request(List.of(4), List.of(p), -1, ScanRequest.Order.ANY))) {
          long n = 0;
          try (var r = s.open(0)) {
            for (Batch b = r.next(); b != null; b = r.next()) {
              n += b.rows();
            }
          }
          assertThat(n).isEqualTo(10);
          ScanStatistics stats = s.statistics();
          assertThat(stats.rowsRead()).isLessThanOrEqualTo(20_480);
          assertThat(stats.rowGroupsPruned()).isEqualTo(2);
          assertThat(stats.rowsOut()).isEqualTo(10);
        }
      }
    }
  }

  @Test
  void anOverlayLiesOnTop() {
    try (var region = new TestRegion(TestRegion.cpu(), RegionOptions.DEFAULT)) {
      region.write(OpType.PUT, List.of(1, 2, 4), keys(new Object[] {"a", "b", "c"}, 10, 20, 30));
      region.flush(List.of(), false);
      var overlay =
          new Overlay(
              List.of(
                  write(OpType.DELETE, List.of(1, 2), keys(new Object[] {"b"}, 0).project(0, 1)),
                  write(OpType.PUT, List.of(1, 2, 4), keys(new Object[] {"c", "d"}, 31, 40))));
      var request =
          new ScanRequest(
              TestRegion.ID,
              List.of(1, 4),
              List.of(),
              Long.MIN_VALUE,
              Long.MAX_VALUE,
              -1,
              ScanRequest.Order.KEY,
              0,
              overlay,
              ScanRequest.RowSelector.ALL,
              false,
              1);
      var seen = new ArrayList<String>();
      for (Batch b : region.scan(request)) {
        for (int i = 0; i < b.rows(); i++) {
          seen.add(Model.value(b.column(0), i) + "=" + Model.value(b.column(1), i));
        }
      }
      assertThat(seen).containsExactly("a=10", "c=31", "d=40");
      var found =
          region.reads.lookup(
              region.version(),
              region.sequence,
              keys(new Object[] {"d", "b", "a"}, 0, 0, 0).project(0, 1),
              List.of(4),
              overlay);
      assertThat(found.found()[0]).isEqualTo(0b101);
      assertThat(Model.value(found.rows().column(0), 0)).isEqualTo(40L);
    }
  }

  private static RegionWrite write(OpType op, List<Integer> ids, Batch b) {
    return new RegionWrite(TestRegion.ID, 1, op, ids, b);
  }

  private static Batch keys(Object[] hosts, Object... values) {
    var times = new Object[hosts.length];
    java.util.Arrays.fill(times, 1L);
    return new Batch(
        List.of(
            TestRegion.vector(SqlType.TEXT, hosts),
            TestRegion.vector(SqlType.TIMESTAMP, times),
            TestRegion.vector(SqlType.INT8, values)),
        hosts.length);
  }

  @Test
  void unmergedReadsGiveVersionsAndTombstones() {
    try (var region = new TestRegion(TestRegion.cpu(), RegionOptions.DEFAULT)) {
      region.write(OpType.PUT, List.of(1, 2, 4), keys(new Object[] {"a", "b"}, 1, 2));
      region.write(OpType.DELETE, List.of(1, 2), keys(new Object[] {"a"}, 0).project(0, 1));
      var request =
          new ScanRequest(
              TestRegion.ID,
              List.of(1, VirtualColumns.SEQUENCE, VirtualColumns.OP_TYPE),
              List.of(),
              Long.MIN_VALUE,
              Long.MAX_VALUE,
              -1,
              ScanRequest.Order.KEY,
              0,
              null,
              ScanRequest.RowSelector.ALL,
              true,
              1);
      var seen = new ArrayList<String>();
      for (Batch b : region.scan(request)) {
        for (int i = 0; i < b.rows(); i++) {
          Vector op = b.column(2);
          seen.add(
              Model.value(b.column(0), i)
                  + " "
                  + Model.value(b.column(1), i)
                  + " "
                  + ((io.millrace.common.batch.IntVector) op).get(i));
        }
      }
      assertThat(seen).containsExactly("a 3 0", "a 1 1", "b 2 1");
    }
  }
}
