package io.millrace.storage.engine;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.EngineConfig.WalSync;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.commit.CommitPart;
import io.millrace.storage.commit.CommitTask;
import io.millrace.storage.commit.Committer;
import io.millrace.storage.commit.KeyLockTable;
import io.millrace.storage.commit.LogWriter;
import io.millrace.storage.commit.Publisher;
import io.millrace.storage.commit.SnapshotClock;
import io.millrace.storage.commit.WriteBuffer;
import io.millrace.storage.compaction.CompactionScheduler;
import io.millrace.storage.compaction.Compactor;
import io.millrace.storage.flush.Ballast;
import io.millrace.storage.flush.FileNames;
import io.millrace.storage.flush.FlushScheduler;
import io.millrace.storage.flush.Flusher;
import io.millrace.storage.flush.IndexBuilder;
import io.millrace.storage.flush.ManifestEditor;
import io.millrace.storage.flush.SlotWriter;
import io.millrace.storage.flush.Stager;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.manifest.ManifestState;
import io.millrace.storage.manifest.RegionManifest;
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.meter.IoBudget;
import io.millrace.storage.meter.MeteredStore;
import io.millrace.storage.objectstore.IoErrors;
import io.millrace.storage.objectstore.ObjectSstStore;
import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.purge.FilePurger;
import io.millrace.storage.read.FileCheck;
import io.millrace.storage.read.IndexBuild;
import io.millrace.storage.read.RegionReads;
import io.millrace.storage.read.SstFold;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.wal.LocalLog;
import io.millrace.storage.wal.LogFiles;
import io.millrace.storage.wal.LogPart;
import io.millrace.storage.wal.LogReplay;
import io.millrace.storage.wal.LogSizes;
import io.millrace.storage.wal.PayloadCodec;
import io.millrace.storage.worker.WorkerGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Opens an engine: manifests, then the log, then a new incarnation of every region.
 *
 * A record's part is taken if its position is above what the region's files tell. The next position
 * is above everything seen in the log and above every region's flushed position; a region's next
 * sequence is above its flushed one. Where something may have been lost (a cut tail, rows that were
 * never logged) the sequences leave a gap and a RESET event says that anything may have changed.
 */
public final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
  private static final int GAP = 1 << 20;

  private final EngineConfig config;
  private final EngineEnvironment environment;
  private final ObjectStore store;
  private final ObjectSstStore sstStore;
  private final LogFiles logFiles;
  private final RegionReads reads;
  private final FilePurger purger;
  private final WriteBuffer buffer;
  private final RegionMap regions = new RegionMap();
  private final EngineMeters meters = new EngineMeters();
  private final IoBudget budget;
  private final LogSizes sizes;
  private final Ballast ballast;
  private final ManifestEditor manifests;
  private final FileNames names = new FileNames();
  private final AtomicBoolean gateOpen = new AtomicBoolean();
  private final SstFold fold;
  private final SlotWriter slots;

  private Recovery(Path directory, EngineConfig config, EngineEnvironment environment) {
    this.config = config;
    this.environment = environment;
    this.store = environment.objects(directory);
    this.sstStore = new ObjectSstStore(store);
    this.logFiles = environment.logFiles(directory);
    this.reads = RegionReads.create(sstStore, config, environment.clock()::monotonicNanos);
    this.purger = new FilePurger(sstStore, reads::forget, environment.background());
    this.buffer = new WriteBuffer(config);
    this.budget = new IoBudget(environment, config.compactionIoBytes());
    this.sizes = logSizes(config, logFiles);
    this.ballast = new Ballast(logFiles, sizes.reserve());
    this.manifests = new ManifestEditor(environment, ballast);
    this.fold = new SstFold(MeteredStore.forFlush(sstStore, budget));
    this.slots =
        new SlotWriter(
            new SlotWriter.Parts(
                fold, manifests, ballast, purger, gateOpen, names, meters, budget));
  }

  /**
   * Opens the engine over a data directory.
   *
   * @param cutDamage accept the loss of everything behind damage in the log
   */
  public static RegionEngine open(
      Path directory, EngineConfig config, EngineEnvironment environment, boolean cutDamage) {
    AutoCloseable lock = environment.lock(directory);
    boolean opened = false;
    try {
      RegionEngine engine = new Recovery(directory, config, environment).run(lock, cutDamage);
      opened = true;
      return engine;
    } finally {
      if (!opened) {
        try {
          lock.close();
        } catch (Exception e) {
          LOG.warn("could not release the data directory: {}", e.toString());
        }
        environment.close();
      }
    }
  }

  private RegionEngine run(AutoCloseable lock, boolean cutDamage) {
    long start = environment.clock().monotonicNanos();
    try {
      store.removeUnfinished();
    } catch (IOException e) {
      throw IoErrors.wrap(e, "remove unfinished files");
    }
    loadRegions();
    int lanes = Math.max(1, config.workers());
    var memory = new ReplayMemory(buffer, config.writeBufferBytes(), lanes, slots);
    var replay = new Replay(environment, meters, lanes, new Replaying(memory));
    LogReplay.Result log = new LogReplay(logFiles, cutDamage, this::allRegions).run(replay::accept);
    replay.finish();
    for (Region r : regions.all()) {
      if (r.options().skipWal()) {
        lost(r);
      }
    }
    log.damages().forEach(this::judge);
    if (log.damages().stream().allMatch(d -> d.accepted() || d.regions().isEmpty())) {
      removeOrphans();
    }
    long position = log.lastPosition();
    for (Region r : regions.all()) {
      position = Math.max(position, r.manifest().state().flushedPosition());
      ballast.run(() -> incarnate(r));
    }
    RegionEngine engine = assemble(lock, log, position);
    LOG.info(
        "{} regions opened, log position {}, {} records of {} MiB read from the log, {} ms",
        regions.all().size(),
        position,
        replay.records(),
        replay.bytes() >> 20,
        (environment.clock().monotonicNanos() - start) / 1_000_000);
    return engine;
  }

  private Region open(RegionManifest manifest) {
    RegionId id = manifest.state().region();
    return new Region(
        manifest, environment.background(), (files, then) -> purger.purge(id, files, then));
  }

  private void loadRegions() {
    for (RegionId id : RegionManifest.list(store)) {
      try {
        RegionManifest m = RegionManifest.load(store, id);
        if (m != null && m.state().removed()) {
          removeOrphans(id, Set.of());
          m.delete();
        } else if (m != null) {
          regions.add(open(m));
        }
      } catch (MillraceException e) {
        LOG.error("region {} cannot be opened: {}", id, e.message());
        regions.addUnreadable(id, e);
      }
    }
  }

  /** Removes what neither a manifest nor the log names; with all of the log read. */
  private void removeOrphans() {
    for (Region r : regions.all()) {
      var kept = new HashSet<String>();
      r.manifest().state().files().forEach(f -> keep(f, kept));
      r.versions().current().files().forEach(f -> keep(f, kept));
      removeOrphans(r.id(), kept);
    }
  }

  private static void keep(SstMeta f, Set<String> kept) {
    kept.add(f.fileId());
    SideCarMeta index = f.index();
    if (index != null) {
      kept.add(index.name(f.fileId()));
    }
  }

  private void removeOrphans(RegionId id, Set<String> kept) {
    try {
      for (String name : sstStore.sideCars(id)) {
        if (!kept.contains(name)) {
          sstStore.delete(id, name);
        }
      }
      for (String file : sstStore.list(id)) {
        if (!kept.contains(file)) {
          sstStore.delete(id, file);
        }
      }
    } catch (IOException e) {
      throw IoErrors.wrap(e, "remove files of region " + id);
    }
  }

  /** Takes what the files do not have yet. */
  private final class Replaying implements Replay.Applier {
    private final ReplayMemory memory;

    Replaying(ReplayMemory memory) {
      this.memory = memory;
    }

    @Override
    public void apply(int lane, LogPart p, long position) {
      Region r = regions.find(p.region());
      if (r == null) {
        return;
      }
      if (position > r.manifest().state().flushedPosition()) {
        apply(lane, r, p, position, environment.clock().monotonicNanos());
      }
      r.replayed(p.lastSequence());
    }

    private void apply(int lane, Region r, LogPart p, long position, long now) {
      if (p.kind() != LogPart.Kind.WRITE && position <= r.manifest().state().settledPosition()) {
        return;
      }
      switch (p.kind()) {
        case WRITE -> {
          RegionWrite write = PayloadCodec.decode(p, r.schema());
          long bytes = write.memoryBytes();
          memory.take(lane, r, bytes);
          r.append(write, p.firstSequence(), bytes, position, now);
        }
        case TRUNCATE ->
            memory.give(
                lane, r.truncate(PayloadCodec.decodeTruncate(p), p.firstSequence(), position));
        case EXPIRE -> r.expire(p.firstSequence(), position, PayloadCodec.decodeExpire(p));
        case STAGED -> r.addStaged(PayloadCodec.decodeStaged(p), position);
        case EDIT ->
            r.edit(PayloadCodec.decodeEdit(p), p.firstSequence(), p.lastSequence(), position);
        case RANGE -> r.deleteRanges(PayloadCodec.decodeRanges(p), position);
        case ALTER -> {
          PayloadCodec.Altered a = PayloadCodec.decodeAlter(p);
          if (a.schema().version() >= r.schema().version()) {
            r.alter(a.schema(), a.options(), p.lastSequence(), position);
          }
        }
      }
    }

    @Override
    public void recordEnded(int lane) {
      memory.recordEnded(lane);
    }
  }

  private Map<RegionId, LogReplay.Safe> allRegions() {
    var out = new HashMap<RegionId, LogReplay.Safe>();
    for (Region r : regions.all()) {
      ManifestState m = r.manifest().state();
      out.put(r.id(), new LogReplay.Safe(m.flushedPosition(), m.settledPosition()));
    }
    return out;
  }

  private void judge(LogReplay.Damage damage) {
    for (RegionId id : damage.regions()) {
      Region r = regions.find(id);
      if (r != null && damage.accepted()) {
        lost(r);
      } else if (r != null) {
        r.setDamaged("segment " + damage.segment() + " at offset " + damage.offset());
      }
    }
  }

  /** Rows of the region may be gone. */
  private static void lost(Region r) {
    r.skipSequences(GAP);
    r.event(new RegionEvent.ResetAll(r.committed()));
  }

  private static void incarnate(Region r) {
    ManifestState state = r.manifest().state();
    var actions = new ArrayList<ManifestAction>();
    for (RegionEvent e : r.versions().current().events()) {
      if (!state.events().contains(e) && e.sequence() == r.committed()) {
        actions.add(new ManifestAction.Event(e));
      }
    }
    actions.add(new ManifestAction.Incarnation(state.incarnation() + 1, r.committed()));
    r.manifest().commit(actions);
    r.adopt(r.manifest().state());
  }

  private static LogSizes logSizes(EngineConfig config, LogFiles logFiles) {
    try {
      return LogSizes.fitting(config, logFiles.totalSpace());
    } catch (IOException e) {
      throw IoErrors.wrap(e, "ask for the size of the log's file system");
    }
  }

  private RegionEngine assemble(AutoCloseable lock, LogReplay.Result found, long position) {
    var log =
        new LocalLog(
            logFiles, environment.clock(), sizes.segment(), environment.background(), found);
    var clock = new SnapshotClock(environment, position);
    var publisher = new Publisher(clock, environment, this::event);
    var workers = new WorkerGroup(config.workers());
    var committer = new Committer(regions::require, workers, buffer, environment, meters);
    var writer =
        new LogWriter(
            new LogWriter.Parts(
                log,
                config.walSync(),
                workers,
                publisher,
                environment,
                committer::refuse,
                ballast::run,
                meters),
            position);
    committer.connect(writer);
    long kept = regions.hasUnreadable() ? 0 : Long.MAX_VALUE;
    for (LogReplay.Damage d : found.damages()) {
      if (!d.accepted() && !d.regions().isEmpty()) {
        kept = Math.min(kept, d.afterPosition());
      }
    }
    long keptFrom = kept;
    var later = new AtomicReference<CompactionScheduler>();
    Supplier<CompactionScheduler> compactions = () -> Objects.requireNonNull(later.get());
    var flusher =
        new Flusher(
            new Flusher.Parts(
                workers,
                publisher,
                clock,
                writer,
                buffer,
                slots,
                manifests,
                config.walSync() != WalSync.COMMIT,
                region -> compactions.get().changed(region),
                () -> trim(log, clock, keptFrom),
                meters));
    var scheduler =
        new FlushScheduler(
            config,
            environment,
            new FlushScheduler.Parts(
                buffer, regions::all, flusher, manifests, log, ballast, sizes.limit()));
    workers.start(committer, buffer, reads, environment, new Told(publisher, scheduler, writer));
    var ddl =
        new RegionDdl(
            new RegionDdl.Parts(
                regions,
                store,
                sstStore,
                this::open,
                committer,
                clock,
                flusher,
                new IndexBuilder(
                    workers, new IndexBuild(sstStore), manifests, purger, environment.background()),
                manifests,
                buffer,
                compactions,
                environment,
                new LiveRows(reads)::count));
    var compaction =
        new CompactionScheduler(
            new CompactionScheduler.Parts(
                environment,
                regions::all,
                new Compactor(
                    new Compactor.Parts(
                        workers,
                        urgent -> new SstFold(MeteredStore.forCompaction(sstStore, budget, urgent)),
                        manifests,
                        purger,
                        names,
                        meters,
                        environment.clock())),
                manifests,
                gateOpen,
                ddl::expire,
                (r, f) -> new FileCheck(sstStore).damaged(r.id(), f),
                meters,
                config.compactionJobs(),
                config.compactionMemoryBytes()));
    later.set(compaction);
    compaction.start();
    scheduler.start();
    if (config.walSync() == WalSync.INTERVAL) {
      writer.forceEvery(config.walSyncIntervalMicros());
    }
    var garbage = new Garbage(regions, store, sstStore, environment.clock(), meters);
    garbage.collectEvery(environment);
    return new StoredRegionEngine(
        new StoredRegionEngine.Parts(
            regions,
            committer,
            clock,
            writer,
            reads,
            ddl,
            new Stager(fold, names, purger, environment.background()),
            garbage,
            new Figures(meters, budget, buffer, config, log, reads, regions, compaction),
            budget,
            scheduler,
            compaction,
            new KeyLockTable(environment.scheduler()),
            gateOpen,
            environment,
            lock));
  }

  private void trim(LocalLog log, SnapshotClock clock, long kept) {
    long least = Math.min(clock.published() + 1, kept);
    for (Region r : List.copyOf(regions.all())) {
      least = Math.min(least, r.pinnedPosition());
    }
    log.trim(least);
  }

  /** Truncate and alter take effect while the clock is odd. */
  private void event(CommitTask task, CommitPart part) {
    Region r = part.region();
    switch (part.kind()) {
      case WRITE -> {}
      case TRUNCATE ->
          buffer.give(r.truncate(part.truncation(), part.firstSequence(), task.position()));
      case EXPIRE -> r.expire(part.firstSequence(), task.position(), part.expiredBelow());
      case STAGED -> r.addStaged(part.stagedFiles(), task.position());
      case EDIT ->
          r.edit(part.edited(), part.firstSequence(), part.lastSequence(), task.position());
      case RANGE -> r.deleteRanges(part.ranges(), task.position());
      case ALTER -> {
        PayloadCodec.Altered a = part.altered();
        r.alter(a.schema(), a.options(), part.firstSequence(), task.position());
      }
    }
  }

  private record Told(Publisher publisher, FlushScheduler scheduler, LogWriter writer)
      implements WorkerGroup.Listener {
    @Override
    public void applied(CommitTask task) {
      task.arrived();
    }

    @Override
    public void appliedAll() {
      publisher.advance();
    }

    @Override
    public void grown(Region region) {
      scheduler.grown(region);
    }

    @Override
    public void stalled(Region region) {
      scheduler.stalled(region);
    }

    @Override
    public void broken(Throwable why) {
      writer.fail(why);
    }
  }
}
