package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.K;
import static io.millrace.storage.engine.Fixture.TS;
import static io.millrace.storage.engine.Fixture.V;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.KeyRows;
import io.millrace.storage.OpType;
import io.millrace.storage.Overlay;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.StagedRows;
import io.millrace.storage.WriteGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Range deletes among puts, replaces, clears and deletes of a few keys, plain and written ahead,
 * against a list of everything that was done; every way to read must agree with it.
 */
class RangeModelTest {
  @Test
  void everyReadAgreesWithTheModelWhereTheNewestRowWins() {
    for (int seed = 1; seed <= 25; seed++) {
      new Run(seed, true).run(40);
    }
  }

  @Test
  void everyReadAgreesWithTheModelWhereFieldsMerge() {
    for (int seed = 1; seed <= 25; seed++) {
      new Run(seed, false).run(40);
    }
  }

  /** An engine and its model. */
  private static final class Run {

    private static final RegionId A = region(1);
    private static final int W = 4;
    private static final int TAGS = 3;
    private static final int TIMES = 4;
    private static final long NONE = Long.MIN_VALUE;
    private static final long CLEARED = Long.MIN_VALUE + 1;

    private record Key(int k, long t) implements Comparable<Key> {
      @Override
      public int compareTo(Key o) {
        return k != o.k ? Integer.compare(k, o.k) : Long.compare(t, o.t);
      }
    }

    /** A version of a key; v and w may be NONE (not given) or CLEARED. */
    private record Put(int commit, long order, Key key, OpType op, long v, long w) {}

    private final Random random;
    private final boolean lastRow;

    /**
     * Deletes may have missed the last commit; then rows are whole, so that folding hides nothing.
     */
    private final boolean blind;

    private final SimEngine sim;
    private final List<Put> rows = new ArrayList<>();
    private final List<long[]> seen = new ArrayList<>();
    private final StringBuilder story = new StringBuilder();
    private long order;
    private int commit;

    private Hold hold;
    private TreeMap<Key, String> held;

    Run(long seed, boolean lastRow) {
      this.random = new Random(seed);
      this.lastRow = lastRow;
      this.blind = lastRow && seed % 2 == 0;
      this.sim = new SimEngine(seed);
      var schema =
          new TableSchema(
              1,
              List.of(
                  new ColumnSchema(K, "k", SqlType.INT4, SemanticType.TAG, false, null),
                  new ColumnSchema(
                      TS, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null),
                  new ColumnSchema(V, "v", SqlType.INT8, SemanticType.FIELD, true, null),
                  new ColumnSchema(W, "w", SqlType.INT8, SemanticType.FIELD, true, null)),
              List.of(K),
              TS);
      var mode = lastRow ? RegionOptions.MergeMode.LAST_ROW : RegionOptions.MergeMode.LAST_NON_NULL;
      sim.request(new RegionRequest.Create(A, schema, Door.options(false, mode)));
      sim.engine().openGate();
    }

    void run(int steps) {
      for (int i = 0; i < steps; i++) {
        switch (random.nextInt(14)) {
          case 0, 1 -> {
            story.append("flush\n");
            sim.flush(A);
          }
          case 2 -> {
            story.append("compact\n");
            sim.request(new RegionRequest.Compact(A, random.nextBoolean()));
          }
          case 3 -> {
            story.append("pass\n");
            sim.environment().advance(2_000_000);
            sim.environment().run(10_000);
          }
          case 4 -> {
            if (hold == null && random.nextInt(3) == 0) {
              story.append("crash\n");
              sim.crash();
              sim.engine().openGate();
            }
          }
          case 5 -> holdOrCheck();
          default -> commit();
        }
        check();
      }
    }

    private void holdOrCheck() {
      if (hold == null) {
        story.append("hold\n");
        hold = sim.engine().hold(A, "flow", HoldKind.ROWS);
        held = expected();
      } else {
        story.append("release\n");
        checkFeed();
        hold.close();
        hold = null;
      }
    }

    private void commit() {
      commit++;
      story.append("commit ").append(commit).append('\n');
      seen.add(new long[] {sim.engine().committedSequence(A), order});
      var staged = new ArrayList<StagedRows>();
      for (int n = random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0; n > 0; n--) {
        story.append("  staged\n");
        staged.add(sim.await(sim.engine().stage(A, writes())));
      }
      story.append("  plain\n");
      List<RegionWrite> plain = writes();
      checkOwn(new Overlay(plain, staged));
      sim.await(sim.engine().commit(new WriteGroup(plain, List.of(), staged)));
    }

    private List<RegionWrite> writes() {
      var out = new ArrayList<RegionWrite>();
      for (int n = 1 + random.nextInt(4); n > 0; n--) {
        out.add(random.nextInt(4) == 0 ? range() : row());
      }
      return out;
    }

    private RegionWrite range() {
      long[] at = blind ? seen.get(Math.max(0, seen.size() - 1 - random.nextInt(2))) : last();
      long from = random.nextInt(TIMES);
      long to = from + random.nextInt(2);
      int k = random.nextInt(TAGS * 2);
      List<Integer> ids = k < TAGS ? List.of(K) : List.of();
      List<Vector> tags =
          k < TAGS ? List.of(new IntVector(SqlType.INT4, new int[] {k}, 1, null)) : List.of();
      order++;
      rows.removeIf(
          p ->
              (k >= TAGS || p.key.k == k)
                  && p.key.t >= from
                  && p.key.t <= to
                  && (p.commit == commit || p.order <= at[1]));
      story.append("    range tag " + k + " times " + from + ".." + to + " cover " + at[0] + "\n");
      return new RangeDelete(ids, tags, from, to, at[0]).write(A, 1);
    }

    private long[] last() {
      return seen.getLast();
    }

    private RegionWrite row() {
      var key = new Key(random.nextInt(TAGS), random.nextInt(TIMES));
      OpType op =
          switch (random.nextInt(6)) {
            case 0 -> OpType.DELETE;
            case 1 -> OpType.REPLACE;
            case 2 -> blind ? OpType.PUT : OpType.CLEAR;
            default -> OpType.PUT;
          };
      order++;
      boolean whole = op == OpType.REPLACE || (op == OpType.PUT && lastRow);
      long v = op == OpType.DELETE ? NONE : value(op, whole);
      long w =
          op == OpType.DELETE || (v == CLEARED && random.nextBoolean()) ? NONE : value(op, whole);
      if (op == OpType.CLEAR && v == NONE && w == NONE) {
        v = CLEARED;
      }
      rows.add(new Put(commit, order, key, op, v, w));
      story.append("    " + op + " " + key + " v " + v + " w " + w + "\n");
      var columns = new ArrayList<Vector>();
      columns.add(new IntVector(SqlType.INT4, new int[] {key.k}, 1, null));
      columns.add(new LongVector(SqlType.TIMESTAMP, new long[] {key.t}, 1, null));
      var ids = new ArrayList<>(List.of(K, TS));
      if (v != NONE) {
        ids.add(V);
        columns.add(cell(v));
      }
      if (w != NONE) {
        ids.add(W);
        columns.add(cell(w));
      }
      return new RegionWrite(A, 1, op, ids, new Batch(columns, 1));
    }

    private long value(OpType op, boolean whole) {
      if (op == OpType.CLEAR) {
        return random.nextBoolean() ? CLEARED : NONE;
      }
      return whole || random.nextBoolean() ? random.nextInt(1000) : NONE;
    }

    private static Vector cell(long x) {
      var b = (VectorBuilder.Longs) VectorBuilder.of(SqlType.INT8, 1);
      if (x == CLEARED) {
        b.appendNull();
      } else {
        b.append(x);
      }
      return b.build();
    }

    private TreeMap<Key, String> expected() {
      var keys = new TreeSet<Key>();
      rows.forEach(p -> keys.add(p.key));
      var out = new TreeMap<Key, String>();
      for (Key key : keys) {
        boolean there = false;
        long v = NONE;
        long w = NONE;
        for (Put p : rows) {
          if (p.key.equals(key)) {
            boolean cuts = p.op == OpType.REPLACE || p.op == OpType.PUT && lastRow;
            if (p.op == OpType.DELETE || cuts) {
              there = false;
              v = NONE;
              w = NONE;
            }
            there |= p.op == OpType.PUT || p.op == OpType.REPLACE;
            v = p.v == NONE ? v : p.v;
            w = p.w == NONE ? w : p.w;
          }
        }
        if (there) {
          out.put(key, text(v) + "," + text(w));
        }
      }
      return out;
    }

    private static String text(long x) {
      return x == NONE || x == CLEARED ? "-" : Long.toString(x);
    }

    private void check() {
      TreeMap<Key, String> expected = expected();
      var all = new ArrayList<String>();
      var last = new TreeMap<Integer, String>();
      expected.forEach(
          (key, value) -> {
            String row = key.k + "," + key.t + "," + value;
            all.add(row);
            last.put(key.k, row);
          });
      assertThat(scan(Door.scan(A))).as("in key order after%n%s", story).isEqualTo(all);
      assertThat(scan(Door.scan(A).order(ScanRequest.Order.ANY).partitions(3)))
          .as("in any order after%n%s", story)
          .containsExactlyInAnyOrderElementsOf(all);
      assertThat(scan(Door.scan(A).lastRows()))
          .as("last rows after%n%s", story)
          .isEqualTo(List.copyOf(last.values()));
      lookup(expected, null);
    }

    private List<String> scan(Door.Scan s) {
      return s.columns(K, TS, V, W).rows(sim.engine());
    }

    /** The transaction sees before its end what all see afterwards. */
    private void checkOwn(Overlay own) {
      TreeMap<Key, String> expected = expected();
      lookup(expected, own);
      for (ScanRequest.Order o : List.of(ScanRequest.Order.KEY, ScanRequest.Order.ANY)) {
        assertThat(own(own, o, ScanRequest.RowSelector.ALL))
            .as("own rows after%n%s", story)
            .isEqualTo(expected);
      }
      var last = new TreeMap<Key, String>();
      expected.forEach(
          (key, value) -> {
            last.keySet().removeIf(x -> x.k == key.k);
            last.put(key, value);
          });
      assertThat(own(own, ScanRequest.Order.KEY, ScanRequest.RowSelector.LAST_ROW))
          .as("own last rows after%n%s", story)
          .isEqualTo(last);
    }

    private TreeMap<Key, String> own(
        Overlay own, ScanRequest.Order order, ScanRequest.RowSelector selector) {
      var request =
          new ScanRequest(
              A,
              List.of(K, TS, V, W),
              List.of(),
              Long.MIN_VALUE,
              Long.MAX_VALUE,
              -1,
              order,
              0,
              own,
              selector,
              false,
              1);
      var out = new TreeMap<Key, String>();
      try (Snapshot s = sim.engine().snapshot(List.of(A));
          RegionScanner scanner = sim.engine().scan(s, request);
          PartitionReader reader = scanner.open(0)) {
        for (Batch b = reader.next(); b != null; b = reader.next()) {
          var values = new Batch(b.columns().subList(2, 4), b.rows());
          for (int i = 0; i < b.rows(); i++) {
            var key = new Key(((IntVector) b.column(0)).get(i), ((LongVector) b.column(1)).get(i));
            assertThat(out.put(key, cells(values, i))).isNull();
          }
        }
      }
      return out;
    }

    private void lookup(TreeMap<Key, String> expected, @Nullable Overlay own) {
      int n = TAGS * TIMES;
      int[] k = new int[n];
      long[] t = new long[n];
      for (int i = 0; i < n; i++) {
        k[i] = i / TIMES;
        t[i] = i % TIMES;
      }
      var keys =
          new Batch(
              List.of(
                  new IntVector(SqlType.INT4, k, n, null),
                  new LongVector(SqlType.TIMESTAMP, t, n, null)),
              n);
      try (Snapshot s = sim.engine().snapshot(List.of(A))) {
        KeyRows found = sim.engine().lookup(s, A, keys, List.of(V, W), own);
        var out = new TreeMap<Key, String>();
        for (int i = 0; i < n; i++) {
          if (Bits.get(found.found(), i)) {
            out.put(new Key(k[i], t[i]), cells(found.rows(), i));
          }
        }
        assertThat(out).as("looked up after%n%s", story).isEqualTo(expected);
      }
    }

    private static String cells(Batch b, int i) {
      return (b.column(0).isNull(i) ? "-" : ((LongVector) b.column(0)).get(i))
          + ","
          + (b.column(1).isNull(i) ? "-" : ((LongVector) b.column(1)).get(i));
    }

    /** What was held with all changes is what there is now, but for the times of events. */
    private void checkFeed() {
      var now = new TreeMap<>(held);
      var old = new TreeMap<Key, String>();
      var changed = new TreeSet<Key>();
      List<RegionEvent> events;
      try (Snapshot s = sim.engine().snapshot(List.of(A));
          ChangeFeed feed = sim.engine().changes(s, A, hold.sequence(), List.of(V, W), true)) {
        events = feed.events();
        for (var b = feed.next(); b != null; b = feed.next()) {
          for (int i = 0; i < b.keys().rows(); i++) {
            var key =
                new Key(
                    ((IntVector) b.keys().column(0)).get(i),
                    ((LongVector) b.keys().column(1)).get(i));
            assertThat(changed.add(key)).isTrue();
            if (Bits.get(b.present(), i)) {
              now.put(key, cells(b.now(), i));
            } else {
              now.remove(key);
            }
            if (Bits.get(b.oldPresent(), i)) {
              old.put(key, cells(b.old(), i));
            }
          }
        }
      }
      var before = new TreeMap<>(held);
      before.keySet().retainAll(changed);
      assertThat(old).as("old rows after%n%s", story).isEqualTo(before);
      TreeMap<Key, String> expected = expected();
      for (RegionEvent e : events) {
        if (e instanceof RegionEvent.ResetRange r) {
          now.keySet().removeIf(key -> key.t >= r.minTime() && key.t <= r.maxTime());
          expected.keySet().removeIf(key -> key.t >= r.minTime() && key.t <= r.maxTime());
        }
      }
      assertThat(now).as("fed after%n%s", story).isEqualTo(expected);
    }
  }
}
