package io.millrace.storage;

import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.wal.LogFiles;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Everything that the engine takes from outside: time, threads and disks. The simulation has its
 * own, with one thread and a disk that fails and forgets.
 */
public interface EngineEnvironment extends AutoCloseable {
  Clock clock();

  Scheduler scheduler();

  /** An executor that runs its tasks one after another: a thread of that name. */
  Executor serial(String name);

  /** Runs flushes and other work that may take long or block. */
  Executor background();

  /** SSTs and manifests below the data directory. */
  ObjectStore objects(Path directory);

  /** The log's folder below the data directory. */
  LogFiles logFiles(Path directory);

  /** Locks the data directory against a second server; OBJECT_IN_USE if one has it. */
  AutoCloseable lock(Path directory);

  /** Waits for a future; only while opening and closing. */
  <T> T await(CompletableFuture<T> future);

  /** Lets a background thread rest; where there is one thread for all it returns at once. */
  default void pause(long micros) {}

  /** A place in the commit path where tests let other things happen. */
  default void reached(Point point) {}

  @Override
  void close();

  /** Where {@link #reached} is called. */
  enum Point {
    AFTER_ADMIT,
    BEFORE_FORCE,
    AFTER_FORCE,
    AFTER_APPLY,
    BETWEEN_VERSION_AND_SEQUENCE,
    BEFORE_NOTICE,
    BEFORE_MANIFEST,
    AFTER_MANIFEST
  }
}
