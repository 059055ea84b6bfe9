package io.millrace.storage.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.text.TextQuery;
import io.millrace.common.text.TextTerm;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.IndexKind;
import io.millrace.storage.IndexOptions;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.ScanRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random writes, freezes and flushes; every read must agree with a plain model. */
@NullUnmarked // rows hold nulls
class ModelTest {
  private static List<List<Object>> rows(List<Batch> batches) {
    var out = new ArrayList<List<Object>>();
    for (Batch b : batches) {
      for (int i = 0; i < b.rows(); i++) {
        var row = new ArrayList<Object>();
        for (Vector v : b.columns()) {
          row.add(Model.value(v, i));
        }
        out.add(row);
      }
    }
    return out;
  }

  @ParameterizedTest
  @CsvSource({
    "LAST_ROW,false,false",
    "LAST_NON_NULL,false,false",
    "LAST_ROW,true,false",
    "LAST_ROW,false,true",
    "LAST_NON_NULL,false,true",
    "LAST_ROW,true,true"
  })
  void everyReadAgreesWithThePlainModel(
      RegionOptions.MergeMode mode, boolean append, boolean indexed) {
    var seeds = new Random(Long.getLong("millrace.seed", 20_261_130));
    for (int round = 0; round < 12; round++) {
      long seed = seeds.nextLong();
      try {
        run(seed, mode, append, indexed);
      } catch (Throwable e) {
        throw new AssertionError(
            "seed " + seed + "L " + mode + " append " + append + " indexed " + indexed, e);
      }
    }
  }

  /** Every column has an index, of a kind and grain by chance; and keys have theirs. */
  private static IndexOptions indexes(Random random) {
    var columns = new ArrayList<ColumnIndex>();
    for (int id = 1; id <= 5; id++) {
      columns.add(
          random.nextBoolean()
              ? ColumnIndex.of(id, IndexKind.INVERTED)
              : new ColumnIndex(id, IndexKind.SKIPPING, 1 + random.nextInt(4), 0.01, false));
    }
    if (random.nextBoolean()) {
      columns.add(new ColumnIndex(5, IndexKind.FULLTEXT, 1, 0.01, random.nextBoolean()));
    }
    return new IndexOptions(true, true, columns);
  }

  private static void run(
      long seed, RegionOptions.MergeMode mode, boolean append, boolean indexed) {
    var random = new Random(seed);
    var model = new Model(mode == RegionOptions.MergeMode.LAST_ROW, append);
    int hosts = 1 + random.nextInt(8);
    int times = 1 + random.nextInt(60);
    var marks = new ArrayList<Long>();
    RegionOptions plain = TestRegion.options(mode, append);
    RegionOptions options = indexed ? plain.withIndex(indexes(random)) : plain;
    try (var region = new TestRegion(TestRegion.cpu(), options)) {
      int steps = 5 + random.nextInt(40);
      for (int s = 0; s < steps; s++) {
        int what = random.nextInt(10);
        if (what == 0) {
          region.freeze();
        } else if (what == 1) {
          region.flush(List.of(), random.nextInt(4) == 0);
          if (random.nextInt(3) == 0) {
            region.reopen();
          }
          marks.clear();
        } else {
          Model.write(random, region, model, hosts, times, append);
          marks.add(region.sequence);
        }
        if (random.nextInt(6) == 0) {
          check(random, region, model, region.sequence);
        }
      }
      check(random, region, model, region.sequence);
      if (!marks.isEmpty()) {
        check(random, region, model, marks.get(random.nextInt(marks.size())));
      }
      region.flush(List.of(), false);
      check(random, region, model, region.sequence);
    }
  }

  private static ScanRequest request(
      List<ColumnPredicate> predicates,
      long min,
      long max,
      long limit,
      ScanRequest.Order order,
      ScanRequest.RowSelector selector,
      int partitions) {
    return new ScanRequest(
        TestRegion.ID,
        Model.ALL,
        predicates,
        min,
        max,
        limit,
        order,
        0,
        null,
        selector,
        false,
        partitions);
  }

  private static void check(Random random, TestRegion region, Model model, long at) {
    List<List<Object>> all = model.rows(at);
    long min = random.nextInt(3) > 0 ? Long.MIN_VALUE : random.nextInt(40);
    long max = random.nextInt(3) > 0 ? Long.MAX_VALUE : random.nextInt(60);
    var predicates = new ArrayList<ColumnPredicate>();
    if (random.nextInt(3) == 0) {
      predicates.add(
          new ColumnPredicate.Compare(
              1,
              ColumnPredicate.Op.values()[random.nextInt(6)],
              TestRegion.vector(SqlType.TEXT, "host" + random.nextInt(8))));
    }
    if (random.nextInt(3) == 0) {
      predicates.add(
          new ColumnPredicate.Compare(
              3,
              ColumnPredicate.Op.values()[random.nextInt(6)],
              TestRegion.vector(SqlType.FLOAT8, random.nextInt(20))));
    }
    if (random.nextInt(4) == 0) {
      predicates.add(new ColumnPredicate.In(5, TestRegion.vector(SqlType.TEXT, "s1", "s3")));
    }
    if (random.nextInt(4) == 0) {
      predicates.add(
          new ColumnPredicate.Text(
              5,
              random.nextBoolean()
                  ? TextQuery.parse("S1 OR (s3 -s1)")
                  : new TextTerm("s" + random.nextInt(5))));
    }
    if (random.nextInt(6) == 0) {
      predicates.add(
          random.nextBoolean() ? new ColumnPredicate.IsNull(4) : new ColumnPredicate.IsNotNull(4));
    }
    var expected = new ArrayList<List<Object>>();
    for (List<Object> r : all) {
      long t = (Long) r.get(1);
      if (t >= min && t <= max && predicates.stream().allMatch(p -> holds(p, r))) {
        expected.add(r);
      }
    }
    Version v = region.version();
    var any =
        rows(
            region.scan(
                v,
                at,
                request(
                    predicates,
                    min,
                    max,
                    -1,
                    ScanRequest.Order.ANY,
                    ScanRequest.RowSelector.ALL,
                    1 + random.nextInt(3))));
    assertThat(any).containsExactlyInAnyOrderElementsOf(expected);
    var keyed =
        rows(
            region.scan(
                v,
                at,
                request(
                    predicates,
                    min,
                    max,
                    -1,
                    ScanRequest.Order.KEY,
                    ScanRequest.RowSelector.ALL,
                    1)));
    if (model.append) {
      assertThat(keyed).containsExactlyInAnyOrderElementsOf(expected);
    } else {
      assertThat(keyed).containsExactlyElementsOf(expected);
    }
    long limit = 1 + random.nextInt(10);
    var newest =
        rows(
            region.scan(
                v,
                at,
                request(
                    predicates,
                    min,
                    max,
                    limit,
                    ScanRequest.Order.TIME_DESC,
                    ScanRequest.RowSelector.ALL,
                    1)));
    var byTime = new ArrayList<>(expected);
    byTime.sort(Comparator.comparingLong((List<Object> r) -> (Long) r.get(1)).reversed());
    assertThat(newest.stream().map(r -> r.get(1)).toList())
        .isEqualTo(byTime.stream().limit(limit).map(r -> r.get(1)).toList());
    if (!model.append) {
      var last = new TreeMap<Model.Key, List<Object>>(Model.ORDER);
      for (List<Object> r : expected) {
        last.put(new Model.Key((String) r.get(0), 0), r);
      }
      var lastRows =
          rows(
              region.scan(
                  v,
                  at,
                  request(
                      predicates,
                      min,
                      max,
                      -1,
                      ScanRequest.Order.ANY,
                      ScanRequest.RowSelector.LAST_ROW,
                      1)));
      assertThat(lastRows).containsExactlyInAnyOrderElementsOf(last.values());
      lookup(random, region, model, at);
    }
  }

  private static void lookup(Random random, TestRegion region, Model model, long at) {
    int n = 1 + random.nextInt(20);
    var hosts = new Object[n];
    var times = new Object[n];
    for (int i = 0; i < n; i++) {
      int h = random.nextInt(8);
      hosts[i] = h == 0 ? null : "host" + h;
      times[i] = (long) random.nextInt(60);
    }
    var keys =
        new Batch(
            List.of(
                TestRegion.vector(SqlType.TEXT, hosts),
                TestRegion.vector(SqlType.TIMESTAMP, times)),
            n);
    var answer = region.reads.lookup(region.version(), at, keys, List.of(3, 4, 5), null);
    for (int i = 0; i < n; i++) {
      Map<Integer, Object> row =
          model.visible(new Model.Key((String) hosts[i], (Long) times[i]), at);
      boolean found = io.millrace.common.batch.Bits.get(answer.found(), i);
      assertThat(found).isEqualTo(row != null);
      if (row != null) {
        for (int c = 0; c < 3; c++) {
          assertThat(Model.value(answer.rows().column(c), i)).isEqualTo(row.get(3 + c));
        }
      }
    }
  }

  private static boolean holds(ColumnPredicate p, List<Object> row) {
    Object v = row.get(p.columnId() - 1);
    return switch (p) {
      case ColumnPredicate.IsNull _ -> v == null;
      case ColumnPredicate.IsNotNull _ -> v != null;
      case ColumnPredicate.Text t -> v != null && t.match().matches((String) v);
      case ColumnPredicate.In _ -> "s1".equals(v) || "s3".equals(v);
      case ColumnPredicate.Compare c -> {
        if (v == null) {
          yield false;
        }
        Object x = Model.value(c.constant(), 0);
        @SuppressWarnings("unchecked")
        int o = ((Comparable<Object>) v).compareTo(x);
        yield Filter.matches(c.op(), o);
      }
    };
  }
}
