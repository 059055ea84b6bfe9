package io.millrace.storage.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ChangeBatch;
import io.millrace.storage.HoldKind;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The change feed from every hold is the difference of the model at two sequences. */
@NullUnmarked // rows hold nulls
class ChangesTest {
  @ParameterizedTest
  @EnumSource(RegionOptions.MergeMode.class)
  void theFeedFromAHoldIsTheDifferenceOfTwoSnapshots(RegionOptions.MergeMode mode) {
    var seeds = new Random(Long.getLong("millrace.seed", 20_261_130));
    for (int round = 0; round < 20; round++) {
      long seed = seeds.nextLong();
      try {
        run(seed, mode);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + "L " + mode, e);
      }
    }
  }

  private static void run(long seed, RegionOptions.MergeMode mode) {
    var random = new Random(seed);
    var model = new Model(mode == RegionOptions.MergeMode.LAST_ROW, false);
    int hosts = 1 + random.nextInt(5);
    int times = 1 + random.nextInt(20);
    var holds = new ArrayList<HoldPoint>();
    try (var region = new TestRegion(TestRegion.cpu(), TestRegion.options(mode, false))) {
      int steps = 10 + random.nextInt(40);
      for (int s = 0; s < steps; s++) {
        switch (random.nextInt(8)) {
          case 0 -> region.freeze();
          case 1 -> region.flush(holds, random.nextInt(5) == 0);
          case 2 ->
              holds.add(
                  new HoldPoint(
                      region.sequence, random.nextBoolean() ? HoldKind.ROWS : HoldKind.KEYS));
          case 3 -> {
            if (!holds.isEmpty()) {
              holds.remove(random.nextInt(holds.size()));
            }
          }
          default -> Model.write(random, region, model, hosts, times, false);
        }
        for (HoldPoint h : holds) {
          check(region, model, h.sequence(), h.kind() == HoldKind.ROWS);
        }
      }
    }
  }

  private record Change(Map<Integer, Object> now, Map<Integer, Object> old) {}

  private static void check(TestRegion region, Model model, long after, boolean withOld) {
    var expected = new TreeMap<Model.Key, Change>(Model.ORDER);
    model.keys.forEach(
        (k, versions) -> {
          if (versions.stream().anyMatch(w -> w.sequence() > after)) {
            var c = new Change(model.visible(k, region.sequence), model.visible(k, after));
            if (c.now != null || c.old != null) {
              expected.put(k, c);
            }
          }
        });
    var seen = new TreeMap<Model.Key, Change>(Model.ORDER);
    try (var feed =
        region.reads.changes(
            region.version(), after, region.sequence, List.of(3, 4, 5), withOld, withOld)) {
      for (ChangeBatch b = feed.next(); b != null; b = feed.next()) {
        Batch keys = b.keys();
        for (int i = 0; i < keys.rows(); i++) {
          Object host = Model.value(keys.column(0), i);
          var key = new Model.Key((String) host, ((LongVector) keys.column(1)).get(i));
          Batch old = b.old();
          long[] oldPresent = b.oldPresent();
          var c =
              new Change(
                  Bits.get(b.present(), i) ? row(b.now(), i) : null,
                  old != null && oldPresent != null && Bits.get(oldPresent, i)
                      ? row(old, i)
                      : null);
          assertThat(seen.put(key, c)).isNull();
        }
      }
    }
    if (withOld) {
      assertThat(normal(seen)).isEqualTo(normal(expected));
    } else {
      for (var e : expected.entrySet()) {
        assertThat(seen).containsKey(e.getKey());
        assertThat(normal(seen.get(e.getKey()).now)).isEqualTo(normal(e.getValue().now));
      }
      seen.keySet().removeAll(expected.keySet());
      for (Change c : seen.values()) {
        assertThat(c.now).isNull();
      }
    }
  }

  private static Map<String, String> normal(TreeMap<Model.Key, Change> m) {
    var out = new TreeMap<String, String>();
    m.forEach((k, c) -> out.put(k.toString(), normal(c.now) + " was " + normal(c.old)));
    return out;
  }

  private static String normal(Map<Integer, Object> row) {
    return row == null ? "-" : row.get(3) + " " + row.get(4) + " " + row.get(5);
  }

  private static Map<Integer, Object> row(Batch b, int i) {
    var out = new HashMap<Integer, Object>();
    for (int c = 0; c < 3; c++) {
      Vector v = b.column(c);
      out.put(3 + c, Model.value(v, i));
    }
    return out;
  }

  private static Batch one(String host, long time, double v) {
    return new Batch(
        List.of(
            TestRegion.vector(SqlType.TEXT, host),
            TestRegion.vector(SqlType.TIMESTAMP, time),
            TestRegion.vector(SqlType.FLOAT8, v)),
        1);
  }

  @Test
  void aFeedWhoseVersionsAreGoneIsStale() {
    try (var region = new TestRegion(TestRegion.cpu(), RegionOptions.DEFAULT)) {
      region.write(OpType.PUT, List.of(1, 2, 3), one("a", 1, 1));
      region.write(OpType.PUT, List.of(1, 2, 3), one("a", 1, 2));
      region.write(OpType.DELETE, List.of(1, 2), one("b", 1, 0).project(0, 1));
      FlushOutput out = region.flush(List.of(), false);
      assertThat(out.feedStartRows()).isEqualTo(2);
      assertThat(out.feedStartKeys()).isEqualTo(3);
      assertThatThrownBy(
              () -> region.reads.changes(region.version(), 1, 3, List.of(3), true, false))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_CURSOR));
      region.reads.changes(region.version(), 3, 3, List.of(3), true, false).close();
    }
  }

  @Test
  void aReaderOfTheVersionBeforeTheFlushMissesNothing() {
    try (var region = new TestRegion(TestRegion.cpu(), RegionOptions.DEFAULT)) {
      region.write(OpType.PUT, List.of(1, 2, 3), one("a", 1, 1));
      region.write(OpType.PUT, List.of(1, 2, 3), one("b", 1, 5));
      long mark = region.sequence;
      Version before = region.version();
      region.write(OpType.PUT, List.of(1, 2, 3), one("a", 1, 2));
      region.freeze();
      region.flush(List.of(), false);
      var rows =
          region.scan(
              before, mark, io.millrace.storage.ScanRequest.all(TestRegion.ID, List.of(1, 3)));
      var seen = new TreeMap<String, Double>();
      for (Batch b : rows) {
        for (int i = 0; i < b.rows(); i++) {
          seen.put(
              ((BytesColumn) b.column(0)).string(i),
              ((io.millrace.common.batch.DoubleVector) b.column(1)).get(i));
        }
      }
      assertThat(seen).containsExactly(Map.entry("a", 1.0), Map.entry("b", 5.0));
    }
  }
}
