package io.millrace.storage.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ChangeBatch;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.KeyRows;
import io.millrace.storage.LookupStatistics;
import io.millrace.storage.OpType;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** Lookups by key and last rows over files of many row groups, overwritten and deleted from. */
@NullUnmarked // a missing row is null
class LookupTest {
  private record Key(int host, long time) {}

  private final Map<Key, Double> model = new HashMap<>();
  private final TestRegion region =
      new TestRegion(TestRegion.cpu(), TestRegion.options(RegionOptions.MergeMode.LAST_ROW, false));

  private static Object host(int h) {
    return h == 0 ? null : "host" + h;
  }

  private static Batch keys(int[] hosts, long[] times) {
    int n = hosts.length;
    var h = new Object[n];
    for (int i = 0; i < n; i++) {
      h[i] = host(hosts[i]);
    }
    return new Batch(
        List.of(
            TestRegion.vector(SqlType.TEXT, h), new LongVector(SqlType.TIMESTAMP, times, n, null)),
        n);
  }

  private void put(int[] hosts, long[] times, double[] values) {
    Batch k = keys(hosts, times);
    Vector v = new DoubleVector(SqlType.FLOAT8, values, values.length, null);
    region.write(
        OpType.PUT, List.of(1, 2, 3), new Batch(List.of(k.column(0), k.column(1), v), k.rows()));
    for (int i = 0; i < hosts.length; i++) {
      model.put(new Key(hosts[i], times[i]), values[i]);
    }
  }

  private void delete(int[] hosts, long[] times) {
    region.write(OpType.DELETE, List.of(1, 2), keys(hosts, times));
    for (int i = 0; i < hosts.length; i++) {
      model.remove(new Key(hosts[i], times[i]));
    }
  }

  /** Every host at every time of a range. */
  private void fill(int hosts, long from, long to, double value) {
    int n = Math.toIntExact(hosts * (to - from));
    int[] h = new int[n];
    long[] t = new long[n];
    double[] v = new double[n];
    for (int i = 0; i < n; i++) {
      h[i] = i % hosts;
      t[i] = from + i / hosts;
      v[i] = value + i;
    }
    put(h, t, v);
  }

  private void some(Random random, int n, int hosts, long times, boolean put) {
    int[] h = new int[n];
    long[] t = new long[n];
    double[] v = new double[n];
    for (int i = 0; i < n; i++) {
      h[i] = random.nextInt(hosts);
      t[i] = random.nextLong(times);
      v[i] = random.nextInt();
    }
    if (put) {
      put(h, t, v);
    } else {
      delete(h, t);
    }
  }

  private LookupStatistics ask(Random random, int n, int hosts, long times) {
    int[] h = new int[n];
    long[] t = new long[n];
    for (int i = 0; i < n; i++) {
      h[i] = random.nextInt(hosts);
      t[i] = random.nextLong(times);
    }
    return ask(h, t);
  }

  /** Looks keys up, compares with the model and gives what the lookup came to. */
  private LookupStatistics ask(int[] h, long[] t) {
    LookupStatistics before = region.reads.lookups();
    KeyRows r =
        region.reads.lookup(region.version(), region.sequence, keys(h, t), List.of(3), null);
    var v = (DoubleVector) r.rows().column(0);
    for (int i = 0; i < h.length; i++) {
      Double expected = model.get(new Key(h[i], t[i]));
      assertThat(Bits.get(r.found(), i))
          .as("host %d time %d", h[i], t[i])
          .isEqualTo(expected != null);
      if (expected != null) {
        assertThat(v.get(i)).isEqualTo(expected);
      }
    }
    LookupStatistics after = region.reads.lookups();
    return new LookupStatistics(
        after.newByTime() - before.newByTime(),
        after.newByBloom() - before.newByBloom(),
        after.lookedUp() - before.lookedUp());
  }

  private void lastRowsAgree(long min, long max) {
    var expected = new HashMap<Object, Key>();
    for (Key k : model.keySet()) {
      if (k.time >= min && k.time <= max) {
        expected.merge("" + host(k.host), k, (a, b) -> a.time > b.time ? a : b);
      }
    }
    var request =
        new ScanRequest(
            TestRegion.ID,
            List.of(1, 2, 3),
            List.of(),
            min,
            max,
            -1,
            ScanRequest.Order.KEY,
            0,
            null,
            ScanRequest.RowSelector.LAST_ROW,
            false,
            1);
    int seen = 0;
    Object last = "";
    for (Batch b : region.scan(request)) {
      for (int i = 0; i < b.rows(); i++) {
        Object h = Model.value(b.column(0), i);
        Key k = expected.get("" + h);
        assertThat(k).as("last row of %s", h).isNotNull();
        assertThat(Model.value(b.column(1), i)).isEqualTo(k.time);
        assertThat(Model.value(b.column(2), i)).isEqualTo(model.get(k));
        Object order = h == null ? "~" : h;
        assertThat(order.toString()).isGreaterThan(last.toString());
        last = order;
        seen++;
      }
    }
    assertThat(seen).isEqualTo(expected.size());
  }

  @Test
  void keysAreFoundInFilesOfManyRowGroupsAndInMemory() {
    var random = new Random(11);
    int hosts = 7;
    fill(hosts, 0, 20_000, 0);
    region.flush(List.of(), false);
    fill(hosts, 20_000, 40_000, 1e6);
    some(random, 3_000, hosts, 40_000, true);
    some(random, 500, hosts, 40_000, false);
    region.flush(List.of(), false);
    some(random, 2_000, hosts, 42_000, true);
    some(random, 300, hosts, 42_000, false);
    region.freeze();
    some(random, 500, hosts, 42_000, true);
    some(random, 100, hosts, 42_000, false);
    for (int n : new int[] {1, 2, 15, 40, 5_000}) {
      ask(random, n, hosts + 2, 43_000);
    }
    region.flush(List.of(), false);
    region.reopen();
    assertThat(ask(random, 100, hosts, 40_000).newByTime()).isZero();
    region.close();
  }

  @Test
  void aSeriesOfOneRowEachIsFoundByPages() {
    var random = new Random(12);
    int n = 150_000;
    int[] h = new int[n];
    for (int i = 0; i < n; i++) {
      h[i] = i;
    }
    put(h, new long[n], random.doubles(n).toArray());
    region.flush(List.of(), false);
    for (int m : new int[] {1, 20, 3_000}) {
      ask(random, m, n + n / 10, 2);
    }
    region.close();
  }

  @Test
  void keysLaterThanTheirSeriesAreKnownToBeNew() {
    fill(50, 0, 1_000, 0);
    region.flush(List.of(), false);
    int[] h = new int[150];
    long[] t = new long[150];
    for (int i = 0; i < 150; i++) {
      h[i] = i / 2;
      t[i] = 1_000 + i % 2;
    }
    assertThat(ask(h, t)).isEqualTo(new LookupStatistics(150, 0, 0));
    fill(25, 1_000, 1_002, 5);
    assertThat(ask(h, t)).isEqualTo(new LookupStatistics(100, 0, 50));
    region.close();
  }

  @Test
  void aFeedLooksOnlyDoubtfulRowsUp() {
    fill(10, 0, 5_000, 0);
    region.flush(List.of(), false);
    long mark = region.sequence;
    fill(10, 5_000, 5_100, 1);
    put(new int[] {1, 2, 3}, new long[] {17, 5_050, 99}, new double[] {-1, -2, -3});
    long before = region.reads.lookups().lookedUp();
    int seen = 0;
    int old = 0;
    try (ChangeFeed feed =
        region.reads.changes(region.version(), mark, region.sequence, List.of(3), true, true)) {
      for (ChangeBatch b = feed.next(); b != null; b = feed.next()) {
        for (int i = 0; i < b.keys().rows(); i++) {
          long time = (Long) Model.value(b.keys().column(1), i);
          assertThat(Bits.get(b.oldPresent(), i)).isEqualTo(time == 17 || time == 99);
          old += Bits.get(b.oldPresent(), i) ? 1 : 0;
          seen++;
        }
      }
    }
    assertThat(seen).isEqualTo(1_002);
    assertThat(old).isEqualTo(2);
    assertThat(region.reads.lookups().lookedUp() - before).isEqualTo(3);
    region.close();
  }

  @Test
  void lastRowsAreTheLastOnesThatAreLeft() {
    var random = new Random(13);
    int hosts = 6;
    fill(hosts, 0, 8_000, 0);
    region.flush(List.of(), false);
    fill(hosts, 8_000, 16_000, 1e6);
    lastRowsAgree(Long.MIN_VALUE, Long.MAX_VALUE);
    delete(new int[] {1, 2, 2}, new long[] {15_999, 15_999, 15_998});
    lastRowsAgree(Long.MIN_VALUE, Long.MAX_VALUE);
    region.flush(List.of(), true);
    put(new int[] {3, 4, 9}, new long[] {15_999, 20_000, 3}, new double[] {1, 2, 3});
    lastRowsAgree(Long.MIN_VALUE, Long.MAX_VALUE);
    lastRowsAgree(100, 9_000);
    lastRowsAgree(7_999, 7_999);
    region.flush(List.of(), false);
    lastRowsAgree(Long.MIN_VALUE, Long.MAX_VALUE);
    for (int i = 0; i < 5; i++) {
      some(random, 2_000, hosts, 16_000, i % 2 == 0);
      lastRowsAgree(Long.MIN_VALUE, 100 + random.nextInt(16_000));
      region.flush(List.of(), i % 2 == 0);
      lastRowsAgree(random.nextInt(16_000), Long.MAX_VALUE);
    }
    int[] all = new int[16_000];
    long[] times = new long[16_000];
    for (int i = 0; i < all.length; i++) {
      all[i] = 5;
      times[i] = i;
    }
    delete(all, times);
    lastRowsAgree(Long.MIN_VALUE, Long.MAX_VALUE);
    region.close();
  }

  private static ScanRequest request(ScanRequest.Order order, int partitions) {
    return new ScanRequest(
        TestRegion.ID,
        List.of(1, 2, 3),
        List.of(),
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        -1,
        order,
        0,
        null,
        ScanRequest.RowSelector.ALL,
        false,
        partitions);
  }

  /** Reads all partitions, in order, and compares with the model; gives how many had rows. */
  private int partitionsAgree(ScanRequest.Order order) {
    var seen = new HashMap<Key, Double>();
    int withRows = 0;
    String last = "";
    try (RegionScanner s =
        region.reads.scan(region.version(), region.sequence, request(order, 4))) {
      for (int p = 0; p < s.partitions(); p++) {
        long before = seen.size();
        try (PartitionReader r = s.open(p)) {
          for (Batch b = r.next(); b != null; b = r.next()) {
            for (int i = 0; i < b.rows(); i++) {
              Object h = Model.value(b.column(0), i);
              int number = h == null ? 0 : Integer.parseInt(h.toString().substring(4));
              long t = (Long) Model.value(b.column(1), i);
              double v = (Double) Model.value(b.column(2), i);
              assertThat(seen.put(new Key(number, t), v)).isNull();
              if (order == ScanRequest.Order.KEY) {
                String key = (h == null ? "~" : h) + String.format("%09d", t);
                assertThat(key).isGreaterThan(last);
                last = key;
              }
            }
          }
        }
        withRows += seen.size() > before ? 1 : 0;
      }
    }
    assertThat(seen).isEqualTo(model);
    return withRows;
  }

  @Test
  void whatIsMergedIsSpreadOverPartitionsByStretchesOfKeys() {
    var random = new Random(14);
    int hosts = 9;
    fill(hosts, 0, 6_000, 0);
    region.flush(List.of(), false);
    some(random, 20_000, hosts, 6_000, true);
    some(random, 5_000, hosts, 6_000, false);
    region.flush(List.of(), false);
    some(random, 20_000, hosts, 6_000, true);
    region.freeze();
    some(random, 2_000, hosts, 6_000, false);
    assertThat(partitionsAgree(ScanRequest.Order.KEY)).isGreaterThan(2);
    assertThat(partitionsAgree(ScanRequest.Order.ANY)).isGreaterThan(2);
    region.close();
  }

  @Test
  void whatIsMergedOfOneSeriesIsSpreadByTime() {
    var random = new Random(15);
    fill(1, 0, 60_000, 0);
    region.flush(List.of(), false);
    some(random, 30_000, 1, 60_000, true);
    some(random, 3_000, 1, 60_000, false);
    assertThat(partitionsAgree(ScanRequest.Order.ANY)).isGreaterThan(2);
    assertThat(partitionsAgree(ScanRequest.Order.KEY)).isEqualTo(1);
    region.flush(List.of(), false);
    assertThat(partitionsAgree(ScanRequest.Order.ANY)).isGreaterThan(2);
    region.close();
  }

  @Test
  void aSortedFileIsReadInKeyOrderByRowGroups() {
    fill(7, 0, 50_000, 0);
    region.flush(List.of(), false);
    assertThat(partitionsAgree(ScanRequest.Order.KEY)).isEqualTo(4);
    region.close();
  }
}
