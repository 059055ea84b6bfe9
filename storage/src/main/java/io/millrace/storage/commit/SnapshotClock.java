package io.millrace.storage.commit;

import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.EngineEnvironment.Point;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.VersionControl;
import io.millrace.storage.region.VersionControl.Handle;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/*
 * What makes commits visible whole and in order: a sequence lock. The publisher makes the clock odd,
 * sets the committed sequence of every region of the commit, sets published, and makes the clock
 * even. A reader reads the clock, takes (version, sequence, version) of each region, and reads the
 * clock again; changed or odd means once more. After 16 failures it takes the publisher's lock.
 *
 * The version is read on both sides of the sequence since a freeze between them would leave rows
 * that the sequence covers in a memtable that the version lacks.
 */
public final class SnapshotClock {
  private static final int ATTEMPTS = 16;
  private final AtomicLong clock = new AtomicLong();
  private final Object lock = new Object();
  private final EngineEnvironment environment;
  private volatile long published;

  /** A cut: index i belongs to region i of those asked for. */
  public record Cut(Handle[] handles, long[] sequences, long position) {}

  public SnapshotClock(EngineEnvironment environment, long published) {
    this.environment = environment;
    this.published = published;
  }

  /** Log position of the last commit made visible. */
  public long published() {
    return published;
  }

  /** Makes a commit visible; the step sets the committed sequences. By the publisher. */
  void publish(long position, Runnable step) {
    synchronized (lock) {
      clock.incrementAndGet();
      try {
        step.run();
        published = position;
      } finally {
        clock.incrementAndGet();
      }
    }
  }

  /** A cut between two publications, and a step of the caller's in the same moment. */
  public Cut take(List<Region> regions, Runnable step) {
    var handles = new Handle[regions.size()];
    var sequences = new long[regions.size()];
    synchronized (lock) {
      step.run();
      acquire(regions, handles, sequences, false);
      return new Cut(handles, sequences, published);
    }
  }

  /** One consistent cut over the regions; the handles are the caller's to release. */
  public Cut take(List<Region> regions) {
    var handles = new Handle[regions.size()];
    var sequences = new long[regions.size()];
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long before = clock.get();
      if ((before & 1) != 0) {
        continue;
      }
      long position = published;
      acquire(regions, handles, sequences, true);
      if (clock.get() == before) {
        return new Cut(handles, sequences, position);
      }
      release(regions, handles);
    }
    return take(regions, () -> {});
  }

  private void acquire(
      List<Region> regions, Handle[] handles, long[] sequences, boolean disturbed) {
    for (int i = 0; i < handles.length; i++) {
      Region region = regions.get(i);
      VersionControl versions = region.versions();
      while (true) {
        Handle h = versions.acquire();
        if (disturbed) {
          environment.reached(Point.BETWEEN_VERSION_AND_SEQUENCE);
        }
        long sequence = region.committed();
        if (versions.isCurrent(h)) {
          handles[i] = h;
          sequences[i] = sequence;
          break;
        }
        versions.release(h);
      }
    }
  }

  private static void release(List<Region> regions, Handle[] handles) {
    for (int i = 0; i < handles.length; i++) {
      regions.get(i).versions().release(handles[i]);
    }
  }
}
