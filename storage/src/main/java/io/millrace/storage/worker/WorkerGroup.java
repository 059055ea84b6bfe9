package io.millrace.storage.worker;

import io.millrace.common.id.RegionId;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.commit.CommitPart;
import io.millrace.storage.commit.CommitTask;
import io.millrace.storage.commit.Committer;
import io.millrace.storage.commit.Workers;
import io.millrace.storage.commit.WriteBuffer;
import io.millrace.storage.read.RegionReads;
import io.millrace.storage.region.Region;
import io.millrace.storage.wal.LogPart;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The workers; a region belongs to one of them by the hash of its id. */
public final class WorkerGroup implements Workers {
  private final List<RegionWorker> workers = new ArrayList<>();
  private final int count;
  private @Nullable Listener listener;

  /** Who is told of what the workers have done. */
  public interface Listener {
    /** A worker has applied its part of a commit. */
    void applied(CommitTask task);

    /** A worker has applied all it was given. */
    void appliedAll();

    /** A region has more rows than before. */
    void grown(Region region);

    /** A region or the write buffer is full. */
    void stalled(Region region);

    /** A commit in the log could not be applied. */
    void broken(Throwable why);
  }

  public WorkerGroup(int count) {
    this.count = Integer.highestOneBit(Math.max(1, count));
  }

  /** Starts the workers. */
  public void start(
      Committer committer,
      WriteBuffer buffer,
      RegionReads reads,
      EngineEnvironment environment,
      Listener told) {
    listener = told;
    for (int i = 0; i < count; i++) {
      Consumer<Region> stalled = told::stalled;
      var admission =
          new Admission(
              buffer, reads, environment.clock(), committer, stalled, environment.scheduler());
      workers.add(new RegionWorker(i, this, admission, environment));
    }
  }

  int indexOf(RegionId region) {
    long h = region.value() * 0x9E3779B97F4A7C15L;
    return (int) (h >>> 40) & (count - 1);
  }

  private RegionWorker of(Region region) {
    return workers.get(indexOf(region.id()));
  }

  /** Runs something on the region's worker. */
  public void run(Region region, Runnable task) {
    of(region).run(task);
  }

  @Override
  public void admit(CommitTask task, CommitPart part) {
    of(part.region()).admit(task, part);
  }

  @Override
  public int owners(CommitTask task) {
    long seen = 0;
    for (CommitPart p : task.parts()) {
      if (p.kind() == LogPart.Kind.WRITE && !p.writes().isEmpty()) {
        seen |= 1L << indexOf(p.region().id());
      }
    }
    return Long.bitCount(seen);
  }

  @Override
  public void apply(List<CommitTask> group) {
    long concerned = 0;
    for (CommitTask t : group) {
      for (CommitPart p : t.parts()) {
        if (p.kind() == LogPart.Kind.WRITE && !p.writes().isEmpty()) {
          concerned |= 1L << indexOf(p.region().id());
        }
      }
    }
    for (int i = 0; i < count; i++) {
      if ((concerned >>> i & 1) != 0) {
        workers.get(i).apply(group);
      }
    }
  }

  private Listener listener() {
    Listener l = listener;
    if (l == null) {
      throw new IllegalStateException("workers are not started");
    }
    return l;
  }

  void applied(CommitTask task) {
    listener().applied(task);
  }

  void appliedAll() {
    listener().appliedAll();
  }

  void grown(Region region) {
    listener().grown(region);
  }

  void broken(Throwable why) {
    listener().broken(why);
  }
}
