package io.millrace.sql.exec.driver;

import static io.millrace.sql.exec.driver.TestEngine.batches;
import static io.millrace.sql.exec.driver.TestEngine.col;
import static io.millrace.sql.exec.driver.TestEngine.lit;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.IntervalVector;
import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.AggregateCall;
import io.millrace.sql.physical.PhysicalPlan.RangeItem;
import io.millrace.sql.physical.PhysicalPlan.RangeItem.Fill;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Range queries against their definition: each window folded by itself from all rows. */
class RangeSelectTest {
  private static final List<SqlType> TYPES = List.of(SqlType.INT4, SqlType.TIMESTAMP, SqlType.INT8);

  @TempDir Path temp;

  /** A row of the input. */
  private record Row(@Nullable Integer key, @Nullable Long time, @Nullable Long value) {}

  /**
   * An item as the model knows it.
   *
   * @param kind count, sum or max
   */
  private record Item(String kind, boolean distinct, boolean filtered, long range, Fill fill) {
    RangeItem plan() {
      FunctionId f =
          new FunctionId(
              switch (kind) {
                case "count" -> "count(any)";
                case "sum" -> "test_sum(int8)";
                default -> "max(int8)";
              });
      var call =
          new AggregateCall(
              f,
              SqlType.INT8,
              List.of(col(2, SqlType.INT8)),
              distinct,
              filtered
                  ? new Expr.Compare(Expr.Op.LT, col(2, SqlType.INT8), lit(SqlType.INT8, 50L))
                  : null,
              List.of(),
              List.of());
      return new RangeItem(
          call,
          span(range),
          fill,
          fill == Fill.VALUE ? lit(SqlType.INT8, -7L) : null,
          fill == Fill.LINEAR || fill == Fill.BETWEEN ? SqlType.FLOAT8 : SqlType.INT8);
    }

    @Nullable Long fold(List<Row> rows) {
      var values = new ArrayList<Long>();
      for (Row r : rows) {
        Long v = r.value();
        if (v != null && (!filtered || v < 50) && !(distinct && values.contains(v))) {
          values.add(v);
        }
      }
      return switch (kind) {
        case "count" -> (long) values.size();
        case "sum" -> values.isEmpty() ? null : (Long) values.stream().mapToLong(v -> v).sum();
        default -> values.stream().max(Comparator.naturalOrder()).orElse(null);
      };
    }
  }

  private static Expr span(long micros) {
    return new Expr.Literal(
        SqlType.INTERVAL,
        new IntervalVector(SqlType.INTERVAL, new int[1], new int[1], new long[] {micros}, 1, null));
  }

  private record Case(long align, long origin, boolean keyed, List<Item> items) {
    PhysicalPlan plan(PhysicalPlan input) {
      return new PhysicalPlan.RangeSelect(
          input,
          keyed ? List.of(0) : List.of(),
          1,
          items.stream().map(Item::plan).toList(),
          span(align),
          lit(SqlType.TIMESTAMP, origin));
    }
  }

  private static Case aCase(Random r, int longest) {
    long align = 1 + r.nextInt(20);
    boolean fillAll = r.nextBoolean();
    boolean distinct = r.nextInt(4) == 0;
    var items = new ArrayList<Item>();
    int n = 1 + r.nextInt(3);
    for (int i = 0; i < n; i++) {
      items.add(
          new Item(
              List.of("count", "sum", "max").get(r.nextInt(3)),
              distinct && r.nextBoolean(),
              r.nextInt(3) == 0,
              1 + r.nextInt((int) align * (1 + r.nextInt(longest))),
              fillAll ? Fill.values()[r.nextInt(7)] : Fill.NONE));
    }
    return new Case(align, r.nextInt(40) - 20, r.nextInt(4) != 0, items);
  }

  private static List<Row> rows(Random r, int n, int points, long align) {
    var out = new ArrayList<Row>();
    long time = r.nextInt(100) - 50;
    for (int i = 0; i < n; i++) {
      time += r.nextInt(50) == 0 ? r.nextInt((int) align * points) : r.nextInt((int) align + 2);
      out.add(
          new Row(
              r.nextInt(9) == 0 ? null : r.nextInt(3),
              r.nextInt(60) == 0 ? odd(r) : Long.valueOf(time),
              r.nextInt(6) == 0 ? null : Long.valueOf(r.nextInt(100))));
    }
    return out;
  }

  /** A time that no window has: none, or infinity. */
  private static @Nullable Long odd(Random r) {
    return r.nextBoolean() ? null : Long.valueOf(Long.MAX_VALUE);
  }

  @Test
  void everyWindowHasTheRowsOfItsTime() {
    for (int round = 0; round < 80; round++) {
      check(7000 + round, 1 + new Random(round).nextInt(300), 40, 9, 1 << 28);
    }
  }

  @Test
  void windowsOverThousandsOfPointsAndSeriesLongerThanAStretch() {
    for (int round = 0; round < 4; round++) {
      check(8000 + round, 1500, 300, round % 2 == 0 ? 700 : 3, 1 << 28);
    }
  }

  @Test
  void littleMemoryGivesTheSame() {
    check(9000, 9000, 4, 3, 1_500_000);
  }

  private void check(long seed, int n, int points, int longest, long memory) {
    var r = new Random(seed);
    Case c = aCase(r, longest);
    List<Row> rows = rows(r, n, points, c.align());
    var shuffled = new ArrayList<>(rows);
    java.util.Collections.shuffle(shuffled, r);
    var values = new ArrayList<List<@Nullable Object>>();
    for (Row row : shuffled) {
      var v = new ArrayList<@Nullable Object>();
      v.add(row.key());
      v.add(row.time());
      v.add(row.value());
      values.add(v);
    }
    try (var e = new TestEngine(temp, memory, 1 << 30, 2)) {
      PhysicalPlan input = e.table(1, TYPES, batches(TYPES, values, 1 + r.nextInt(900)));
      assertThat(e.run(c.plan(input))).as("seed %d: %s", seed, c).isEqualTo(model(c, rows));
    }
  }

  // ---- the definition ----

  private static List<List<@Nullable Object>> model(Case c, List<Row> rows) {
    var series = new TreeMap<Integer, List<Row>>(); // NULL sorts last, as the greatest number
    for (Row row : rows) {
      if (row.time() != null && row.time() != Long.MAX_VALUE) {
        Integer k = row.key();
        series
            .computeIfAbsent(
                c.keyed() ? (k == null ? Integer.MAX_VALUE : k) : 0, _ -> new ArrayList<>())
            .add(row);
      }
    }
    var out = new ArrayList<List<@Nullable Object>>();
    series.forEach((k, of) -> series(c, k == Integer.MAX_VALUE ? null : k, of, out));
    return out;
  }

  private static void series(
      Case c, @Nullable Integer key, List<Row> rows, List<List<@Nullable Object>> out) {
    long most = c.items().stream().mapToLong(Item::range).max().orElseThrow();
    var windows = new TreeMap<Long, Map<Integer, List<Row>>>();
    for (Row row : rows) {
      long t = Objects.requireNonNull(row.time());
      long point = Math.floorDiv(t - c.origin(), c.align()) * c.align() + c.origin();
      for (long p = point; p + most > t; p -= c.align()) {
        Map<Integer, List<Row>> at = windows.computeIfAbsent(p, _ -> new HashMap<>());
        for (int i = 0; i < c.items().size(); i++) {
          if (p + c.items().get(i).range() > t) {
            at.computeIfAbsent(i, _ -> new ArrayList<>()).add(row);
          }
        }
      }
    }
    if (windows.isEmpty()) {
      return;
    }
    List<Long> points = new ArrayList<>(windows.keySet());
    if (c.items().stream().anyMatch(i -> i.fill() != Fill.NONE)) {
      points = new ArrayList<>();
      for (long p = windows.firstKey(); p <= windows.lastKey(); p += c.align()) {
        points.add(p);
      }
    }
    var columns = new ArrayList<List<@Nullable Object>>();
    for (int i = 0; i < c.items().size(); i++) {
      columns.add(filled(c.items().get(i), i, points, windows));
    }
    for (int p = 0; p < points.size(); p++) {
      var row = new ArrayList<@Nullable Object>();
      if (c.keyed()) {
        row.add(key);
      }
      row.add(points.get(p));
      for (List<@Nullable Object> column : columns) {
        row.add(column.get(p));
      }
      out.add(row);
    }
  }

  private static List<@Nullable Object> filled(
      Item item, int i, List<Long> points, Map<Long, Map<Integer, List<Row>>> windows) {
    var raw = new ArrayList<@Nullable Long>();
    for (long p : points) {
      Map<Integer, List<Row>> at = windows.get(p);
      raw.add(at == null ? null : item.fold(at.getOrDefault(i, List.of())));
    }
    var out = new ArrayList<@Nullable Object>();
    Long last = null;
    Long carried = null;
    for (int p = 0; p < raw.size(); p++) {
      Long v = raw.get(p);
      last = v == null ? last : v;
      carried = windows.containsKey(points.get(p)) ? v : carried;
      out.add(
          switch (item.fill()) {
            case NONE, NULL -> v;
            case PREV -> last;
            case VALUE -> v == null ? Long.valueOf(-7) : v;
            case LINEAR -> v == null ? line(raw, points, p) : Double.valueOf(v);
            case CARRY -> carried;
            case BETWEEN ->
                v != null
                    ? Double.valueOf(v)
                    : last == null || raw.subList(p, raw.size()).stream().allMatch(Objects::isNull)
                        ? null
                        : line(raw, points, p);
          });
    }
    return out;
  }

  private static @Nullable Double line(List<@Nullable Long> raw, List<Long> points, int at) {
    var known = new ArrayList<Integer>();
    for (int p = 0; p < raw.size(); p++) {
      if (raw.get(p) != null) {
        known.add(p);
      }
    }
    if (known.size() < 2) {
      return null;
    }
    int right = 1;
    while (right < known.size() - 1 && known.get(right) < at) {
      right++;
    }
    int a = known.get(right - 1);
    int b = known.get(right);
    double first = Objects.requireNonNull(raw.get(a));
    double rise = Objects.requireNonNull(raw.get(b)) - first;
    return first
        + rise * (points.get(at) - points.get(a)) / (double) (points.get(b) - points.get(a));
  }
}
