package io.millrace.storage.engine;

import static io.millrace.storage.engine.Fixture.put;
import static io.millrace.storage.engine.Fixture.region;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.id.RegionId;
import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.WriteGroup;
import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.wal.LogFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flushes beside as many compactions as there may be, each of which rests for its budget. */
class FlushThreadsTest {
  private static final int THREADS = 2;
  private static final int JOBS = 3;

  /** A machine on which who rests does so until it is let go on. */
  private record Resting(EngineEnvironment real, CountDownLatch resting, CountDownLatch on)
      implements EngineEnvironment {
    @Override
    public void pause(long micros) {
      resting.countDown();
      try {
        on.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public Clock clock() {
      return real.clock();
    }

    @Override
    public Scheduler scheduler() {
      return real.scheduler();
    }

    @Override
    public Executor serial(String name) {
      return real.serial(name);
    }

    @Override
    public Executor background() {
      return real.background();
    }

    @Override
    public ObjectStore objects(Path directory) {
      return real.objects(directory);
    }

    @Override
    public LogFiles logFiles(Path directory) {
      return real.logFiles(directory);
    }

    @Override
    public AutoCloseable lock(Path directory) {
      return real.lock(directory);
    }

    @Override
    public <T> T await(CompletableFuture<T> future) {
      return real.await(future);
    }

    @Override
    public void close() {
      real.close();
    }
  }

  private static EngineConfig config() {
    EngineConfig c = Fixture.config(WalSync.NONE);
    return new EngineConfig(
        c.walSync(),
        c.walSyncIntervalMicros(),
        c.walSegmentBytes(),
        c.writeBufferBytes(),
        c.writeBufferHardBytes(),
        c.regionWriteBufferBytes(),
        c.reserveBytes(),
        c.pageCacheBytes(),
        c.workers(),
        c.autoFlushMicros(),
        JOBS,
        1 << 20,
        1, // a byte a second: everything has to rest
        256 << 20);
  }

  private static void flush(RegionEngine engine, RegionId r) throws Exception {
    engine.request(new RegionRequest.Flush(r, "test")).get(30, TimeUnit.SECONDS);
  }

  @Test
  void aFlushFindsAThreadWhileAllCompactionsHoldTheirs(@TempDir Path dir) throws Exception {
    var resting = new CountDownLatch(JOBS);
    var on = new CountDownLatch(1);
    var environment = new Resting(RegionEngines.localEnvironment(THREADS, JOBS), resting, on);
    try (RegionEngine engine = RegionEngines.open(dir, config(), environment)) {
      try {
        flushBesideCompactions(engine, resting);
      } finally {
        on.countDown(); // the engine waits for its compactions when it is closed
      }
    }
  }

  private static void flushBesideCompactions(RegionEngine engine, CountDownLatch resting)
      throws Exception {
    RegionId last = region(JOBS);
    for (int i = 0; i <= JOBS; i++) {
      RegionId r = region(i);
      engine.request(new RegionRequest.Create(r, Fixture.SCHEMA, RegionOptions.DEFAULT)).join();
      for (int k = 0; k < 3; k++) {
        engine.commit(WriteGroup.of(List.of(put(r, k, k)))).join();
        flush(engine, r);
      }
    }
    engine.openGate();
    var compactions = new ArrayList<CompletableFuture<RegionResponse>>();
    for (int i = 0; i < JOBS; i++) {
      compactions.add(engine.request(new RegionRequest.Compact(region(i), false)));
    }
    assertThat(resting.await(30, TimeUnit.SECONDS)).isTrue();
    engine.commit(WriteGroup.of(List.of(put(last, 9, 9)))).join();
    flush(engine, last);
    assertThat(engine.files(last)).hasSize(4);
    assertThat(compactions).noneMatch(CompletableFuture::isDone);
  }
}
