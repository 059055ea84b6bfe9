package io.millrace.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Bits;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.id.RegionId;
import io.millrace.storage.ChangeBatch;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.HeldSnapshot;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Holds with what was visible when they were placed. Whatever happened since: what the feed gives
 * from there must turn that picture into the present one, and its old rows must be the picture's.
 */
final class SimulatedHolds {
  private record Placed(
      RegionId region, HoldKind kind, long sequence, Map<Integer, Long> picture, Hold hold) {}

  private List<Placed> placed = new ArrayList<>();
  private int checked;

  void place(RegionEngine engine, RegionId region, HoldKind kind) {
    HeldSnapshot held = engine.holdSnapshot(List.of(region), "flow", kind);
    try (Snapshot s = held.snapshot()) {
      Hold h = held.holds().getFirst();
      placed.add(new Placed(region, kind, h.sequence(), Fixture.rows(engine, s, region), h));
    }
  }

  int size() {
    return placed.size();
  }

  void release(int index) {
    placed.remove(index).hold.close();
  }

  /** How many pictures were compared. */
  int checked() {
    return checked;
  }

  /** After a restart, before the gate opens. */
  void restore(RegionEngine engine) {
    var again = new ArrayList<Placed>();
    for (Placed p : placed) {
      Hold h = engine.restoreHold(p.region, "flow", p.kind, p.sequence);
      again.add(new Placed(p.region, p.kind, p.sequence, p.picture, h));
    }
    placed = again;
  }

  void clear() {
    placed.clear();
  }

  void check(RegionEngine engine, int index) {
    Placed p = placed.get(index);
    boolean rows = p.kind == HoldKind.ROWS;
    try (Snapshot s = engine.snapshot(List.of(p.region));
        ChangeFeed feed = engine.changes(s, p.region, p.sequence, List.of(Fixture.V), rows)) {
      var ranges = new ArrayList<RegionEvent.ResetRange>();
      long below = engine.info(p.region).expiredBelow(); // rows below may go at any time
      for (RegionEvent e : feed.events()) {
        switch (e) {
          case RegionEvent.ResetAll _ -> {
            return;
          }
          case RegionEvent.ResetRange r -> ranges.add(r);
          case RegionEvent.Expired x -> below = Math.max(below, x.below());
          case RegionEvent.FilesAdded _ -> {}
        }
      }
      var result = new TreeMap<>(p.picture);
      Set<Integer> seen = new HashSet<>();
      for (ChangeBatch b = feed.next(); b != null; b = feed.next()) {
        apply(p, b, below, ranges, result, seen);
      }
      long bound = below;
      var now = new TreeMap<>(Fixture.rows(engine, s, p.region));
      result.keySet().removeIf(k -> unknown(k, bound, ranges));
      now.keySet().removeIf(k -> unknown(k, bound, ranges));
      assertThat(result).as("%s of %s from %s", p.kind, p.region, p.sequence).isEqualTo(now);
      checked++;
    }
  }

  /** Whether an event says that anything may have become of the key's row. */
  private static boolean unknown(int key, long below, List<RegionEvent.ResetRange> ranges) {
    long t = Simulation.time(key);
    return t < below || ranges.stream().anyMatch(r -> t >= r.minTime() && t <= r.maxTime());
  }

  private static void apply(
      Placed p,
      ChangeBatch b,
      long below,
      List<RegionEvent.ResetRange> ranges,
      Map<Integer, Long> result,
      Set<Integer> seen) {
    var keys = (IntVector) b.keys().column(0);
    for (int i = 0; i < b.keys().rows(); i++) {
      int key = keys.get(i);
      assertThat(seen.add(key)).as("key %s once", key).isTrue();
      long[] was = b.oldPresent();
      if (was != null && b.old() != null && !unknown(key, below, ranges)) {
        Long old = Bits.get(was, i) ? ((LongVector) b.old().column(0)).get(i) : null;
        assertThat(old)
            .as("old row of key %s of %s from %s", key, p.region, p.sequence)
            .isEqualTo(p.picture.get(key));
      }
      if (Bits.get(b.present(), i)) {
        result.put(key, ((LongVector) b.now().column(0)).get(i));
      } else {
        result.remove(key);
      }
    }
  }
}
