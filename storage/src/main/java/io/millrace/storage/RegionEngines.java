package io.millrace.storage;

import io.millrace.storage.engine.LocalEnvironment;
import io.millrace.storage.engine.Recovery;
import java.nio.file.Path;

/** Opens region engines. */
public final class RegionEngines {
  private RegionEngines() {}

  /**
   * Opens the data directory: locks it, reads the manifests, replays the log. The engine closes the
   * environment.
   */
  public static RegionEngine open(Path directory, EngineConfig config, EngineEnvironment env) {
    return Recovery.open(directory, config, env, false);
  }

  /** As {@link #open}, accepting the loss of everything behind damage in the log. */
  public static RegionEngine repair(Path directory, EngineConfig config, EngineEnvironment env) {
    return Recovery.open(directory, config, env, true);
  }

  /**
   * The machine itself: its clock, its threads, its disks.
   *
   * @param backgroundThreads threads that flush
   */
  public static EngineEnvironment localEnvironment(int backgroundThreads) {
    return new LocalEnvironment(backgroundThreads);
  }

  /**
   * The same, where flushes find their threads free while compactions hold as many as they may.
   *
   * @param compactionJobs compactions that run together
   */
  public static EngineEnvironment localEnvironment(int backgroundThreads, int compactionJobs) {
    return new LocalEnvironment(backgroundThreads + compactionJobs);
  }
}
