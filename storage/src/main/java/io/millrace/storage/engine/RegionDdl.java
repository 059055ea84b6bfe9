package io.millrace.storage.engine;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.CommitResult;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.OpenResult;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.Truncation;
import io.millrace.storage.WriteGroup;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.commit.Committer;
import io.millrace.storage.commit.SnapshotClock;
import io.millrace.storage.commit.WriteBuffer;
import io.millrace.storage.compaction.CompactionScheduler;
import io.millrace.storage.flush.Flusher;
import io.millrace.storage.flush.IndexBuilder;
import io.millrace.storage.flush.ManifestEditor;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.manifest.RegionManifest;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.objectstore.ObjectSstStore;
import io.millrace.storage.objectstore.ObjectStore;
import io.millrace.storage.read.Version;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.TaskChain;
import io.millrace.storage.sst.Expiry;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.wal.LogPart;
import io.millrace.storage.wal.PayloadCodec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * What is asked of regions besides rows. Whatever needs a region for itself shuts its gate and waits
 * until nothing is in flight; gates of several regions are shut in the order of their ids, so two
 * such requests cannot block each other.
 */
final class RegionDdl {
  private static final Logger LOG = LoggerFactory.getLogger(RegionDdl.class);

  /** What it works with. */
  record Parts(
      RegionMap regions,
      ObjectStore store,
      ObjectSstStore files,
      Function<RegionManifest, Region> opener,
      Committer committer,
      SnapshotClock clock,
      Flusher flusher,
      IndexBuilder indexes,
      ManifestEditor manifests,
      WriteBuffer buffer,
      Supplier<CompactionScheduler> compactions,
      EngineEnvironment environment,
      ToLongFunction<Region> liveRows) {}

  private final Parts parts;
  private final TaskChain creations;
  private final RegionEdits edits;
  private final RegionOpening opening;

  RegionDdl(Parts parts) {
    this.parts = parts;
    this.creations = new TaskChain(parts.environment.background());
    this.edits = new RegionEdits(parts, this);
    this.opening = new RegionOpening(parts, this);
  }

  CompletableFuture<RegionResponse> handle(RegionRequest request) {
    return switch (request) {
      case RegionRequest.Create c -> creations.submit(() -> completed(create(c)));
      case RegionRequest.Open o -> opening.open(o);
      case RegionRequest.Close c -> close(c);
      case RegionRequest.Drop d -> drop(d.region());
      case RegionRequest.Alter a -> alter(a);
      case RegionRequest.Flush f -> flush(parts.regions.require(f.region()), f.reason());
      case RegionRequest.Compact c ->
          parts.compactions.get().compact(parts.regions.require(c.region()), c);
      case RegionRequest.Truncate t -> truncate(t);
      case RegionRequest.BuildIndex b ->
          parts.indexes.build(parts.regions.require(b.region()), b.fileIds());
      case RegionRequest.Edit e -> edits.add(e);
      case RegionRequest.DropDamaged d -> edits.dropDamaged(d);
      case RegionRequest.BumpSequence b -> edits.bump(b);
    };
  }

  static CompletableFuture<RegionResponse> completed(RegionResponse r) {
    return CompletableFuture.completedFuture(r);
  }

  static RegionResponse at(Region r) {
    return new RegionResponse(0, r.committed());
  }

  private RegionResponse create(RegionRequest.Create c) {
    Region existing = parts.regions.find(c.region());
    if (existing != null) {
      if (existing.schema().equals(c.schema())) {
        return at(existing);
      }
      throw new MillraceException(
          ErrorCode.DUPLICATE_OBJECT,
          "region " + c.region() + " already exists with another schema");
    }
    RegionManifest old = RegionManifest.load(parts.store, c.region());
    if (old != null) {
      throw new MillraceException(
          ErrorCode.REGION_BUSY, "region " + c.region() + " is being dropped");
    }
    RegionManifest manifest =
        RegionManifest.create(
            parts.store,
            c.region(),
            new ManifestAction.Create(c.schema(), c.options(), parts.clock.published()));
    manifest.commit(List.of(new ManifestAction.Incarnation(1, 0)));
    Region region = parts.opener.apply(manifest);
    parts.regions.add(region);
    return at(region);
  }

  /** Opens regions, so many at a time; each for itself. */
  CompletableFuture<List<OpenResult>> openAll(List<RegionRequest.Open> requests, int parallelism) {
    return opening.openAll(requests, parallelism);
  }

  CompletableFuture<RegionResponse> flush(Region region, String reason) {
    region.requireOpen();
    return parts
        .flusher
        .flush(region, reason)
        .thenApply(rows -> new RegionResponse(rows, region.committed()));
  }

  private CompletableFuture<RegionResponse> close(RegionRequest.Close c) {
    Region region = parts.regions.find(c.region());
    if (region == null || region.state() == Region.State.CLOSED) {
      return completed(new RegionResponse(0, 0));
    }
    boolean flush = c.flush() && region.state() == Region.State.OPEN;
    return alone(
        List.of(region),
        _ -> {
          CompletableFuture<Long> flushed =
              flush ? parts.flusher.flush(region, "close") : CompletableFuture.completedFuture(0L);
          return flushed.thenCompose(
              rows ->
                  region
                      .chain()
                      .submit(
                          () -> {
                            region.setState(Region.State.CLOSED);
                            region.showMemory();
                            region.endOverride();
                            return completed(new RegionResponse(rows, region.committed()));
                          }));
        });
  }

  private CompletableFuture<RegionResponse> drop(RegionId id) {
    Region region = parts.regions.find(id);
    if (region == null) {
      return completed(new RegionResponse(0, 0));
    }
    return alone(
        List.of(region),
        _ ->
            region
                .chain()
                .submit(
                    () -> {
                      remove(region);
                      return completed(at(region));
                    }));
  }

  private void remove(Region region) {
    if (region.state() == Region.State.DROPPED) {
      return;
    }
    var files = new LinkedHashSet<String>();
    region.manifest().state().files().forEach(f -> files.add(f.fileId()));
    region.versions().current().files().forEach(f -> files.add(f.fileId())); // not named yet
    parts.regions.beginRemoval(region.id());
    try {
      parts.manifests.commit(region, List.of(), List.of(new ManifestAction.Remove()));
    } catch (MillraceException e) {
      parts.regions.endRemoval(region.id());
      throw e;
    }
    region.showMemory();
    region.setState(Region.State.DROPPED);
    parts.regions.remove(region);
    parts.buffer.give(region.reserved());
    region
        .versions()
        .retire(
            List.copyOf(files),
            () -> {
              try {
                region.manifest().delete();
              } catch (MillraceException e) {
                LOG.warn("{} is dropped, but its manifest is not gone: {}", region, e.message());
              } finally {
                parts.regions.endRemoval(region.id());
              }
            });
  }

  private CompletableFuture<RegionResponse> alter(RegionRequest.Alter a) {
    List<Region> all = require(a.regions());
    boolean done = true;
    for (Region r : all) {
      done &= r.schema().equals(a.schema()) && r.options().equals(a.options());
      checkSuccessor(r, a.schema());
    }
    if (done) {
      return completed(at(all.getFirst()));
    }
    return aloneOpen(
        all,
        owner ->
            parts
                .committer
                .event(
                    all,
                    LogPart.Kind.ALTER,
                    PayloadCodec.encodeAlter(a.schema(), a.options()),
                    owner)
                .thenCompose(result -> settle(all, result)));
  }

  private static void checkSuccessor(Region region, TableSchema next) {
    TableSchema now = region.schema();
    if (next.version() < now.version()) {
      throw new MillraceException(
          ErrorCode.INTERNAL_ERROR,
          region + " is at schema version " + now.version() + ", asked for " + next.version());
    }
  }

  private CompletableFuture<RegionResponse> truncate(RegionRequest.Truncate t) {
    List<Region> all = require(t.regions());
    if (all.isEmpty()) {
      return completed(new RegionResponse(0, 0));
    }
    ByteWriter payload = PayloadCodec.encodeTruncate(t.what());
    return aloneOpen(
        all,
        owner -> {
          Supplier<CompletableFuture<Counted>> work =
              () -> {
                long rows = all.stream().mapToLong(r -> rows(r, t.what())).sum();
                return parts
                    .committer
                    .event(all, LogPart.Kind.TRUNCATE, payload, owner)
                    .thenApply(result -> new Counted(rows, result));
              };
          CompletableFuture<Counted> done =
              t.what() instanceof Truncation.All
                  ? CompletableFuture.completedFuture(true)
                      .thenComposeAsync(_ -> work.get(), parts.environment.background())
                  : inChains(all, 0, work);
          return done.thenCompose(
              c -> settle(all, c.result).thenApply(r -> new RegionResponse(c.rows, r.sequence())));
        });
  }

  private record Counted(long rows, CommitResult result) {}

  /** Rows that a truncate will take: exactly of everything, versions counted otherwise. */
  private long rows(Region region, Truncation what) {
    return switch (what) {
      case Truncation.All _ -> parts.liveRows.applyAsLong(region);
      case Truncation.Unflushed _ -> {
        long n = 0;
        for (Memtable m : region.versions().current().memtables()) {
          n += m.rows();
        }
        yield n;
      }
      case Truncation.Files f -> {
        long n = 0;
        for (SstMeta file : region.versions().current().files()) {
          n += f.covers(file.minTime(), file.maxTime()) ? file.rows() : 0;
        }
        yield n;
      }
    };
  }

  /**
   * Runs the work while no flush or manifest commit of the regions does. A truncate of everything
   * need not wait for that: it makes what runs futile.
   */
  static <T> CompletableFuture<T> inChains(
      List<Region> all, int index, Supplier<CompletableFuture<T>> work) {
    return index == all.size()
        ? work.get()
        : all.get(index).chain().submit(() -> inChains(all, index + 1, work));
  }

  /**
   * Commits a group with staged rows while nothing else is admitted to its regions: all of them,
   * for with some gates shut it must not wait before others.
   */
  CompletableFuture<CommitResult> commitStaged(WriteGroup group) {
    var ids = new ArrayList<RegionId>();
    group.staged().forEach(s -> ids.add(s.region()));
    group.writes().forEach(w -> ids.add(w.region()));
    group.preconditions().forEach(c -> ids.add(c.region()));
    List<Region> all = require(ids);
    return aloneOpen(all, owner -> parts.committer.commit(group, owner));
  }

  /** Runs the work while nothing is admitted to the regions, and closes them if it succeeds. */
  <T> CompletableFuture<T> retire(Collection<RegionId> ids, Supplier<CompletableFuture<T>> work) {
    List<Region> all = require(List.copyOf(ids));
    return aloneOpen(
        all,
        _ ->
            work.get()
                .thenApply(
                    result -> {
                      all.forEach(r -> r.setState(Region.State.CLOSED));
                      return result;
                    }));
  }

  /**
   * Lets files go whose times are all below the bound, in a commit, as far as they are in the way
   * of no older rows. No flush is under way meanwhile, so no such file comes after the decision.
   */
  CompletableFuture<RegionResponse> expire(Region region, long below) {
    List<Region> all = List.of(region);
    return aloneOpen(all, owner -> inChains(all, 0, () -> expire(region, below, owner)));
  }

  private CompletableFuture<RegionResponse> expire(Region region, long below, Object owner) {
    Version v = region.versions().current();
    long bound = Expiry.droppable(below, v.files(), !v.options().appendMode());
    if (bound <= region.expiredBelow() && v.files().stream().allMatch(f -> f.maxTime() >= bound)) {
      return completed(at(region));
    }
    List<Region> all = List.of(region);
    return parts
        .committer
        .event(all, LogPart.Kind.EXPIRE, PayloadCodec.encodeExpire(bound), owner)
        .thenCompose(result -> settle(all, result));
  }

  /** The manifests follow behind; the log has it until they have. */
  CompletableFuture<RegionResponse> settle(List<Region> all, CommitResult result) {
    for (Region r : all) {
      var _ =
          r.chain()
              .submit(
                  () -> {
                    parts.manifests.settle(r);
                    return completed(at(r));
                  })
              .whenComplete(
                  (_, e) -> {
                    if (e != null) {
                      LOG.warn("the manifest of {} could not be written yet: {}", r, e.toString());
                    }
                  });
    }
    long sequence = 0;
    for (long s : result.lastSequences().values()) {
      sequence = Math.max(sequence, s);
    }
    return completed(new RegionResponse(0, sequence));
  }

  private List<Region> require(List<RegionId> ids) {
    var out = new ArrayList<Region>(ids.size());
    for (RegionId id : ids.stream().distinct().sorted(Comparator.naturalOrder()).toList()) {
      Region r = parts.regions.require(id);
      r.requireOpen();
      out.add(r);
    }
    return out;
  }

  /** Runs the work while nothing else is admitted to the regions (in the order of their ids). */
  <T> CompletableFuture<T> alone(List<Region> all, Function<Object, CompletableFuture<T>> work) {
    var owner = new Object();
    return shut(all, 0, owner)
        .thenCompose(_ -> guarded(() -> work.apply(owner)))
        .whenComplete(
            (_, _) -> {
              for (Region r : all) {
                r.tickets().open(owner);
              }
            });
  }

  /** The same for regions that must still be open when all that was in flight is done. */
  <T> CompletableFuture<T> aloneOpen(
      List<Region> all, Function<Object, CompletableFuture<T>> work) {
    return alone(
        all,
        owner -> {
          all.forEach(Region::requireOpen);
          return work.apply(owner);
        });
  }

  static <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> work) {
    try {
      return work.get();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Boolean> shut(List<Region> all, int index, Object owner) {
    if (index == all.size()) {
      return CompletableFuture.completedFuture(true);
    }
    return all.get(index)
        .tickets()
        .shut(owner)
        .thenCompose(got -> shut(all, got ? index + 1 : index, owner));
  }
}
