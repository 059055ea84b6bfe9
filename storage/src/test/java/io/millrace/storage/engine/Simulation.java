package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.config;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.time.ManualClock;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.Snapshot;
import io.millrace.storage.WriteGroup;
import io.millrace.storage.sim.SimDisk;
import io.millrace.storage.sim.SimEnvironment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/*
 * Random writes over three regions, flushes, compactions, truncates, I/O failures and crashes that lose what was
 * not forced, against a plain model; one thread, one seed.
 *
 * Every commit writes a marker key of its own into every region that it touches, and its number as
 * the value of a few shared keys. After a crash: a commit is in all its regions or in none;
 * acknowledged ones are there; a shared key has the value of the last acknowledged commit, or of one
 * that was under way. During the run every snapshot must show whole commits only.
 */
final class Simulation {
  private static final int REGIONS = 3;
  private static final int SHARED = 5;
  private static final int MARKER = 1000;

  private final RandomGenerator random;
  private final SimDisk disk = new SimDisk();
  private final ManualClock clock = new ManualClock(1_700_000_000_000_000L);
  private final List<Map<Integer, Long>> known = new ArrayList<>();
  private final List<Under> under = new ArrayList<>();
  private final Map<Integer, Set<Integer>> regionsOf = new HashMap<>();
  private Set<Integer> truncating = Set.of();
  private int nextCommit = MARKER;
  private boolean stopHere;
  private boolean failures;

  private record Under(
      int number, Map<Integer, List<Integer>> keys, CompletableFuture<CommitResult> result) {}

  Simulation(long seed) {
    this.random = RandomGeneratorFactory.<RandomGenerator>of("L64X128MixRandom").create(seed);
  }

  void round() {
    WalSync sync = random.nextInt(4) == 0 ? WalSync.INTERVAL : WalSync.COMMIT;
    for (int i = 0; i < REGIONS; i++) {
      known.add(new TreeMap<>());
    }
    int crashes = 1 + random.nextInt(5);
    for (int c = 0; c <= crashes; c++) {
      var env = new SimEnvironment(disk, random, clock);
      RegionEngine engine = RegionEngines.open(Path.of("/sim"), config(sync), env);
      for (int i = 0; i < REGIONS; i++) {
        request(
            env,
            engine,
            new RegionRequest.Create(region(i), Fixture.SCHEMA, RegionOptions.DEFAULT));
      }
      verify(engine, sync == WalSync.COMMIT);
      if (random.nextBoolean()) {
        engine.openGate();
      }
      work(env, engine);
      if (!stopHere && random.nextInt(4) == 0) {
        settle(env);
        absorb();
        engine.close();
      } else {
        disk.crash(random);
        env.close();
      }
    }
  }

  private static @Nullable RegionResponse request(
      SimEnvironment env, RegionEngine engine, RegionRequest r) {
    var f = engine.request(r);
    env.runUntil(f);
    return f.isCompletedExceptionally() ? null : f.join();
  }

  private void work(SimEnvironment env, RegionEngine engine) {
    int steps = 20 + random.nextInt(150);
    failures = random.nextInt(4) == 0;
    for (int i = 0; i < steps && !stopHere; i++) {
      switch (random.nextInt(25)) {
        case 0 -> flush(env, engine);
        case 1 -> truncate(env, engine);
        case 2 -> env.advance(random.nextInt(1_000_000));
        case 3 -> {
          if (failures && random.nextInt(8) == 0) {
            disk.failCall(disk.calls() + 1 + random.nextInt(10), "Input/output error");
          }
        }
        case 4, 5, 6 -> snapshot(engine);
        case 7 -> compact(env, engine);
        default -> submit(engine);
      }
      env.run(random.nextInt(8));
    }
    disk.failCall(-1, "");
  }

  private void submit(RegionEngine engine) {
    int number = nextCommit++;
    int first = random.nextInt(REGIONS);
    int count = random.nextInt(3) == 0 ? 1 + random.nextInt(REGIONS) : 1;
    var keys = new TreeMap<Integer, List<Integer>>();
    var writes = new ArrayList<RegionWrite>();
    for (int i = 0; i < count; i++) {
      int r = (first + i) % REGIONS;
      var mine = new ArrayList<Integer>();
      mine.add(number);
      for (int n = random.nextInt(3); n > 0; n--) {
        int k = random.nextInt(SHARED);
        if (!mine.contains(k)) {
          mine.add(k);
        }
      }
      int padding = random.nextInt(10) == 0 ? random.nextInt(300) : 0;
      for (int p = 0; p < padding; p++) {
        mine.add(-1 - random.nextInt(100));
      }
      List<Integer> distinct = mine.stream().distinct().toList();
      keys.put(r, distinct);
      int[] k = distinct.stream().mapToInt(Integer::intValue).toArray();
      long[] v = new long[k.length];
      Arrays.fill(v, number);
      writes.add(Fixture.put(region(r), k, v));
    }
    regionsOf.put(number, keys.keySet());
    under.add(new Under(number, keys, engine.commit(WriteGroup.of(writes))));
  }

  private void flush(SimEnvironment env, RegionEngine engine) {
    var f = engine.request(new RegionRequest.Flush(region(random.nextInt(REGIONS)), "test"));
    if (random.nextBoolean()) {
      env.runUntil(f);
    }
  }

  /** Compactions also come by themselves, but seldom in so short a life. */
  private void compact(SimEnvironment env, RegionEngine engine) {
    var f =
        engine.request(
            new RegionRequest.Compact(region(random.nextInt(REGIONS)), random.nextBoolean()));
    if (random.nextBoolean()) {
      env.runUntil(f);
    }
  }

  private void truncate(SimEnvironment env, RegionEngine engine) {
    if (random.nextInt(3) > 0) {
      return;
    }
    settle(env);
    absorb();
    var regions = new ArrayList<RegionId>();
    var numbers = new HashSet<Integer>();
    for (int i = 0; i <= random.nextInt(REGIONS); i++) {
      regions.add(region(i));
      numbers.add(i);
    }
    truncating = numbers;
    var f = engine.request(new RegionRequest.Truncate(regions));
    if (random.nextInt(4) == 0) {
      env.run(random.nextInt(12));
    } else {
      env.runUntil(f);
    }
    if (f.isDone() && !f.isCompletedExceptionally()) {
      for (int r : numbers) {
        known.get(r).clear();
      }
      truncating = Set.of();
    } else {
      stopHere = true;
    }
  }

  /** Waits for everything under way. */
  private void settle(SimEnvironment env) {
    for (Under u : under) {
      env.runUntil(u.result);
    }
  }

  /** What is acknowledged is known from now on, in the order of the log. */
  private void absorb() {
    var done = new TreeMap<Long, Under>();
    for (Under u : List.copyOf(under)) {
      if (u.result.isDone() && !u.result.isCompletedExceptionally()) {
        done.put(u.result.join().position(), u);
        under.remove(u);
      }
    }
    for (Under u : done.values()) {
      u.keys.forEach((r, keys) -> keys.forEach(k -> known.get(r).put(k, (long) u.number)));
    }
  }

  /** A snapshot shows commits whole. */
  private void snapshot(RegionEngine engine) {
    var all = new ArrayList<RegionId>();
    for (int i = 0; i < REGIONS; i++) {
      all.add(region(i));
    }
    if (!truncating.isEmpty()) {
      return;
    }
    try {
      compareWhole(engine, all);
    } catch (MillraceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.IO_ERROR);
      assertThat(failures).isTrue();
    }
  }

  private void compareWhole(RegionEngine engine, List<RegionId> all) {
    try (Snapshot s = engine.snapshot(all)) {
      var seen = new ArrayList<Map<Integer, Long>>();
      for (RegionId r : all) {
        seen.add(Fixture.rows(engine, s, r));
      }
      for (Under u : under) {
        int there = 0;
        for (int r : u.keys.keySet()) {
          there += seen.get(r).containsKey(u.number) ? 1 : 0;
        }
        assertThat(there).as("commit %s in a snapshot", u.number).isIn(0, u.keys.size());
        if (u.result.isDone() && !u.result.isCompletedExceptionally()) {
          assertThat(there).as("acknowledged %s in a snapshot", u.number).isEqualTo(u.keys.size());
        }
      }
    }
  }

  private void verify(RegionEngine engine, boolean durable) {
    absorb();
    var seen = new ArrayList<Map<Integer, Long>>();
    for (int r = 0; r < REGIONS; r++) {
      seen.add(Fixture.rows(engine, region(r)));
    }
    if (durable && !truncating.isEmpty()) {
      judgeTruncate(seen);
    }
    var present = new HashSet<Integer>();
    for (Under u : under) {
      int there = 0;
      for (int r : u.keys.keySet()) {
        there += seen.get(r).containsKey(u.number) ? 1 : 0;
      }
      assertThat(there).as("commit %s after a restart", u.number).isIn(0, u.keys.size());
      if (there > 0) {
        present.add(u.number);
      }
    }
    if (durable) {
      for (int r = 0; r < REGIONS; r++) {
        compare(r, known.get(r), seen.get(r), present);
      }
    }
    under.clear();
    known.clear();
    known.addAll(seen);
    truncating = Set.of();
    stopHere = false;
  }

  /** A truncate under way has emptied all its regions, or none. */
  private void judgeTruncate(List<Map<Integer, Long>> seen) {
    boolean done = false;
    boolean not = false;
    for (int r : truncating) {
      for (int key : known.get(r).keySet()) {
        if (key >= MARKER) {
          done |= !seen.get(r).containsKey(key);
          not |= seen.get(r).containsKey(key);
        }
      }
    }
    assertThat(done && not).as("half a truncate").isFalse();
    if (done) {
      truncating.forEach(r -> known.get(r).clear());
    }
  }

  private void compare(
      int r, Map<Integer, Long> expected, Map<Integer, Long> actual, Set<Integer> present) {
    for (Map.Entry<Integer, Long> e : expected.entrySet()) {
      Long value = actual.get(e.getKey());
      assertThat(value).as("key %s of region %s", e.getKey(), r).isNotNull();
      if (value != null && !e.getValue().equals(value)) {
        assertThat(present)
            .as("writer of key %s of region %s", e.getKey(), r)
            .contains(value.intValue());
      }
    }
    for (Map.Entry<Integer, Long> e : actual.entrySet()) {
      if (!expected.containsKey(e.getKey())) {
        assertThat(present)
            .as("writer of key %s of region %s", e.getKey(), r)
            .contains(e.getValue().intValue());
      }
    }
  }
}
