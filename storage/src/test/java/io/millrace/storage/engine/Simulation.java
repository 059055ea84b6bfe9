package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.config;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.time.ManualClock;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.CommitResult;
import io.millrace.storage.CompactionOptions;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.FileOptions;
import io.millrace.storage.HoldKind;
import io.millrace.storage.IndexKind;
import io.millrace.storage.IndexOptions;
import io.millrace.storage.OpType;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.Snapshot;
import io.millrace.storage.StagedRows;
import io.millrace.storage.Truncation;
import io.millrace.storage.WriteGroup;
import io.millrace.storage.objectstore.ObjectSstStore;
import io.millrace.storage.sim.SimDisk;
import io.millrace.storage.sim.SimEnvironment;
import io.millrace.storage.sst.StagedFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * Random writes over three regions, plain ones and such that were written ahead, deletes by key and
 * by range, flushes,
 * compactions, truncates of all forms, time to live, ALTER of the merge mode (rows are always given
 * whole, so both modes read alike), holds, I/O failures and crashes that lose what was not forced,
 * against a plain model; one thread, one seed.
 *
 * Every commit writes a marker key of its own into every region that it touches, and its number as
 * the value of a few shared keys. After a crash: a commit is in all its regions or in none;
 * acknowledged ones are there; a shared key has the value of the last acknowledged commit, or of one
 * that was under way. During the run every snapshot must show whole commits only, and the change
 * feed from every hold must tell what has changed since.
 */
final class Simulation {
  private static final int REGIONS = 3;
  private static final int SHARED = 5;
  private static final int MARKER = 1000;

  /** Keys at or below this have old times, each two minutes later than the one before. */
  private static final int AGING = -1_000_000;

  private static final long START = 1_700_000_000_000_000L;
  private static final long MINUTE = 60_000_000L;
  private static final long TTL = 60 * MINUTE;

  /** Steps of a life are numbered from its number times this. */
  private static final int LIFE = 1000;

  private final StepRandom random;
  private final Set<Integer> skipped;
  private final List<Integer> steps = new ArrayList<>();
  private final List<String> history = new ArrayList<>();
  private final SimDisk disk = new SimDisk();
  private final ManualClock clock = new ManualClock(START);
  private final List<Map<Integer, Long>> known = new ArrayList<>();
  private final List<Under> under = new ArrayList<>();
  private final SimulatedHolds holds = new SimulatedHolds();
  private Set<Integer> truncating = Set.of();
  private int nextCommit = MARKER;
  private int nextAging = AGING;
  private boolean stopHere;
  private int taken;
  private boolean unsure;
  private boolean failures;

  /** A commit under way: per region the keys that it writes, and those that it deletes. */
  private record Under(
      int number,
      Map<Integer, List<Integer>> keys,
      Map<Integer, List<Integer>> deletes,
      CompletableFuture<CommitResult> result) {

    boolean deletes(int region, int key) {
      return deletes.getOrDefault(region, List.of()).contains(key);
    }
  }

  Simulation(long seed) {
    this(seed, Set.of());
  }

  /** Without some of the steps. */
  Simulation(long seed, Set<Integer> skipped) {
    this.random = new StepRandom(seed);
    this.skipped = skipped;
  }

  /** Steps that were taken. */
  List<Integer> steps() {
    return steps;
  }

  /** What the engine was asked, line by line. */
  List<String> history() {
    return history;
  }

  /** The time of a key's row: old for some keys, spread over windows for the others. */
  static long time(int key) {
    return key <= AGING
        ? START - TTL + (AGING - key) * 2 * MINUTE
        : START + 1000 * TTL + Math.floorMod(key, 7) * TTL;
  }

  void round() {
    WalSync sync = random.nextInt(4) == 0 ? WalSync.INTERVAL : WalSync.COMMIT;
    for (int i = 0; i < REGIONS; i++) {
      known.add(new TreeMap<>());
    }
    RegionOptions options = options(RegionOptions.MergeMode.LAST_ROW, true);
    int crashes = 1 + random.nextInt(5);
    for (int c = 0; c <= crashes; c++) {
      var env = new SimEnvironment(disk, random, clock);
      random.begin(c * LIFE + LIFE - 1);
      history.add("start, sync " + sync);
      RegionEngine engine =
          TracedEngine.of(
              RegionEngines.open(Path.of("/sim"), config(sync), env), t -> history.add("  " + t));
      for (int i = 0; i < REGIONS; i++) {
        request(env, engine, new RegionRequest.Create(region(i), Fixture.SCHEMA, options));
      }
      verify(engine, sync == WalSync.COMMIT);
      if (sync != WalSync.COMMIT) {
        holds.clear();
      }
      holds.restore(engine);
      checkHolds(engine);
      if (random.nextInt(4) > 0) {
        engine.openGate();
      }
      work(env, engine, c * LIFE);
      random.begin(c * LIFE + LIFE - 2);
      if (!stopHere && random.nextInt(4) == 0) {
        settle(env);
        absorb();
        quiet(env, engine);
        engine.close();
      } else {
        history.add("crash");
        disk.crash(random);
        env.close();
      }
    }
  }

  /** With indexes of keys and values, or of values by another way. */
  private static RegionOptions options(RegionOptions.MergeMode mode, boolean keyed) {
    var index =
        new IndexOptions(
            keyed,
            true,
            List.of(
                keyed
                    ? ColumnIndex.of(Fixture.V, IndexKind.INVERTED)
                    : new ColumnIndex(Fixture.V, IndexKind.SKIPPING, 2, 0.01, false)));
    return new RegionOptions(
        RegionOptions.KeyMode.TIME_INDEX,
        false,
        mode,
        TTL,
        false,
        0,
        new CompactionOptions(0, 2, 0),
        index,
        new FileOptions(0, keyed ? 2 : 0));
  }

  /** When everything has come to rest there are no files but those that are used. */
  private void quiet(SimEnvironment env, RegionEngine engine) {
    for (int i = 0; i < 12; i++) {
      env.advance(500_000);
      env.run(10_000);
    }
    int files = 0;
    var sideCars = new TreeSet<String>();
    for (int i = 0; i < REGIONS; i++) {
      files += engine.info(region(i)).files();
      engine.indexes(region(i)).forEach(x -> sideCars.add(x.path()));
    }
    if (!failures) {
      assertThat(disk.objectKeys().stream().filter(k -> k.endsWith(".parquet")).toList())
          .as("files that are there, of those in use")
          .hasSize(files);
      assertThat(disk.objectKeys().stream().filter(k -> k.endsWith(".puffin")).toList())
          .as("index files that are there")
          .containsExactlyInAnyOrderElementsOf(sideCars);
    }
  }

  /** Steps taken so far. */
  int taken() {
    return taken;
  }

  /** How many pictures of holds were compared. */
  int checked() {
    return holds.checked();
  }

  private static @Nullable RegionResponse request(
      SimEnvironment env, RegionEngine engine, RegionRequest r) {
    var f = engine.request(r);
    env.runUntil(f);
    return f.isCompletedExceptionally() ? null : f.join();
  }

  private void work(SimEnvironment env, RegionEngine engine, int firstStep) {
    int count = 20 + random.nextInt(150);
    failures = random.nextInt(4) == 0;
    for (int i = 0; i < count && !stopHere; i++) {
      taken++;
      random.begin(firstStep + i);
      if (skipped.contains(firstStep + i)) {
        continue;
      }
      steps.add(firstStep + i);
      history.add("step " + (firstStep + i));
      switch (random.nextInt(32)) {
        case 0, 1, 2 -> flush(env, engine);
        case 3 -> truncate(env, engine);
        case 4 -> env.advance(random.nextInt(3_000_000));
        case 5 -> {
          if (failures && random.nextInt(8) == 0) {
            history.add("  one of the next calls to the disk fails");
            disk.failCall(disk.calls() + 1 + random.nextInt(10), "Input/output error");
          }
        }
        case 6, 7, 8 -> snapshot(engine);
        case 9 -> compact(env, engine);
        case 10 -> placeOrRelease(engine);
        case 11 -> checkHolds(engine);
        case 12 -> rarely(env, engine);
        case 13 -> age(engine);
        case 14, 15, 16 -> stage(env, engine);
        case 17 -> byHand(env, engine);
        case 18 -> buildIndex(env, engine);
        default -> submit(engine, new TreeMap<>());
      }
      env.run(random.nextInt(8));
    }
    disk.failCall(-1, "");
  }

  /** Files written before their region's options changed get other indexes, now or meanwhile. */
  private void buildIndex(SimEnvironment env, RegionEngine engine) {
    var f =
        engine.request(new RegionRequest.BuildIndex(region(random.nextInt(REGIONS)), List.of()));
    if (random.nextBoolean()) {
      env.runUntil(f);
    }
  }

  private static RegionWrite write(int region, OpType op, List<Integer> keys, long value) {
    int n = keys.size();
    int[] k = keys.stream().mapToInt(Integer::intValue).toArray();
    long[] t = keys.stream().mapToLong(Simulation::time).toArray();
    long[] v = new long[n];
    Arrays.fill(v, value);
    var columns = new ArrayList<Vector>();
    columns.add(new IntVector(SqlType.INT4, k, n, null));
    columns.add(new LongVector(SqlType.TIMESTAMP, t, n, null));
    var ids = new ArrayList<>(List.of(Fixture.K, Fixture.TS));
    if (op == OpType.PUT) {
      columns.add(new LongVector(SqlType.INT8, v, n, null));
      ids.add(Fixture.V);
    }
    return new RegionWrite(region(region), 1, op, ids, new Batch(columns, n));
  }

  private RegionWrite delete(int region) {
    int key = random.nextInt(SHARED);
    return random.nextBoolean()
        ? write(region, OpType.DELETE, List.of(key), 0)
        : deleteSeries(region, key);
  }

  private static RegionWrite deleteSeries(int region, int key) {
    List<Vector> tag = List.of(new IntVector(SqlType.INT4, new int[] {key}, 1, null));
    return new RangeDelete(List.of(Fixture.K), tag, time(key), time(key), Long.MAX_VALUE)
        .write(region(region), 1);
  }

  /** Adds a delete of the keys in one of three forms, the last of which takes old rows as well. */
  private void addDeletes(int r, List<Integer> gone, TreeSet<Integer> all, List<RegionWrite> to) {
    int form = random.nextInt(6);
    if (form > 1) {
      if (!gone.isEmpty()) {
        to.add(write(r, OpType.DELETE, gone, 0));
      }
      return;
    }
    gone.forEach(k -> to.add(deleteSeries(r, k)));
    if (form == 1) {
      to.add(
          new RangeDelete(List.of(), List.of(), Long.MIN_VALUE, START + TTL, Long.MAX_VALUE)
              .write(region(r), 1));
      // also rows that are put later and come earlier in the log
      for (int k = AGING; k > nextAging - LIFE; k--) {
        all.add(k);
      }
    }
  }

  /** Writes some keys ahead in one or several regions, then commits with other writes. */
  private void stage(SimEnvironment env, RegionEngine engine) {
    var ahead = new TreeMap<Integer, List<StagedRows>>();
    int first = random.nextInt(REGIONS);
    int count = 1 + random.nextInt(REGIONS);
    boolean whole = true;
    for (int i = 0; i < count && whole; i++) {
      int r = (first + i) % REGIONS;
      var mine = new ArrayList<StagedRows>();
      ahead.put(r, mine);
      for (int n = 1 + random.nextInt(2); n > 0 && whole; n--) {
        var writes = new ArrayList<RegionWrite>();
        writes.add(write(r, OpType.PUT, some(), nextCommit));
        if (random.nextInt(3) == 0) {
          writes.add(delete(r));
        }
        var f = engine.stage(region(r), writes);
        env.runUntil(f);
        whole = !f.isCompletedExceptionally();
        if (whole) {
          mine.add(f.join());
        }
      }
    }
    assertThat(whole || failures).isTrue();
    if (!whole || random.nextInt(6) == 0) {
      ahead.values().forEach(l -> l.forEach(engine::discard));
    } else {
      submit(engine, ahead);
    }
  }

  /** Files that are added by hand, sequences that are raised, garbage that is collected. */
  private void byHand(SimEnvironment env, RegionEngine engine) {
    switch (random.nextInt(3)) {
      case 0 -> edit(env, engine);
      case 1 -> {
        RegionId r = region(random.nextInt(REGIONS));
        long sequence = engine.committedSequence(r) + random.nextInt(2000) - 100;
        var f = engine.request(new RegionRequest.BumpSequence(r, sequence));
        if (random.nextBoolean()) {
          env.runUntil(f);
          if (!f.isCompletedExceptionally()) {
            assertThat(engine.committedSequence(r)).isGreaterThanOrEqualTo(sequence);
          }
        }
      }
      default -> {
        var f = engine.collectGarbage(0);
        if (random.nextBoolean()) {
          env.runUntil(f);
        }
      }
    }
  }

  /** Adds a file that a tool has put there: it has the rows of a commit. */
  private void edit(SimEnvironment env, RegionEngine engine) {
    settle(env);
    absorb();
    int r = random.nextInt(REGIONS);
    int number = nextCommit++;
    var keys = new TreeSet<>(some());
    keys.add(number);
    var mine = Map.of(r, List.copyOf(keys));
    var staged = engine.stage(region(r), List.of(write(r, OpType.PUT, mine.get(r), number)));
    env.runUntil(staged);
    if (staged.isCompletedExceptionally()) {
      assertThat(failures).isTrue();
      return;
    }
    String from = ((StagedFile) staged.join()).meta().fileId();
    String to = "tool-" + number;
    disk.putObject(
        ObjectSstStore.key(region(r), to), disk.object(ObjectSstStore.key(region(r), from)));
    engine.discard(staged.join());
    var edit = new RegionRequest.Edit(region(r), List.of(to), List.of(), random.nextBoolean());
    var f = engine.request(edit);
    if (random.nextInt(3) == 0) {
      var _ = engine.collectGarbage(0);
    }
    runOrStop(env, f);
    if (f.isDone() && !f.isCompletedExceptionally()) {
      mine.get(r).forEach(k -> known.get(r).put(k, (long) number));
    } else {
      if (f.isDone() && !failures) {
        // A collection was faster (it knows of no grace time here), or the region was altered.
        assertThat(f.exceptionNow())
            .isInstanceOfSatisfying(
                MillraceException.class,
                e -> assertThat(e.code()).isIn(ErrorCode.IO_ERROR, ErrorCode.REGION_BUSY));
      }
      under.add(new Under(number, mine, Map.of(), new CompletableFuture<>()));
      stopHere = true;
    }
  }

  private List<Integer> some() {
    var out = new TreeSet<Integer>();
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      out.add(random.nextInt(SHARED));
    }
    return List.copyOf(out);
  }

  /**
   * Commits. Where rows were written ahead the plain ones of the same commit overwrite or delete
   * all shared keys, so that the model need not know what was staged.
   */
  private void submit(RegionEngine engine, Map<Integer, List<StagedRows>> ahead) {
    int number = nextCommit++;
    var keys = new TreeMap<Integer, List<Integer>>();
    var deletes = new TreeMap<Integer, List<Integer>>();
    var writes = new ArrayList<RegionWrite>();
    int first = random.nextInt(REGIONS);
    int count = random.nextInt(3) == 0 ? 1 + random.nextInt(REGIONS) : 1;
    var regions = new TreeSet<>(ahead.keySet());
    for (int i = 0; i < count; i++) {
      regions.add((first + i) % REGIONS);
    }
    for (int r : regions) {
      boolean all = ahead.containsKey(r);
      var gone = new TreeSet<Integer>();
      var mine = new TreeSet<Integer>(List.of(number));
      for (int k = 0; k < SHARED; k++) {
        int chance = random.nextInt(10);
        if (chance == 0 || all && chance < 4) {
          gone.add(k);
        } else if (chance < 4 || all) {
          mine.add(k);
        }
      }
      int padding = random.nextInt(10) == 0 ? random.nextInt(300) : 0;
      for (int p = 0; p < padding; p++) {
        mine.add(-1 - random.nextInt(100));
      }
      keys.put(r, List.copyOf(mine));
      addDeletes(r, List.copyOf(gone), gone, writes);
      deletes.put(r, List.copyOf(gone));
      writes.add(write(r, OpType.PUT, keys.get(r), number));
    }
    List<StagedRows> staged = ahead.values().stream().flatMap(List::stream).toList();
    commit(engine, number, keys, deletes, new WriteGroup(writes, List.of(), staged));
  }

  private void commit(
      RegionEngine engine,
      int number,
      Map<Integer, List<Integer>> keys,
      Map<Integer, List<Integer>> deletes,
      WriteGroup group) {
    under.add(new Under(number, keys, deletes, engine.commit(group)));
  }

  /** Commits a row that is old, or will be. */
  private void age(RegionEngine engine) {
    int r = random.nextInt(REGIONS);
    int key = nextAging--;
    var keys = Map.of(r, List.of(key));
    RegionWrite w = write(r, OpType.PUT, keys.get(r), key);
    commit(engine, key, keys, Map.of(), WriteGroup.of(List.of(w)));
  }

  /** What is seldom: much time passes, or the merge mode changes. */
  private void rarely(SimEnvironment env, RegionEngine engine) {
    if (random.nextInt(3) > 0) {
      settle(env); // nothing is to wait so long
      env.advance(random.nextInt((int) (4 * MINUTE)));
      return;
    }
    var mode = RegionOptions.MergeMode.values()[random.nextInt(2)];
    var regions = new ArrayList<RegionId>();
    for (int i = random.nextInt(REGIONS); i < REGIONS; i++) {
      regions.add(region(i));
    }
    var f =
        engine.request(
            new RegionRequest.Alter(regions, Fixture.SCHEMA, options(mode, random.nextBoolean())));
    if (random.nextBoolean()) {
      env.runUntil(f);
    }
  }

  private void placeOrRelease(RegionEngine engine) {
    readable(
        () -> {
          if (holds.size() > 3) {
            int i = random.nextInt(holds.size());
            holds.check(engine, i);
            holds.release(i);
          } else {
            HoldKind kind = random.nextBoolean() ? HoldKind.ROWS : HoldKind.KEYS;
            holds.place(engine, region(random.nextInt(REGIONS)), kind);
          }
        });
  }

  private void checkHolds(RegionEngine engine) {
    readable(
        () -> {
          for (int i = 0; i < holds.size(); i++) {
            holds.check(engine, i);
          }
        });
  }

  /** Reading may fail only while the disk does. */
  private void readable(Runnable read) {
    try {
      read.run();
    } catch (MillraceException e) {
      if (!failures || e.code() != ErrorCode.IO_ERROR) {
        throw e;
      }
    }
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
    int form = random.nextInt(6);
    if (form > 2) {
      return;
    }
    settle(env);
    absorb();
    if (form > 0) {
      truncatePart(env, engine, form == 1);
      return;
    }
    var regions = new ArrayList<RegionId>();
    var numbers = new HashSet<Integer>();
    for (int i = 0; i <= random.nextInt(REGIONS); i++) {
      regions.add(region(i));
      numbers.add(i);
    }
    truncating = numbers;
    var f = engine.request(new RegionRequest.Truncate(regions));
    runOrStop(env, f);
    if (f.isDone() && !f.isCompletedExceptionally()) {
      for (int r : numbers) {
        known.get(r).clear();
      }
      truncating = Set.of();
    } else {
      stopHere = true;
    }
  }

  private void runOrStop(SimEnvironment env, CompletableFuture<?> f) {
    if (random.nextInt(4) == 0) {
      env.run(random.nextInt(12));
    } else {
      env.runUntil(f);
    }
  }

  /** Takes what is in memory, or in files; known exactly if nothing else was flushed. */
  private void truncatePart(SimEnvironment env, RegionEngine engine, boolean unflushed) {
    int r = random.nextInt(REGIONS);
    RegionId region = region(r);
    env.runUntil(engine.request(new RegionRequest.Flush(region, "test")));
    long flushed = engine.info(region).flushedSequence();
    Map<Integer, Long> old = new TreeMap<>(known.get(r));
    known.get(r).clear();
    for (int n = random.nextInt(4); n > 0; n--) {
      int number = nextCommit++;
      var keys = Map.of(r, List.of(number, random.nextInt(SHARED)));
      RegionWrite w = write(r, OpType.PUT, keys.get(r), number);
      commit(engine, number, keys, Map.of(), WriteGroup.of(List.of(w)));
    }
    settle(env);
    absorb();
    Map<Integer, Long> expected = unflushed ? old : new TreeMap<>(known.get(r));
    boolean exact = !failures && engine.info(region).flushedSequence() == flushed;
    Truncation what =
        unflushed
            ? new Truncation.Unflushed()
            : new Truncation.Files(
                List.of(new Truncation.TimeRange(Long.MIN_VALUE, Long.MAX_VALUE)));
    var f = engine.request(new RegionRequest.Truncate(List.of(region), what));
    runOrStop(env, f);
    if (!f.isDone() || f.isCompletedExceptionally()) {
      unsure = true;
      stopHere = true;
      return;
    }
    // Until it has been read, nobody knows what is left.
    unsure = true;
    stopHere = true;
    readable(
        () -> {
          var seen = new TreeMap<>(Fixture.rows(engine, region));
          known.set(r, new TreeMap<>(seen));
          unsure = false;
          stopHere = false;
          if (exact) {
            young(seen);
            young(expected);
            assertThat(seen).as("after %s of region %s", what, r).isEqualTo(expected);
          }
        });
  }

  /** Leaves only rows that cannot have expired. */
  private void young(Map<Integer, Long> rows) {
    long below = clock.wallMicros() - TTL;
    rows.keySet().removeIf(k -> time(k) < below);
  }

  /** Waits for everything under way. */
  private void settle(SimEnvironment env) {
    for (Under u : under) {
      env.runUntil(u.result);
      if (u.result.isCompletedExceptionally() && !failures) {
        assertThat(u.result.exceptionNow())
            .isInstanceOfSatisfying(
                MillraceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.SERIALIZATION_FAILURE));
      }
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
      u.deletes.forEach((r, keys) -> keys.forEach(k -> known.get(r).remove(k)));
      u.keys.forEach((r, keys) -> keys.forEach(k -> known.get(r).put(k, (long) u.number)));
    }
  }

  /** A snapshot shows commits whole. */
  private void snapshot(RegionEngine engine) {
    var all = new ArrayList<RegionId>();
    for (int i = 0; i < REGIONS; i++) {
      all.add(region(i));
    }
    if (truncating.isEmpty()) {
      readable(() -> compareWhole(engine, all));
    }
  }

  private void compareWhole(RegionEngine engine, List<RegionId> all) {
    try (Snapshot s = engine.snapshot(all)) {
      var seen = new ArrayList<Map<Integer, Long>>();
      for (RegionId r : all) {
        seen.add(Fixture.rows(engine, s, r));
      }
      for (Under u : under) {
        int there = there(u, seen);
        assertThat(there).as("commit %s in a snapshot", u.number).isIn(0, u.keys.size());
        if (u.number > 0 && u.result.isDone() && !u.result.isCompletedExceptionally()) {
          assertThat(there).as("acknowledged %s in a snapshot", u.number).isEqualTo(u.keys.size());
        }
      }
    }
  }

  private static int there(Under u, List<Map<Integer, Long>> seen) {
    int there = 0;
    for (int r : u.keys.keySet()) {
      there += seen.get(r).containsKey(u.number) ? 1 : 0;
    }
    return there;
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
      int there = there(u, seen);
      assertThat(there).as("commit %s after a restart", u.number).isIn(0, u.keys.size());
      if (there > 0) {
        present.add(u.number);
      }
    }
    if (durable && !unsure) {
      for (int r = 0; r < REGIONS; r++) {
        compare(r, known.get(r), seen.get(r), present);
      }
    }
    under.clear();
    known.clear();
    known.addAll(seen);
    truncating = Set.of();
    stopHere = false;
    unsure = false;
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
    long below = clock.wallMicros() - TTL;
    for (Map.Entry<Integer, Long> e : expected.entrySet()) {
      int key = e.getKey();
      Long value = actual.get(key);
      if (value == null) {
        boolean deleted =
            under.stream().anyMatch(u -> present.contains(u.number) && u.deletes(r, key));
        assertThat(deleted || time(key) < below).as("key %s of region %s", key, r).isTrue();
      } else if (!e.getValue().equals(value)) {
        assertThat(present).as("writer of key %s of region %s", key, r).contains(value.intValue());
      }
    }
    for (Map.Entry<Integer, Long> e : actual.entrySet()) {
      if (!expected.containsKey(e.getKey()) && time(e.getKey()) >= below) {
        assertThat(present)
            .as("writer of key %s of region %s", e.getKey(), r)
            .contains(e.getValue().intValue());
      }
    }
  }
}
