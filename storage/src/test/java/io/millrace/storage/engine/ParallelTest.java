package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.id.RegionId;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.WriteGroup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers, readers, flushes and compactions of several regions at once, on threads and disks. */
class ParallelTest {
  private static final int WRITERS = 3;
  private static final int COMMITS = 150;

  @Test
  void readersAlwaysSeeWholeCommitsAndAllRowsAreThereAfterwards(@TempDir Path dir)
      throws Exception {
    List<RegionId> regions = List.of(region(1), region(2));
    try (RegionEngine engine =
        RegionEngines.open(
            dir, Fixture.config(WalSync.COMMIT), RegionEngines.localEnvironment(2))) {
      for (RegionId r : regions) {
        engine.request(new RegionRequest.Create(r, Fixture.SCHEMA, RegionOptions.DEFAULT)).get();
      }
      engine.openGate();
      var writing = new AtomicInteger(WRITERS);
      var work = new ArrayList<Callable<Integer>>();
      for (int w = 0; w < WRITERS; w++) {
        int writer = w;
        work.add(
            () -> {
              try {
                for (int i = 0; i < COMMITS; i++) {
                  int key = writer * COMMITS + i;
                  engine
                      .commit(
                          WriteGroup.of(
                              List.of(put(regions.get(0), key, i), put(regions.get(1), key, i))))
                      .get();
                }
              } finally {
                writing.decrementAndGet();
              }
              return COMMITS;
            });
      }
      work.add(() -> read(engine, regions, writing));
      work.add(() -> upkeep(engine, regions, writing));
      try (var pool = Executors.newCachedThreadPool()) {
        for (var f : pool.invokeAll(work)) {
          assertThat(f.get()).isNotNegative();
        }
      }
      for (RegionId r : regions) {
        assertThat(Fixture.rows(engine, r)).hasSize(WRITERS * COMMITS);
      }
    }
  }

  private static int read(RegionEngine engine, List<RegionId> regions, AtomicInteger writing) {
    int seen = 0;
    while (writing.get() > 0) {
      try (Snapshot s = engine.snapshot(regions)) {
        Map<Integer, Long> one = Fixture.rows(engine, s, regions.get(0));
        assertThat(Fixture.rows(engine, s, regions.get(1))).isEqualTo(one);
        assertThat(one.size()).isGreaterThanOrEqualTo(seen);
        seen = one.size();
      }
    }
    return seen;
  }

  private static int upkeep(RegionEngine engine, List<RegionId> regions, AtomicInteger writing)
      throws Exception {
    int n = 0;
    while (writing.get() > 0) {
      RegionId r = regions.get(n++ % 2);
      engine.request(new RegionRequest.Flush(r, "test")).get();
      engine.request(new RegionRequest.Compact(r, n % 3 == 0)).get();
      engine.collectGarbage(0).get();
    }
    return n;
  }
}
