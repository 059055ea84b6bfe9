package io.millrace.storage.region;

import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.read.Version;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/*
 * The versions of a region. Readers take the current one by counting a reference up; nothing
 * waits. Versions form a line: files that a step dropped may be deleted once every version before
 * the step has been let go, which is seen by sweeping the line from its old end.
 */
public final class VersionControl {
  /** A version in use. The version control itself holds one reference to the current one. */
  public static final class Handle {
    private final Version version;
    private final AtomicInteger references = new AtomicInteger(1);
    private final List<String> droppedAfter = new ArrayList<>();
    private final List<Runnable> after = new ArrayList<>();

    private Handle(Version version) {
      this.version = version;
    }

    public Version version() {
      return version;
    }

    private boolean tryAcquire() {
      while (true) {
        int n = references.get();
        if (n == 0) {
          return false;
        }
        if (references.compareAndSet(n, n + 1)) {
          return true;
        }
      }
    }
  }

  private final BiConsumer<List<String>, Runnable> purge;
  private final Deque<Handle> live = new ArrayDeque<>();
  private volatile Handle current;

  /**
   * Starts with a version.
   *
   * @param purge deletes files, then runs the task
   */
  public VersionControl(Version first, BiConsumer<List<String>, Runnable> purge) {
    this.purge = purge;
    this.current = new Handle(first);
    live.add(current);
  }

  public Version current() {
    return current.version;
  }

  /** The current version, kept until released. */
  public Handle acquire() {
    while (true) {
      Handle h = current;
      if (h.tryAcquire()) {
        return h;
      }
    }
  }

  /** Whether the handle's version is still the current one. */
  public boolean isCurrent(Handle h) {
    return current == h;
  }

  public void release(Handle h) {
    if (h.references.decrementAndGet() == 0) {
      sweep();
    }
  }

  /** Bytes of memtables that the handle keeps alive and the current version does not. */
  public long pinnedBytes(Handle h) {
    Handle now = current;
    if (now == h) {
      return 0;
    }
    Set<Memtable> known = new HashSet<>(now.version.memtables());
    long n = 0;
    for (Memtable m : h.version.memtables()) {
      n += known.contains(m) ? 0 : m.byteSize();
    }
    return n;
  }

  /** Ids of files that some version still has, or whose deletion waits for a reader. */
  public synchronized Set<String> referenced() {
    var out = new HashSet<String>();
    for (Handle h : live) {
      for (SstMeta f : h.version.files()) {
        out.add(f.fileId());
      }
      out.addAll(h.droppedAfter);
    }
    return out;
  }

  /** Puts a new version in place. */
  public synchronized void update(UnaryOperator<Version> step) {
    replace(step.apply(current.version));
  }

  /** Deletes files, which the current version does not have, once no reader can need them. */
  public synchronized void retire(List<String> fileIds, Runnable then) {
    current.droppedAfter.addAll(fileIds);
    current.after.add(then);
    replace(current.version);
  }

  private void replace(Version next) {
    Handle old = current;
    Handle h = new Handle(next);
    live.addLast(h);
    current = h;
    release(old);
  }

  private synchronized void sweep() {
    while (live.size() > 1 && live.getFirst().references.get() == 0) {
      Handle gone = live.removeFirst();
      if (!gone.droppedAfter.isEmpty() || !gone.after.isEmpty()) {
        List<Runnable> after = List.copyOf(gone.after);
        purge.accept(List.copyOf(gone.droppedAfter), () -> after.forEach(Runnable::run));
      }
    }
  }
}
