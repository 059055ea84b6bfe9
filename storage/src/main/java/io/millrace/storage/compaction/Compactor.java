package io.millrace.storage.compaction;

import io.millrace.common.time.Clock;
import io.millrace.storage.flush.FileNames;
import io.millrace.storage.flush.ManifestEditor;
import io.millrace.storage.flush.RangeCleaning;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.purge.FilePurger;
import io.millrace.storage.read.CompactionInput;
import io.millrace.storage.read.FlushOutput;
import io.millrace.storage.read.HoldPoint;
import io.millrace.storage.read.SstFold;
import io.millrace.storage.read.Version;
import io.millrace.storage.region.PendingAction;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.VersionControl.Handle;
import io.millrace.storage.sst.Expiry;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.worker.WorkerGroup;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Runs one compaction.
 *
 *   here      the inputs are merged under the holds of the moment, while flushes go on
 *   chain     if the region still has the inputs and merges as it did, one manifest edit puts the
 *             outputs in their place; otherwise the outputs are deleted
 *   worker    the new version; the inputs are deleted when the last reader lets go
 *
 * All inputs are published (checked before the holds are read) and all holds placed later lie above
 * them, so the holds seen at the start are enough.
 */
public final class Compactor {
  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);
  static final long MAX_FILE_BYTES = 512L << 20;

  /** What it works with. */
  public record Parts(
      WorkerGroup workers,
      Function<Boolean, SstFold> fold,
      ManifestEditor manifests,
      FilePurger purger,
      FileNames names,
      EngineMeters meters,
      Clock clock) {}

  /**
   * What a job is to do.
   *
   * @param held no hold is below this sequence
   * @param disturbances the region's when the job was planned: with others it is futile
   * @param urgent so much is to be merged that writes suffer
   */
  record Job(
      Region region,
      List<SstMeta> inputs,
      long strictWindow,
      long held,
      int disturbances,
      boolean urgent,
      BooleanSupplier stopped) {

    boolean stop() {
      return stopped.getAsBoolean()
          || region.state() != Region.State.OPEN
          || region.disturbances() != disturbances;
    }

    /** Memory that it takes, about: blocks of its inputs, and a row group being written. */
    long memory() {
      long block = 16L * BLOCK_ROWS * (region.schema().columns().size() + 2);
      return SstFold.COMPACTION_CACHE + block * (inputs.size() + ROW_GROUP_BLOCKS);
    }
  }

  private static final int BLOCK_ROWS = 10_240;
  private static final int ROW_GROUP_BLOCKS = 20;

  private final Parts parts;

  public Compactor(Parts parts) {
    this.parts = parts;
  }

  /** Merges; completes with what was written, nothing if the job had become futile. */
  CompletableFuture<Optional<FlushOutput>> run(Job job) {
    long begun = parts.clock.monotonicNanos();
    try {
      return merge(job);
    } finally {
      parts.meters.compactionNanos.add(parts.clock.monotonicNanos() - begun);
    }
  }

  private CompletableFuture<Optional<FlushOutput>> merge(Job job) {
    Region region = job.region;
    Handle handle = region.versions().acquire();
    FileNames.Taken names = parts.names.of(region.id(), handle.version().incarnation());
    FlushOutput output = null;
    List<HoldPoint> holds = List.of();
    try {
      Version v = handle.version();
      holds = region.holds().points();
      if (upper(job.inputs) <= region.committed() && v.files().containsAll(job.inputs)) {
        output = parts.fold.apply(job.urgent).compact(input(job, v, names, holds));
      }
    } finally {
      region.versions().release(handle);
      if (output == null) {
        parts.purger.purge(region.id(), names.taken(), () -> {});
      }
    }
    Version before = handle.version();
    FlushOutput written = output;
    List<HoldPoint> under = holds;
    if (written == null) {
      parts.meters.compactionsCancelled.increment();
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return region.chain().submit(() -> commit(job, before, under, written, names));
  }

  private static CompactionInput input(
      Job job, Version v, FileNames.Taken names, List<HoldPoint> holds) {
    Set<SstMeta> inputs = new HashSet<>(job.inputs);
    List<SstMeta> others = v.files().stream().filter(f -> !inputs.contains(f)).toList();
    long max = v.options().compaction().maxOutputBytes();
    long from = job.inputs.stream().mapToLong(SstMeta::minTime).min().orElse(Long.MAX_VALUE);
    return new CompactionInput(
        v.region(),
        v.schema(),
        v.options(),
        job.inputs,
        others,
        v.memtables(),
        holds,
        v.ranges(),
        Expiry.bound(job.region.expiredBelow(), from, others),
        job.strictWindow,
        fresh(job.inputs, others),
        names::run,
        v.feedStartKeys(),
        v.feedStartRows(),
        max > 0 ? max : MAX_FILE_BYTES,
        names,
        job::stop);
  }

  /** Whether the inputs' keys are nowhere else with lower sequences, and no others lie between. */
  private static boolean fresh(List<SstMeta> inputs, List<SstMeta> others) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (SstMeta f : inputs) {
      if (!f.fresh()) {
        return false;
      }
      min = Math.min(min, f.minSequence());
      max = Math.max(max, f.maxSequence());
    }
    for (SstMeta f : others) {
      if (f.maxSequence() >= min && f.minSequence() <= max) {
        return false;
      }
    }
    return true;
  }

  private static long upper(List<SstMeta> files) {
    long upper = 0;
    for (SstMeta f : files) {
      upper = Math.max(upper, Math.max(f.maxSequence(), f.visibleSince()));
    }
    return upper;
  }

  private CompletableFuture<Optional<FlushOutput>> commit(
      Job job, Version before, List<HoldPoint> holds, FlushOutput output, FileNames.Taken names) {
    Region region = job.region;
    long upper = upper(job.inputs);
    List<PendingAction> pending = region.pendingUnlessTruncated(upper);
    boolean valid =
        pending != null
            && region.state() == Region.State.OPEN
            && region.disturbances() == job.disturbances
            && region.options().mergesLike(before.options())
            && region.versions().current().files().containsAll(job.inputs);
    if (pending == null || !valid) {
      parts.purger.purge(region.id(), names.taken(), () -> {});
      parts.meters.compactionsCancelled.increment();
      return CompletableFuture.completedFuture(Optional.empty());
    }
    var edit =
        new ManifestAction.Edit(
            output.files(),
            job.inputs.stream().map(SstMeta::fileId).toList(),
            0,
            0,
            output.feedStartKeys(),
            output.feedStartRows());
    List<ManifestAction> own = new ArrayList<>();
    own.add(edit);
    own.addAll(
        RangeCleaning.after(
            region,
            before.ranges(),
            holds,
            RangeCleaning.joined(pending, own),
            output.files(),
            Set.of(),
            true));
    List<String> gone = parts.manifests.edit(region, pending, own);
    count(job, output);
    LOG.debug("compacted {}: {} files into {}", region, job.inputs.size(), output.files().size());
    return swap(job, output, upper, gone);
  }

  private void count(Job job, FlushOutput output) {
    parts.meters.compactions.increment();
    parts.meters.compactionRows.add(output.rowsOut());
    job.inputs.forEach(f -> parts.meters.compactionBytesIn.add(f.bytes()));
    output.files().forEach(f -> parts.meters.compactionBytesOut.add(f.bytes()));
  }

  private CompletableFuture<Optional<FlushOutput>> swap(
      Job job, FlushOutput output, long upper, List<String> gone) {
    var done = new CompletableFuture<Optional<FlushOutput>>();
    parts.workers.run(
        job.region,
        () -> {
          try {
            job.region.compacted(job.inputs, output, upper);
            job.region.versions().retire(gone, () -> {});
            job.region.adopt(job.region.manifest().state());
            done.complete(Optional.of(output));
          } catch (RuntimeException | Error e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }
}
