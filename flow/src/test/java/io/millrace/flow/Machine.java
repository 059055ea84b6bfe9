package io.millrace.flow;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import io.millrace.common.time.ManualClock;
import io.millrace.common.time.Scheduler;
import io.millrace.sql.catalog.KvBackend;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.RegionEngines;
import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.wal.LogFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A machine of real threads on a real folder, with a clock that moves when told to, timers that
 * only fire then, and a switch: once stopped, nothing reaches the disk any more.
 */
final class Machine implements EngineEnvironment {
  private record Timer(long atNanos, Runnable task) {}

  private final EngineEnvironment local = RegionEngines.localEnvironment(2);
  private final ManualClock clock;
  private final List<Timer> timers = new ArrayList<>();
  private final AtomicLong calls = new AtomicLong();
  private volatile long dieAt = Long.MAX_VALUE;
  private volatile boolean stopped;

  Machine(ManualClock clock) {
    this.clock = clock;
  }

  /** Stops the machine. */
  void kill() {
    stopped = true;
  }

  /** Stops the machine at the n-th write to the disk from now. */
  void dieAfter(long writes) {
    dieAt = calls.get() + writes;
  }

  boolean stopped() {
    return stopped;
  }

  private void write() throws IOException {
    if (calls.incrementAndGet() >= dieAt) {
      stopped = true;
    }
    if (stopped) {
      throw new IOException("the machine has stopped");
    }
  }

  /** Lets time pass. */
  void advance(long micros) {
    clock.advanceMicros(micros);
    var due = new ArrayList<Timer>();
    synchronized (timers) {
      timers.removeIf(t -> t.atNanos <= clock.monotonicNanos() && due.add(t));
    }
    due.forEach(t -> t.task.run());
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public Scheduler scheduler() {
    return (delayMicros, task) -> {
      var t = new Timer(clock.monotonicNanos() + delayMicros * 1000, task);
      synchronized (timers) {
        timers.add(t);
      }
      return () -> {
        synchronized (timers) {
          timers.removeIf(other -> other == t);
        }
      };
    };
  }

  @Override
  public Executor serial(String name) {
    return local.serial(name);
  }

  @Override
  public Executor background() {
    return local.background();
  }

  @Override
  public <T> T await(CompletableFuture<T> future) {
    return local.await(future);
  }

  @Override
  public AutoCloseable lock(Path directory) {
    return () -> {};
  }

  @Override
  public void close() {
    local.close();
  }

  /** The catalog's store behind the switch. */
  KvBackend guard(KvBackend backend) {
    return new KvBackend() {
      @Override
      public Map<String, byte[]> load() {
        return backend.load();
      }

      @Override
      public void commit(Map<String, byte @Nullable []> changes) {
        try {
          write();
        } catch (IOException e) {
          throw new MillraceException(ErrorCode.IO_ERROR, "the catalog cannot be written", e);
        }
        backend.commit(changes);
      }

      @Override
      public void close() {
        backend.close();
      }
    };
  }

  @Override
  public ObjectStore objects(Path directory) {
    ObjectStore store = local.objects(directory);
    return new ObjectStore() {
      @Override
      public byte[] get(String key) throws IOException {
        return store.get(key);
      }

      @Override
      public ObjectReader open(String key) throws IOException {
        return store.open(key);
      }

      @Override
      public void put(String key, byte[] data) throws IOException {
        write();
        store.put(key, data);
      }

      @Override
      public ObjectWriter create(String key) throws IOException {
        write();
        return guard(store.create(key));
      }

      @Override
      public List<String> list(String prefix) throws IOException {
        return store.list(prefix);
      }

      @Override
      public List<ObjectInfo> entries(String prefix) throws IOException {
        return store.entries(prefix);
      }

      @Override
      public void removeUnfinished() throws IOException {
        store.removeUnfinished();
      }

      @Override
      public void delete(String key) throws IOException {
        write();
        store.delete(key);
      }
    };
  }

  private ObjectStore.ObjectWriter guard(ObjectStore.ObjectWriter w) {
    return new ObjectStore.ObjectWriter() {
      @Override
      public long position() {
        return w.position();
      }

      @Override
      public void write(byte[] data, int from, int count) throws IOException {
        w.write(data, from, count);
      }

      @Override
      public void commit() throws IOException {
        Machine.this.write();
        w.commit();
      }

      @Override
      public void close() throws IOException {
        w.close();
      }
    };
  }

  @Override
  public LogFiles logFiles(Path directory) {
    LogFiles files = local.logFiles(directory);
    return new LogFiles() {
      @Override
      public List<String> list() throws IOException {
        return files.list();
      }

      @Override
      public LogFile create(String name, long size) throws IOException {
        write();
        return guard(files.create(name, size));
      }

      @Override
      public LogFile open(String name) throws IOException {
        return guard(files.open(name));
      }

      @Override
      public void rename(String from, String to) throws IOException {
        write();
        files.rename(from, to);
      }

      @Override
      public void delete(String name) throws IOException {
        write();
        files.delete(name);
      }

      @Override
      public void keepAside(String name, byte[] data, int from, int count) throws IOException {
        write();
        files.keepAside(name, data, from, count);
      }

      @Override
      public long usableSpace() throws IOException {
        return files.usableSpace();
      }

      @Override
      public long totalSpace() throws IOException {
        return files.totalSpace();
      }
    };
  }

  private LogFiles.LogFile guard(LogFiles.LogFile f) {
    return new LogFiles.LogFile() {
      @Override
      public long size() throws IOException {
        return f.size();
      }

      @Override
      public void write(ByteBuffer data, long position) throws IOException {
        Machine.this.write();
        f.write(data, position);
      }

      @Override
      public int read(ByteBuffer into, long position) throws IOException {
        return f.read(into, position);
      }

      @Override
      public void force() throws IOException {
        Machine.this.write();
        f.force();
      }

      @Override
      public void truncate(long size) throws IOException {
        Machine.this.write();
        f.truncate(size);
      }

      @Override
      public void close() throws IOException {
        f.close();
      }
    };
  }
}
