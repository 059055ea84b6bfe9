package io.millrace.storage.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.ScanRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random writes, freezes and flushes; every read must agree with a plain model. */
class ModelTest {
  private static final List<Integer> ALL = List.of(1, 2, 3, 4, 5);

  private record Key(String host, long time) {}

  private static final Comparator<Key> ORDER =
      Comparator.comparing(Key::host, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparingLong(Key::time);

  private record Write(long sequence, OpType op, Map<Integer, Object> given) {}

  /** Versions by key, oldest first, and what a reader sees of them. */
  private static final class Model {
    final TreeMap<Key, List<Write>> keys = new TreeMap<>(ORDER);
    final boolean lastRow;
    final boolean append;

    Model(boolean lastRow, boolean append) {
      this.lastRow = lastRow;
      this.append = append;
    }

    void add(Key k, Write w) {
      keys.computeIfAbsent(k, x -> new ArrayList<>()).add(w);
    }

    Map<Integer, Object> visible(Key k, long at) {
      Map<Integer, Object> row = null;
      for (Write w : keys.getOrDefault(k, List.of())) {
        if (w.sequence > at) {
          continue;
        }
        switch (w.op) {
          case DELETE -> row = null;
          case REPLACE -> row = new HashMap<>(w.given);
          case PUT -> {
            if (lastRow || row == null) {
              row = new HashMap<>(w.given);
            } else {
              Map<Integer, Object> r = row;
              w.given.forEach(
                  (c, v) -> {
                    if (v != null) {
                      r.put(c, v);
                    }
                  });
            }
          }
          case CLEAR -> {
            if (row != null) {
              Map<Integer, Object> r = row;
              w.given.keySet().forEach(c -> r.put(c, null));
            }
          }
        }
      }
      return row;
    }

    List<List<Object>> rows(long at) {
      var out = new ArrayList<List<Object>>();
      for (Key k : keys.keySet()) {
        if (append) {
          for (Write w : keys.get(k)) {
            if (w.sequence <= at) {
              out.add(row(k, w.given));
            }
          }
          continue;
        }
        Map<Integer, Object> r = visible(k, at);
        if (r != null) {
          out.add(row(k, r));
        }
      }
      return out;
    }

    static List<Object> row(Key k, Map<Integer, Object> r) {
      var out = new ArrayList<Object>();
      out.add(k.host);
      out.add(k.time);
      out.add(r.get(3));
      out.add(r.get(4));
      out.add(r.get(5));
      return out;
    }
  }

  private static Object value(Vector v, int row) {
    if (v.isNull(row)) {
      return null;
    }
    return switch (v) {
      case LongVector x -> x.get(row);
      case DoubleVector x -> x.get(row);
      case BytesColumn x -> x.string(row);
      default -> throw new IllegalStateException();
    };
  }

  private static List<List<Object>> rows(List<Batch> batches) {
    var out = new ArrayList<List<Object>>();
    for (Batch b : batches) {
      for (int i = 0; i < b.rows(); i++) {
        var row = new ArrayList<Object>();
        for (Vector v : b.columns()) {
          row.add(value(v, i));
        }
        out.add(row);
      }
    }
    return out;
  }

  @ParameterizedTest
  @CsvSource({"LAST_ROW,false", "LAST_NON_NULL,false", "LAST_ROW,true"})
  void everyReadAgreesWithThePlainModel(RegionOptions.MergeMode mode, boolean append) {
    for (int round = 0; round < 25; round++) {
      long seed = new Random().nextLong();
      try {
        run(seed, mode, append);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + "L " + mode + " append " + append, e);
      }
    }
  }

  private static void run(long seed, RegionOptions.MergeMode mode, boolean append) {
    var random = new Random(seed);
    var model = new Model(mode == RegionOptions.MergeMode.LAST_ROW, append);
    int hosts = 1 + random.nextInt(8);
    int times = 1 + random.nextInt(60);
    var marks = new ArrayList<Long>();
    try (var region = new TestRegion(TestRegion.cpu(), TestRegion.options(mode, append))) {
      int steps = 5 + random.nextInt(40);
      for (int s = 0; s < steps; s++) {
        int what = random.nextInt(10);
        if (what == 0) {
          region.freeze();
        } else if (what == 1) {
          region.flush(List.of(), random.nextInt(4) == 0);
          marks.clear();
        } else {
          write(random, region, model, hosts, times, append);
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

  private static void write(
      Random random, TestRegion region, Model model, int hosts, int times, boolean append) {
    OpType op = append || random.nextInt(3) > 0 ? OpType.PUT : OpType.values()[random.nextInt(4)];
    int n = 1 + random.nextInt(30);
    List<Integer> ids = new ArrayList<>(ALL);
    if (op == OpType.CLEAR || (op == OpType.PUT && random.nextBoolean())) {
      ids.removeIf(c -> c > 2 && random.nextBoolean());
    }
    if (op == OpType.DELETE) {
      ids = new ArrayList<>(List.of(1, 2));
    }
    var builders = new ArrayList<VectorBuilder>();
    for (int id : ids) {
      SqlType t = Objects.requireNonNull(region.schema.byId(id)).type();
      builders.add(VectorBuilder.of(t, n));
    }
    for (int i = 0; i < n; i++) {
      int h = random.nextInt(hosts);
      var key = new Key(h == 0 ? null : "host" + h, random.nextInt(times));
      var given = new HashMap<Integer, Object>();
      for (int c = 0; c < ids.size(); c++) {
        Object v =
            switch (ids.get(c)) {
              case 1 -> key.host;
              case 2 -> key.time;
              case 3 -> random.nextInt(4) == 0 ? null : (double) random.nextInt(20);
              case 4 -> random.nextInt(4) == 0 ? null : (long) random.nextInt(1000);
              default -> random.nextInt(4) == 0 ? null : "s" + random.nextInt(5);
            };
        TestRegion.append(builders.get(c), v);
        if (ids.get(c) > 2) {
          given.put(ids.get(c), v);
        }
      }
      model.add(key, new Write(region.sequence + 1 + i, op, given));
    }
    region.write(op, ids, new Batch(builders.stream().map(VectorBuilder::build).toList(), n));
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
        ALL,
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
      var last = new TreeMap<Key, List<Object>>(ORDER);
      for (List<Object> r : expected) {
        last.put(new Key((String) r.get(0), 0), r);
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
      Map<Integer, Object> row = model.visible(new Key((String) hosts[i], (Long) times[i]), at);
      boolean found = io.millrace.common.batch.Bits.get(answer.found(), i);
      assertThat(found).isEqualTo(row != null);
      if (row != null) {
        for (int c = 0; c < 3; c++) {
          assertThat(value(answer.rows().column(c), i)).isEqualTo(row.get(3 + c));
        }
      }
    }
  }

  private static boolean holds(ColumnPredicate p, List<Object> row) {
    Object v = row.get(p.columnId() - 1);
    return switch (p) {
      case ColumnPredicate.IsNull _ -> v == null;
      case ColumnPredicate.IsNotNull _ -> v != null;
      case ColumnPredicate.In _ -> "s1".equals(v) || "s3".equals(v);
      case ColumnPredicate.Compare c -> {
        if (v == null) {
          yield false;
        }
        Object x = value(c.constant(), 0);
        @SuppressWarnings("unchecked")
        int o = ((Comparable<Object>) v).compareTo(x);
        yield Filter.matches(c.op(), o);
      }
    };
  }
}
