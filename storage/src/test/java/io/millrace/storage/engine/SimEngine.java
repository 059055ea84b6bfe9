package io.millrace.storage.engine;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.time.ManualClock;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.WriteGroup;
import io.millrace.storage.sim.SimDisk;
import io.millrace.storage.sim.SimEnvironment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** An engine on a machine of one thread that can be stopped and started. */
final class SimEngine {
  private final SimDisk disk = new SimDisk();
  private final ManualClock clock = new ManualClock(1_700_000_000_000_000L);
  private final RandomGenerator random;
  private EngineConfig config;
  private SimEnvironment environment;
  private RegionEngine engine;

  SimEngine(long seed) {
    this(seed, Fixture.config(WalSync.COMMIT));
  }

  SimEngine(long seed, EngineConfig config) {
    this.random = RandomGeneratorFactory.<RandomGenerator>of("L64X128MixRandom").create(seed);
    this.config = config;
    this.environment = new SimEnvironment(disk, random, clock);
    this.engine = RegionEngines.open(Path.of("/sim"), config, environment);
  }

  SimDisk disk() {
    return disk;
  }

  SimEnvironment environment() {
    return environment;
  }

  RegionEngine engine() {
    return engine;
  }

  /** The machine stops, forgetting what was not forced, and starts again. */
  void crash() {
    disk.crash(random);
    environment.close();
    start(false);
  }

  /** From the next start on. */
  void configure(EngineConfig other) {
    config = other;
  }

  void stop() {
    disk.crash(random);
    environment.close();
  }

  void start(boolean repair) {
    environment = new SimEnvironment(disk, random, clock);
    engine =
        repair
            ? RegionEngines.repair(Path.of("/sim"), config, environment)
            : RegionEngines.open(Path.of("/sim"), config, environment);
  }

  SimEngine with(RegionId... regions) {
    for (RegionId r : regions) {
      request(new RegionRequest.Create(r, Fixture.SCHEMA, RegionOptions.DEFAULT));
    }
    return this;
  }

  RegionResponse request(RegionRequest r) {
    return await(engine.request(r));
  }

  CommitResult commit(RegionWrite... writes) {
    return await(engine.commit(WriteGroup.of(List.of(writes))));
  }

  void flush(RegionId region) {
    request(new RegionRequest.Flush(region, "test"));
  }

  Map<Integer, Long> rows(RegionId region) {
    return Fixture.rows(engine, region);
  }

  /** The code with which reading the region fails. */
  ErrorCode rowsOrError(RegionId region) {
    try {
      rows(region);
    } catch (MillraceException e) {
      return e.code();
    }
    return ErrorCode.SUCCESSFUL_COMPLETION;
  }

  <T> T await(CompletableFuture<T> f) {
    environment.runUntil(f);
    try {
      return f.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof MillraceException m) {
        throw m;
      }
      throw e;
    }
  }

  /** The code with which the future fails. */
  ErrorCode failure(CompletableFuture<?> f) {
    try {
      await(f);
    } catch (MillraceException e) {
      return e.code();
    }
    return ErrorCode.SUCCESSFUL_COMPLETION;
  }
}
