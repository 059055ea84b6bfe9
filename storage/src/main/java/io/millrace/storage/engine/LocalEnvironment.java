package io.millrace.storage.engine;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.common.time.SystemClock;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.objectstore.IoErrors;
import io.millrace.storage.objectstore.LocalObjectStore;
import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.wal.LocalLogFiles;
import io.millrace.storage.wal.LogFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine's clock, platform threads and local disks. */
public final class LocalEnvironment implements EngineEnvironment {
  private static final Logger LOG = LoggerFactory.getLogger(LocalEnvironment.class);
  private final Clock clock = new SystemClock();
  private final ScheduledThreadPoolExecutor timer;
  private final ExecutorService background;
  private final List<ExecutorService> serials = new ArrayList<>();

  public LocalEnvironment(int backgroundThreads) {
    timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("millrace-timer").factory());
    timer.setRemoveOnCancelPolicy(true);
    background =
        Executors.newFixedThreadPool(
            backgroundThreads,
            Thread.ofPlatform().daemon().name("millrace-background-", 0).factory());
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public Scheduler scheduler() {
    return (delayMicros, task) -> {
      try {
        ScheduledFuture<?> f = timer.schedule(task, delayMicros, TimeUnit.MICROSECONDS);
        return () -> f.cancel(false);
      } catch (RejectedExecutionException e) {
        LOG.debug("not scheduled, the engine has stopped", e);
        return () -> {};
      }
    };
  }

  @Override
  public synchronized Executor serial(String name) {
    ExecutorService e =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name(name).factory());
    serials.add(e);
    return task -> execute(e, task);
  }

  @Override
  public Executor background() {
    return task -> execute(background, task);
  }

  private static void execute(ExecutorService executor, Runnable task) {
    try {
      executor.execute(
          () -> {
            try {
              task.run();
            } catch (RuntimeException | Error e) {
              LOG.error("a task of the region engine failed", e);
              throw e;
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("not run, the engine has stopped", e);
    }
  }

  @Override
  public ObjectStore objects(Path directory) {
    return new LocalObjectStore(directory.resolve("store").toAbsolutePath().normalize());
  }

  @Override
  public LogFiles logFiles(Path directory) {
    return new LocalLogFiles(directory.resolve("wal"), directory.resolve("wal-damaged"));
  }

  @Override
  public AutoCloseable lock(Path directory) {
    try {
      Files.createDirectories(directory);
      FileChannel c =
          FileChannel.open(
              directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = null;
      try {
        lock = c.tryLock();
      } catch (OverlappingFileLockException e) {
        LOG.debug("this process has the lock", e);
      }
      if (lock == null) {
        c.close();
        throw new MillraceException(
            ErrorCode.OBJECT_IN_USE,
            "data directory \"" + directory + "\" is in use by another server");
      }
      return c;
    } catch (IOException e) {
      throw IoErrors.wrap(e, "lock data directory \"" + directory + "\"");
    }
  }

  @Override
  public <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof MillraceException m) {
        throw m;
      }
      throw e;
    }
  }

  @Override
  public void pause(long micros) {
    LockSupport.parkNanos(micros * 1000);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    synchronized (this) {
      serials.forEach(ExecutorService::shutdown);
    }
    background.shutdown();
  }
}
