package io.millrace.sql.exec.driver;

import static io.millrace.sql.exec.driver.TestEngine.batches;
import static io.millrace.sql.exec.driver.TestEngine.col;
import static io.millrace.sql.exec.driver.TestEngine.lit;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PhysicalPlan.AggregateCall;
import io.millrace.sql.physical.PhysicalPlan.Frame;
import io.millrace.sql.physical.PhysicalPlan.Frame.Bound;
import io.millrace.sql.physical.PhysicalPlan.Frame.Exclude;
import io.millrace.sql.physical.PhysicalPlan.Frame.Mode;
import io.millrace.sql.physical.PhysicalPlan.JoinType;
import io.millrace.sql.physical.PhysicalPlan.SortKey;
import io.millrace.sql.physical.PhysicalPlan.WindowCall;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operators against naive models. The seed is in every failure's description. */
class RandomisedTest {
  private static final List<SqlType> TYPES =
      List.of(
          SqlType.INT4,
          SqlType.INT8,
          SqlType.TEXT,
          SqlType.FLOAT8,
          SqlType.NUMERIC,
          SqlType.BOOL,
          SqlType.arrayOf(SqlType.INT4));

  @TempDir Path temp;

  private static @Nullable Object value(Random r, SqlType t, int distinct) {
    if (r.nextInt(12) == 0) {
      return null;
    }
    int v = r.nextInt(distinct);
    return switch (t.kind()) {
      case INT4 -> v - distinct / 2;
      case INT8 -> (v - distinct / 2) * 10_000_000_000L;
      case TEXT -> "some longer key " + (v % 7 == 0 ? "" : v);
      case FLOAT8 -> v % 5 == 0 ? Double.NaN : v / 4.0 - 2;
      case NUMERIC -> BigDecimal.valueOf(v, r.nextBoolean() ? 1 : 0);
      case BOOL -> v % 2 == 0;
      case ARRAY -> v % 3 == 0 ? List.of() : List.of(v, v % 3);
      default -> throw new IllegalArgumentException(t.sqlName());
    };
  }

  private static List<List<@Nullable Object>> rows(
      Random r, List<SqlType> types, int n, int distinct) {
    var out = new ArrayList<List<@Nullable Object>>();
    while (out.size() < n) {
      var row = new ArrayList<@Nullable Object>();
      for (SqlType t : types) {
        row.add(value(r, t, distinct));
      }
      // Runs of equal rows, as clustered input has.
      int times = r.nextInt(8) == 0 ? 1 + r.nextInt(40) : 1;
      for (int i = 0; i < times && out.size() < n; i++) {
        out.add(row);
      }
    }
    return out;
  }

  /** Keys as the engine groups them: numerics by value. */
  private static @Nullable Object canonical(@Nullable Object o) {
    return o instanceof BigDecimal d
        ? d.signum() == 0 ? BigDecimal.ZERO : d.stripTrailingZeros()
        : o;
  }

  private static List<@Nullable Object> canonical(List<@Nullable Object> row) {
    var out = new ArrayList<@Nullable Object>();
    row.forEach(o -> out.add(canonical(o)));
    return out;
  }

  private static Map<List<@Nullable Object>, Integer> bag(
      List<? extends List<@Nullable Object>> rows) {
    var out = new HashMap<List<@Nullable Object>, Integer>();
    for (List<@Nullable Object> r : rows) {
      out.merge(canonical(r), 1, Integer::sum);
    }
    return out;
  }

  private static List<SqlType> someTypes(Random r, int least) {
    var out = new ArrayList<SqlType>();
    int n = least + r.nextInt(2);
    for (int i = 0; i < n; i++) {
      out.add(TYPES.get(r.nextInt(TYPES.size())));
    }
    return out;
  }

  private PhysicalPlan.TableScan table(
      TestEngine e, int id, List<SqlType> types, List<List<@Nullable Object>> rows, int size) {
    return e.table(id, types, batches(types, rows, size));
  }

  @Test
  void aggregatesInMemoryAndOnDisk() {
    for (int round = 0; round < 10; round++) {
      long seed = 1000 + round;
      var r = new Random(seed);
      boolean small = round % 2 == 1;
      try (var e = new TestEngine(temp, small ? 1_800_000 : 1 << 28, 1 << 30, 2)) {
        List<SqlType> types = someTypes(r, 1);
        var all = new ArrayList<>(types);
        all.add(SqlType.INT8);
        int n = small ? 15_000 : 4_000;
        var rows = rows(r, all, n, small ? 20_000 : 1 + r.nextInt(300));
        var keys = new ArrayList<Integer>();
        var set = new ArrayList<Integer>();
        for (int i = 0; i < types.size(); i++) {
          keys.add(i);
          set.add(i);
        }
        int x = types.size();
        var plan =
            new PhysicalPlan.Aggregate(
                table(e, 1, all, rows, 700 + r.nextInt(3000)),
                keys,
                List.of(set),
                List.of(
                    call("test_count()", List.of(), false, null),
                    call("test_sum(int8)", List.of(col(x, SqlType.INT8)), false, null),
                    call(
                        "test_sum(int8)",
                        List.of(col(x, SqlType.INT8)),
                        !small,
                        new Expr.Compare(Expr.Op.GT, col(x, SqlType.INT8), lit(SqlType.INT8, 0L)))),
                false);
        var expected = new HashMap<List<@Nullable Object>, long[]>();
        var seen = new HashMap<List<@Nullable Object>, Boolean>();
        for (var row : rows) {
          var key = canonical(row.subList(0, x));
          long[] s = expected.computeIfAbsent(key, _ -> new long[5]);
          Long v = (Long) row.get(x);
          s[0]++;
          if (v != null) {
            s[1] += v;
            s[2]++;
            if (v > 0) {
              var once = new ArrayList<@Nullable Object>(key);
              once.add(v);
              if (small || seen.putIfAbsent(once, true) == null) {
                s[3] += v;
                s[4]++;
              }
            }
          }
        }
        var want = new HashMap<List<@Nullable Object>, Integer>();
        expected.forEach(
            (k, s) -> {
              var row = new ArrayList<@Nullable Object>(k);
              row.add(s[0]);
              row.add(s[2] == 0 ? null : s[1]);
              row.add(s[4] == 0 ? null : s[3]);
              want.put(row, 1);
            });
        assertThat(bag(e.run(plan))).as("seed %d types %s", seed, types).isEqualTo(want);
      }
    }
  }

  @Test
  void aggregatesBesideParallelScans() {
    for (int round = 0; round < 4; round++) {
      long seed = 5000 + round;
      var r = new Random(seed);
      boolean small = round % 2 == 1;
      try (var e = new TestEngine(temp, small ? 3_000_000 : 1 << 28, 1 << 30, 2)) {
        e.regions.partitions = 3;
        List<SqlType> types = List.of(SqlType.TEXT, SqlType.INT8);
        var rows = rows(r, types, 62_000, small ? 15_000 : 300);
        Expr x = col(1, SqlType.INT8);
        var filter =
            new PhysicalPlan.Filter(
                table(e, 1, types, rows, 4000),
                new Expr.Compare(Expr.Op.GE, x, lit(SqlType.INT8, 0L)));
        var plan =
            new PhysicalPlan.Aggregate(
                new PhysicalPlan.Project(filter, List.of(x, col(0, SqlType.TEXT))),
                List.of(1),
                List.of(List.of(0)),
                List.of(
                    call("test_count()", List.of(), false, null),
                    call("test_sum(int8)", List.of(col(0, SqlType.INT8)), false, null)),
                false);
        var expected = new HashMap<@Nullable Object, long[]>();
        for (var row : rows) {
          Long v = (Long) row.get(1);
          if (v != null && v >= 0) {
            long[] s = expected.computeIfAbsent(row.get(0), _ -> new long[2]);
            s[0]++;
            s[1] += v;
          }
        }
        var want = new HashMap<List<@Nullable Object>, Integer>();
        expected.forEach(
            (k, s) -> {
              var row = new ArrayList<@Nullable Object>();
              row.add(k);
              row.add(s[0]);
              row.add(s[1]);
              want.put(row, 1);
            });
        assertThat(bag(e.run(plan))).as("seed %d", seed).isEqualTo(want);
      }
    }
  }

  private static AggregateCall call(
      String name, List<Expr> args, boolean distinct, @Nullable Expr filter) {
    return new AggregateCall(
        new FunctionId(name), SqlType.INT8, args, distinct, filter, List.of(), List.of());
  }

  @Test
  void joinsInMemoryAndOnDisk() {
    for (int round = 0; round < 32; round++) {
      long seed = 2000 + round;
      var r = new Random(seed);
      boolean small = round % 3 == 2;
      JoinType type = JoinType.values()[round % JoinType.values().length];
      try (var e = new TestEngine(temp, small ? 1_200_000 : 1 << 28, 1 << 30, 2)) {
        var keyTypes = new ArrayList<SqlType>();
        int keys = r.nextInt(3);
        if (small) {
          keys = 1;
        }
        var nullSafe = new ArrayList<Boolean>();
        for (int k = 0; k < keys; k++) {
          // On disk keys must be distinct enough, or the result is beyond all measure.
          keyTypes.add(TYPES.get(r.nextInt(small ? 3 : TYPES.size())));
          nullSafe.add(r.nextInt(4) == 0);
        }
        var types = new ArrayList<>(keyTypes);
        types.add(SqlType.INT4);
        types.add(SqlType.TEXT);
        int width = types.size();
        int distinct = small ? 8_000 : 1 + r.nextInt(40);
        var left = rows(r, types, small ? 3_000 : r.nextInt(120), distinct);
        var right =
            rows(r, types, small ? 12_000 : r.nextInt(3) == 0 ? 0 : r.nextInt(120), distinct);
        boolean withResidual = !small && r.nextBoolean();
        Expr residual =
            withResidual
                ? new Expr.Compare(
                    Expr.Op.LE, col(keys, SqlType.INT4), col(width + keys, SqlType.INT4))
                : null;
        var leftKeys = new ArrayList<Expr>();
        for (int k = 0; k < keys; k++) {
          leftKeys.add(col(k, keyTypes.get(k)));
        }
        var plan =
            new PhysicalPlan.Join(
                type,
                table(e, 1, types, left, 50 + r.nextInt(3000)),
                table(e, 2, types, right, 50 + r.nextInt(3000)),
                leftKeys,
                leftKeys,
                nullSafe,
                residual);
        var want =
            small
                ? hashedModel(type, left, right, nullSafe, width)
                : model(type, left, right, keys, nullSafe, withResidual, width);
        assertThat(bag(e.run(plan)))
            .as(
                "seed %d %s keys %s nullSafe %s residual %s",
                seed, type, keyTypes, nullSafe, withResidual)
            .isEqualTo(bag(want));
      }
    }
  }

  /** true, false or null = unknown. */
  private static @Nullable Boolean matches(
      List<@Nullable Object> l,
      List<@Nullable Object> r,
      int keys,
      List<Boolean> nullSafe,
      boolean withResidual) {
    if (withResidual) {
      Integer a = (Integer) l.get(keys);
      Integer b = (Integer) r.get(keys);
      if (a == null || b == null || a > b) {
        return false;
      }
    }
    boolean unknown = false;
    for (int k = 0; k < keys; k++) {
      Object a = canonical(l.get(k));
      Object b = canonical(r.get(k));
      if (nullSafe.get(k)) {
        if (!Objects.equals(a, b)) {
          return false;
        }
      } else if (a == null || b == null) {
        unknown = true;
      } else if (!a.equals(b)) {
        return false;
      }
    }
    return unknown ? null : Boolean.TRUE;
  }

  private static List<@Nullable Object> pair(
      @Nullable List<@Nullable Object> l, @Nullable List<@Nullable Object> r, int width) {
    var out = new ArrayList<@Nullable Object>();
    for (int i = 0; i < width; i++) {
      out.add(l == null ? null : l.get(i));
    }
    for (int i = 0; i < width; i++) {
      out.add(r == null ? null : r.get(i));
    }
    return out;
  }

  private static List<List<@Nullable Object>> model(
      JoinType type,
      List<List<@Nullable Object>> left,
      List<List<@Nullable Object>> right,
      int keys,
      List<Boolean> nullSafe,
      boolean withResidual,
      int width) {
    var out = new ArrayList<List<@Nullable Object>>();
    boolean[] rightHit = new boolean[right.size()];
    for (var l : left) {
      boolean hit = false;
      boolean unknown = false;
      for (int j = 0; j < right.size(); j++) {
        Boolean m = matches(l, right.get(j), keys, nullSafe, withResidual);
        unknown |= m == null;
        if (m != null && m) {
          hit = true;
          rightHit[j] = true;
          if (pairs(type)) {
            out.add(pair(l, right.get(j), width));
          }
        }
      }
      finish(type, l, hit, unknown, width, out);
    }
    if (type == JoinType.RIGHT || type == JoinType.FULL) {
      for (int j = 0; j < right.size(); j++) {
        if (!rightHit[j]) {
          out.add(pair(null, right.get(j), width));
        }
      }
    }
    return out;
  }

  private static boolean pairs(JoinType t) {
    return t == JoinType.INNER || t == JoinType.LEFT || t == JoinType.RIGHT || t == JoinType.FULL;
  }

  private static void finish(
      JoinType type,
      List<@Nullable Object> l,
      boolean hit,
      boolean unknown,
      int width,
      List<List<@Nullable Object>> out) {
    switch (type) {
      case LEFT, FULL -> {
        if (!hit) {
          out.add(pair(l, null, width));
        }
      }
      case SEMI -> {
        if (hit) {
          out.add(l);
        }
      }
      case ANTI -> {
        if (!hit) {
          out.add(l);
        }
      }
      case NULL_AWARE_ANTI -> {
        if (!hit && !unknown) {
          out.add(l);
        }
      }
      case LEFT_MARK -> {
        var row = new ArrayList<>(l);
        row.add(hit ? Boolean.TRUE : unknown ? null : Boolean.FALSE);
        out.add(row);
      }
      case INNER, RIGHT -> {}
    }
  }

  /** One key, no residual, many rows. */
  private static List<List<@Nullable Object>> hashedModel(
      JoinType type,
      List<List<@Nullable Object>> left,
      List<List<@Nullable Object>> right,
      List<Boolean> nullSafe,
      int width) {
    boolean safe = nullSafe.getFirst();
    var index = new HashMap<@Nullable Object, List<Integer>>();
    boolean rightNull = false;
    for (int j = 0; j < right.size(); j++) {
      Object k = canonical(right.get(j).getFirst());
      rightNull |= k == null;
      if (k != null || safe) {
        index.computeIfAbsent(k, _ -> new ArrayList<>()).add(j);
      }
    }
    boolean[] rightHit = new boolean[right.size()];
    var out = new ArrayList<List<@Nullable Object>>();
    for (var l : left) {
      Object k = canonical(l.getFirst());
      List<Integer> hits = k == null && !safe ? List.of() : index.getOrDefault(k, List.of());
      for (int j : hits) {
        rightHit[j] = true;
        if (pairs(type)) {
          out.add(pair(l, right.get(j), width));
        }
      }
      boolean unknown = !safe && !right.isEmpty() && (k == null || rightNull);
      finish(type, l, !hits.isEmpty(), unknown, width, out);
    }
    if (type == JoinType.RIGHT || type == JoinType.FULL) {
      for (int j = 0; j < right.size(); j++) {
        if (!rightHit[j]) {
          out.add(pair(null, right.get(j), width));
        }
      }
    }
    return out;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compare(@Nullable Object a, @Nullable Object b, SortKey k) {
    if (a == null || b == null) {
      return a == b ? 0 : (a == null) == k.nullsFirst() ? -1 : 1;
    }
    int c;
    if (a instanceof List<?> x && b instanceof List<?> y) {
      c = 0;
      for (int i = 0; i < Math.min(x.size(), y.size()) && c == 0; i++) {
        c = Integer.compare((Integer) x.get(i), (Integer) y.get(i));
      }
      c = c != 0 ? c : Integer.compare(x.size(), y.size());
    } else {
      c = ((Comparable) a).compareTo(b);
    }
    return k.descending() ? -c : c;
  }

  private static Comparator<List<@Nullable Object>> order(List<SortKey> keys) {
    return (a, b) -> {
      for (SortKey k : keys) {
        int i = ((Expr.Column) k.expr()).index();
        int c = compare(a.get(i), b.get(i), k);
        if (c != 0) {
          return c;
        }
      }
      return 0;
    };
  }

  @Test
  void sortsAndTopNAreStableInMemoryAndOnDisk() {
    for (int round = 0; round < 10; round++) {
      long seed = 3000 + round;
      var r = new Random(seed);
      boolean small = round % 3 == 2;
      try (var e = new TestEngine(temp, small ? 1_800_000 : 1 << 28, 1 << 30, 2)) {
        List<SqlType> types = someTypes(r, 2);
        var all = new ArrayList<>(types);
        all.add(SqlType.INT4);
        int n = small ? 20_000 : 1 + r.nextInt(9_000);
        var rows = rows(r, types, n, 1 + r.nextInt(500));
        var numbered = new ArrayList<List<@Nullable Object>>();
        for (int i = 0; i < n; i++) {
          var row = new ArrayList<>(rows.get(i));
          row.add(i);
          numbered.add(row);
        }
        var keys = new ArrayList<SortKey>();
        for (int i = 0; i < types.size(); i++) {
          keys.add(new SortKey(col(i, types.get(i)), r.nextBoolean(), r.nextBoolean()));
        }
        var sort = new PhysicalPlan.Sort(table(e, 1, all, numbered, 300 + r.nextInt(3000)), keys);
        var want = new ArrayList<>(numbered);
        want.sort(order(keys));
        var got = e.run(sort);
        assertThat(got.equals(want)).as("seed %d types %s keys %s", seed, types, keys).isTrue();
        int limit = r.nextInt(50);
        int offset = r.nextInt(30);
        var top =
            e.run(
                new PhysicalPlan.Limit(
                    sort, lit(SqlType.INT8, (long) limit), lit(SqlType.INT8, (long) offset)));
        assertThat(top)
            .as("top-N seed %d", seed)
            .isEqualTo(want.subList(Math.min(n, offset), Math.min(n, offset + limit)));
      }
    }
  }

  private record RandomFrame(Frame frame, int startOffset, int endOffset) {}

  private static RandomFrame frame(Random r) {
    while (true) {
      Mode mode = Mode.values()[r.nextInt(3)];
      Bound start = Bound.values()[r.nextInt(4)];
      Bound end = Bound.values()[1 + r.nextInt(4)];
      if (start.ordinal() > end.ordinal()) {
        continue;
      }
      int so = r.nextInt(4);
      int eo = r.nextInt(4);
      boolean sOff = start == Bound.PRECEDING || start == Bound.FOLLOWING;
      boolean eOff = end == Bound.PRECEDING || end == Bound.FOLLOWING;
      return new RandomFrame(
          new Frame(
              mode,
              start,
              sOff ? lit(SqlType.INT8, (long) so) : null,
              end,
              eOff ? lit(SqlType.INT8, (long) eo) : null,
              Exclude.values()[r.nextInt(4)]),
          so,
          eo);
    }
  }

  @Test
  void windowFramesAgreeWithTheirDefinition() {
    List<SqlType> types = List.of(SqlType.INT4, SqlType.INT4, SqlType.INT8);
    for (int round = 0; round < 100; round++) {
      long seed = 4000 + round;
      var r = new Random(seed);
      try (var e = new TestEngine(temp)) {
        var rows = new ArrayList<List<@Nullable Object>>();
        int n = r.nextInt(60);
        for (int i = 0; i < n; i++) {
          var row = new ArrayList<@Nullable Object>();
          row.add(r.nextInt(3));
          row.add(r.nextInt(10) == 0 ? null : r.nextInt(12));
          row.add(r.nextInt(8) == 0 ? null : (long) r.nextInt(100));
          rows.add(row);
        }
        var order = new SortKey(col(1, SqlType.INT4), r.nextBoolean(), r.nextBoolean());
        RandomFrame f = frame(r);
        boolean filter = r.nextInt(3) == 0;
        var plan =
            new PhysicalPlan.Window(
                table(e, 1, types, rows, 1 + r.nextInt(40)),
                List.of(0),
                List.of(order),
                List.of(
                    new WindowCall(
                        new FunctionId(r.nextBoolean() ? "test_sum(int8)" : "test_slow_sum(int8)"),
                        SqlType.INT8,
                        List.of(col(2, SqlType.INT8)),
                        filter
                            ? new Expr.Compare(
                                Expr.Op.LT, col(2, SqlType.INT8), lit(SqlType.INT8, 50L))
                            : null,
                        true,
                        f.frame())));
        assertThat(bag(e.run(plan)))
            .as("seed %d order %s frame %s filter %s", seed, order, f, filter)
            .isEqualTo(bag(windowModel(rows, order, f, filter)));
      }
    }
  }

  private static List<List<@Nullable Object>> windowModel(
      List<List<@Nullable Object>> rows, SortKey order, RandomFrame f, boolean filter) {
    var partitions = new LinkedHashMap<@Nullable Object, List<List<@Nullable Object>>>();
    rows.forEach(x -> partitions.computeIfAbsent(x.getFirst(), _ -> new ArrayList<>()).add(x));
    var out = new ArrayList<List<@Nullable Object>>();
    for (var p : partitions.values()) {
      p.sort(order(List.of(order)));
      int[] group = new int[p.size()];
      for (int i = 1; i < group.length; i++) {
        group[i] = group[i - 1] + (Objects.equals(p.get(i).get(1), p.get(i - 1).get(1)) ? 0 : 1);
      }
      for (int i = 0; i < p.size(); i++) {
        long sum = 0;
        int count = 0;
        for (int j = 0; j < p.size(); j++) {
          boolean in =
              afterStart(p, order, f, group, i, j)
                  && beforeEnd(p, order, f, group, i, j)
                  && switch (f.frame().exclude()) {
                    case NO_OTHERS -> true;
                    case CURRENT_ROW -> j != i;
                    case GROUP -> group[j] != group[i];
                    case TIES -> j == i || group[j] != group[i];
                  };
          Long v = (Long) p.get(j).get(2);
          if (in && v != null && (!filter || v < 50)) {
            sum += v;
            count++;
          }
        }
        var row = new ArrayList<>(p.get(i));
        row.add(count == 0 ? null : sum);
        out.add(row);
      }
    }
    return out;
  }

  /** Distance of row j from row i in the order, for RANGE; null if either key is NULL. */
  private static @Nullable Integer distance(
      List<List<@Nullable Object>> p, SortKey order, int i, int j) {
    Integer a = (Integer) p.get(i).get(1);
    Integer b = (Integer) p.get(j).get(1);
    if (a == null || b == null) {
      return null;
    }
    return order.descending() ? a - b : b - a;
  }

  private static boolean afterStart(
      List<List<@Nullable Object>> p, SortKey order, RandomFrame f, int[] group, int i, int j) {
    int o =
        f.frame().start() == Bound.PRECEDING
            ? -f.startOffset()
            : f.frame().start() == Bound.FOLLOWING ? f.startOffset() : 0;
    if (f.frame().start() == Bound.UNBOUNDED_PRECEDING) {
      return true;
    }
    return switch (f.frame().mode()) {
      case ROWS -> j - i >= o;
      case GROUPS -> group[j] - group[i] >= o;
      case RANGE -> {
        if (f.frame().start() == Bound.CURRENT_ROW || p.get(i).get(1) == null) {
          yield group[j] >= group[i];
        }
        Integer d = distance(p, order, i, j);
        // NULL keys lie before or behind all others.
        yield d == null ? j > i : d >= o;
      }
    };
  }

  private static boolean beforeEnd(
      List<List<@Nullable Object>> p, SortKey order, RandomFrame f, int[] group, int i, int j) {
    int o =
        f.frame().end() == Bound.PRECEDING
            ? -f.endOffset()
            : f.frame().end() == Bound.FOLLOWING ? f.endOffset() : 0;
    if (f.frame().end() == Bound.UNBOUNDED_FOLLOWING) {
      return true;
    }
    return switch (f.frame().mode()) {
      case ROWS -> j - i <= o;
      case GROUPS -> group[j] - group[i] <= o;
      case RANGE -> {
        if (f.frame().end() == Bound.CURRENT_ROW || p.get(i).get(1) == null) {
          yield group[j] <= group[i];
        }
        Integer d = distance(p, order, i, j);
        yield d == null ? j < i : d <= o;
      }
    };
  }
}
