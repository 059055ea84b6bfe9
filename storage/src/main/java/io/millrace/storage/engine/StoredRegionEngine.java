package io.millrace.storage.engine;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.EngineFigures;
import io.millrace.storage.FileReferences;
import io.millrace.storage.GarbageReport;
import io.millrace.storage.HeldSnapshot;
import io.millrace.storage.Hold;
import io.millrace.storage.HoldKind;
import io.millrace.storage.IndexInfo;
import io.millrace.storage.KeyLocks;
import io.millrace.storage.KeyRows;
import io.millrace.storage.LookupStatistics;
import io.millrace.storage.OpenResult;
import io.millrace.storage.Overlay;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionInfo;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.RegionRole;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.RegionStatistics;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Snapshot;
import io.millrace.storage.SstInfo;
import io.millrace.storage.StagedRows;
import io.millrace.storage.StoredSst;
import io.millrace.storage.WriteGroup;
import io.millrace.storage.commit.Committer;
import io.millrace.storage.commit.LogWriter;
import io.millrace.storage.commit.SnapshotClock;
import io.millrace.storage.compaction.CompactionScheduler;
import io.millrace.storage.flush.FlushScheduler;
import io.millrace.storage.flush.Stager;
import io.millrace.storage.meter.IoBudget;
import io.millrace.storage.objectstore.ObjectSstStore;
import io.millrace.storage.read.RegionReads;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The region engine: the door over its parts. */
final class StoredRegionEngine implements RegionEngine {
  private static final Logger LOG = LoggerFactory.getLogger(StoredRegionEngine.class);

  /** The parts, put together by {@link Recovery}. */
  record Parts(
      RegionMap regions,
      Committer committer,
      SnapshotClock clock,
      LogWriter log,
      RegionReads reads,
      RegionDdl ddl,
      Stager stager,
      Garbage garbage,
      Figures figures,
      IoBudget budget,
      FlushScheduler scheduler,
      CompactionScheduler compactions,
      KeyLocks locks,
      AtomicBoolean gateOpen,
      EngineEnvironment environment,
      AutoCloseable directoryLock) {}

  private final Parts parts;
  private final LargeCommits large;
  private final AtomicBoolean closed = new AtomicBoolean();

  StoredRegionEngine(Parts parts) {
    this.parts = parts;
    this.large = new LargeCommits(parts.regions, parts.stager);
    parts.committer.connectLarge(this::commitLarge);
  }

  @Override
  public CompletableFuture<RegionResponse> request(RegionRequest request) {
    try {
      return plain(parts.ddl.handle(request));
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Failures as they were thrown, without the wrapping of chained futures. */
  private static <T> CompletableFuture<T> plain(CompletableFuture<T> f) {
    return f.exceptionallyCompose(
        e ->
            CompletableFuture.failedFuture(
                e instanceof CompletionException && e.getCause() != null ? e.getCause() : e));
  }

  @Override
  public CompletableFuture<CommitResult> commit(WriteGroup group) {
    if (group.staged().isEmpty()) {
      return parts.committer.commit(group);
    }
    return LargeCommits.small(group.writes()) ? commitStaged(group) : commitLarge(group);
  }

  private CompletableFuture<CommitResult> commitLarge(WriteGroup group) {
    CompletableFuture<WriteGroup> reduced;
    try {
      reduced = large.reduced(group);
    } catch (MillraceException e) { // nothing is written yet
      group.staged().forEach(parts.stager::discard);
      return CompletableFuture.failedFuture(e);
    }
    return plain(reduced.thenCompose(this::commitStaged));
  }

  private CompletableFuture<CommitResult> commitStaged(WriteGroup group) {
    CompletableFuture<CommitResult> done;
    try {
      done = plain(parts.ddl.commitStaged(group));
    } catch (MillraceException e) {
      done = CompletableFuture.failedFuture(e);
    }
    return done.whenComplete(
        (_, e) -> {
          if (e != null && !mayBeInTheLog(e)) {
            group.staged().forEach(parts.stager::discard);
          }
        });
  }

  /**
   * After a failed write or force the record may be there at the next start, and needs its files.
   */
  private static boolean mayBeInTheLog(Throwable e) {
    Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
    return !(cause instanceof MillraceException m)
        || m.code() == ErrorCode.IO_ERROR
        || m.code() == ErrorCode.INTERNAL_ERROR;
  }

  @Override
  public CompletableFuture<StagedRows> stage(RegionId region, List<RegionWrite> writes) {
    try {
      return plain(parts.stager.stage(parts.regions.require(region), writes));
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public void discard(StagedRows staged) {
    parts.stager.discard(staged);
  }

  @Override
  public <T> CompletableFuture<T> retire(
      Collection<RegionId> regions, Supplier<CompletableFuture<T>> work) {
    try {
      return plain(parts.ddl.retire(regions, work));
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public Snapshot snapshot(Collection<RegionId> regions) {
    List<Region> all = require(regions);
    return new EngineSnapshot(all, parts.clock.take(all));
  }

  @Override
  public HeldSnapshot holdSnapshot(Collection<RegionId> regions, String owner, HoldKind kind) {
    List<Region> all = require(regions);
    var holds = new ArrayList<Hold>(all.size());
    var cut =
        parts.clock.take(
            all,
            () -> {
              for (Region r : all) {
                holds.add(r.holds().place(owner, kind, r::committed));
              }
            });
    return new HeldSnapshot(new EngineSnapshot(all, cut), holds);
  }

  private List<Region> require(Collection<RegionId> ids) {
    var out = new ArrayList<Region>(ids.size());
    for (RegionId id : ids) {
      Region r = parts.regions.require(id);
      r.requireReadable();
      if (!out.contains(r)) {
        out.add(r);
      }
    }
    return out;
  }

  @Override
  public RegionScanner scan(Snapshot snapshot, ScanRequest request) {
    var s = (EngineSnapshot) snapshot;
    return new CountedScanner(
        parts.reads.scan(s.version(request.region()), s.sequence(request.region()), request),
        parts.budget);
  }

  @Override
  public KeyRows lookup(
      Snapshot snapshot,
      RegionId region,
      Batch keys,
      List<Integer> columnIds,
      @Nullable Overlay overlay) {
    var s = (EngineSnapshot) snapshot;
    return parts.reads.lookup(s.version(region), s.sequence(region), keys, columnIds, overlay);
  }

  @Override
  public ChangeFeed changes(
      Snapshot snapshot, RegionId region, long after, List<Integer> columnIds, boolean withOld) {
    var s = (EngineSnapshot) snapshot;
    boolean held = parts.regions.require(region).holds().holdsRows(after);
    return parts.reads.changes(
        s.version(region), after, s.sequence(region), columnIds, withOld, held);
  }

  @Override
  public Hold hold(RegionId region, String owner, HoldKind kind) {
    Region r = parts.regions.require(region);
    return r.holds().place(owner, kind, r::committed);
  }

  @Override
  public Hold restoreHold(RegionId region, String owner, HoldKind kind, long sequence) {
    return parts.regions.require(region).holds().place(owner, kind, () -> sequence);
  }

  @Override
  public void openGate() {
    parts.gateOpen.set(true);
  }

  @Override
  public KeyLocks locks() {
    return parts.locks;
  }

  @Override
  public RegionInfo info(RegionId region) {
    return parts.regions.require(region).info();
  }

  @Override
  public List<SstInfo> files(RegionId region) {
    var out = new ArrayList<SstInfo>();
    for (SstMeta f : parts.regions.require(region).versions().current().files()) {
      out.add(
          new SstInfo(
              region,
              f.fileId(),
              ObjectSstStore.key(region, f.fileId()),
              f.bytes(),
              f.rows(),
              f.rowGroups(),
              f.minTime(),
              f.maxTime(),
              f.minSequence(),
              f.maxSequence(),
              f.multiVersion(),
              f.tombstones()));
    }
    out.sort(Comparator.comparingLong(SstInfo::minSequence));
    return out;
  }

  @Override
  public List<IndexInfo> indexes(RegionId region) {
    var out = new ArrayList<IndexInfo>();
    for (SstMeta f : parts.regions.require(region).versions().current().files()) {
      SideCarMeta x = f.index();
      if (x != null) {
        String path = ObjectSstStore.key(region, x.name(f.fileId()));
        for (SideCarMeta.Part p : x.parts()) {
          out.add(
              new IndexInfo(
                  region,
                  f.fileId(),
                  f.maxSequence(),
                  path,
                  x.bytes(),
                  p.kind(),
                  p.columnId(),
                  p.bytes()));
        }
      }
    }
    out.sort(Comparator.comparingLong(IndexInfo::sequence));
    return out;
  }

  @Override
  public List<RegionId> regions() {
    return parts.regions.all().stream().map(Region::id).sorted().toList();
  }

  @Override
  public LookupStatistics lookups() {
    return parts.reads.lookups();
  }

  @Override
  public CompletableFuture<List<OpenResult>> open(
      List<RegionRequest.Open> requests, int parallelism) {
    return parts.ddl.openAll(requests, parallelism);
  }

  @Override
  public RegionStatistics statistics(RegionId region) {
    return parts.regions.require(region).statistics();
  }

  @Override
  public RegionRole role(RegionId region) {
    return parts.regions.require(region).role();
  }

  @Override
  public long committedSequence(RegionId region) {
    return parts.regions.require(region).committed();
  }

  @Override
  public List<StoredSst> storedFiles() {
    return parts.garbage.stored();
  }

  @Override
  public FileReferences fileReferences(Collection<RegionId> regions) {
    return parts.garbage.references(regions);
  }

  @Override
  public CompletableFuture<GarbageReport> collectGarbage(long graceMicros) {
    return plain(
        CompletableFuture.supplyAsync(
            () -> parts.garbage.collect(graceMicros), parts.environment.background()));
  }

  @Override
  public EngineFigures figures() {
    return parts.figures.now();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    parts.scheduler.stop();
    parts.budget.stop();
    try {
      parts.environment.await(parts.compactions.stop());
      parts.environment.await(parts.log.close());
      parts.committer.stop();
      for (Region r : parts.regions.all()) {
        parts.environment.await(r.chain().submit(() -> CompletableFuture.completedFuture(true)));
      }
    } finally {
      parts.reads.close();
      parts.environment.close();
      try {
        parts.directoryLock.close();
      } catch (Exception e) {
        LOG.warn("could not release the data directory: {}", e.toString());
      }
    }
  }
}
