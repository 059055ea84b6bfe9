package io.millrace.storage.flush;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.commit.LogWriter;
import io.millrace.storage.commit.Publisher;
import io.millrace.storage.commit.SnapshotClock;
import io.millrace.storage.commit.WriteBuffer;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.memtable.Memtable;
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.meter.IoBudget;
import io.millrace.storage.purge.FilePurger;
import io.millrace.storage.read.FlushInput;
import io.millrace.storage.read.FlushOutput;
import io.millrace.storage.read.SstFold;
import io.millrace.storage.read.Version;
import io.millrace.storage.region.PendingAction;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.Slot;
import io.millrace.storage.sst.RangeMark;
import io.millrace.storage.worker.WorkerGroup;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * From memory to files.
 *
 *   worker      freezes the active memtable
 *   publisher   everything frozen is published, hence (sync mode apart) in the log
 *   log         forced, so that files never know more than the log of a commit over several regions
 *   chain       fold and write the files under the holds of this moment; one manifest edit names
 *               the files and the log position up to which they tell everything
 *   worker      the new version; the memtables' bytes are given back; the log is trimmed
 *
 * One flush of a region at a time (its chain); a second one finds what has been frozen since. A
 * truncate that overtakes a flush makes it futile: what it wrote is deleted. If the manifest cannot
 * be written the files stay until the next start: the failed edit may be there all the same.
 */
public final class Flusher {
  private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);
  private static final long MAX_FILE_BYTES = 512L << 20;

  /** What it works with. */
  public record Parts(
      WorkerGroup workers,
      Publisher publisher,
      SnapshotClock clock,
      LogWriter log,
      WriteBuffer buffer,
      SstFold fold,
      ManifestEditor manifests,
      Ballast ballast,
      FilePurger purger,
      AtomicBoolean gateOpen,
      boolean forceFirst,
      FileNames names,
      Consumer<Region> flushed,
      Runnable trim,
      EngineMeters meters,
      IoBudget budget) {}

  private final Parts parts;

  public Flusher(Parts parts) {
    this.parts = parts;
  }

  /** Flushes what is in memory now; completes with the rows written, when the manifest has them. */
  public CompletableFuture<Long> flush(Region region, String reason) {
    MillraceException poison = parts.log.poison();
    if (poison != null) {
      return CompletableFuture.failedFuture(poison);
    }
    var frozen = new CompletableFuture<Long>();
    parts.workers.run(
        region,
        () -> {
          region.freeze();
          long position = 0;
          for (Slot s : region.frozenSlots()) {
            position = Math.max(position, s.lastPosition());
          }
          frozen.complete(position);
        });
    return frozen
        .thenCompose(parts.publisher::whenPublished)
        .thenCompose(
            _ -> parts.forceFirst ? parts.log.force() : CompletableFuture.completedFuture(null))
        .thenCompose(_ -> region.chain().submit(() -> write(region, reason)))
        .whenComplete((_, e) -> ended(region, e));
  }

  private void ended(Region region, @Nullable Throwable error) {
    Throwable cause = error == null ? null : error.getCause() == null ? error : error.getCause();
    if (cause != null) {
      LOG.warn("could not flush {}: {}", region, cause.toString());
    }
    parts.buffer.flushEnded(cause);
    if (cause != null) {
      parts.meters.flushFailures.increment();
    }
    if (cause == null) {
      parts.trim.run();
      parts.flushed.accept(region);
    }
  }

  private CompletableFuture<Long> write(Region region, String reason) {
    var slots = new ArrayList<Slot>();
    long published = parts.clock.published();
    for (Slot s : region.frozenSlots()) {
      if (s.lastPosition() > published) {
        break;
      }
      slots.add(s);
    }
    if (slots.isEmpty() || region.state() == Region.State.DROPPED) {
      if (region.state() != Region.State.DROPPED) {
        parts.manifests.settle(region);
      }
      return CompletableFuture.completedFuture(0L);
    }
    return write(region, reason, slots);
  }

  private CompletableFuture<Long> write(Region region, String reason, List<Slot> slots) {
    long upper = 0;
    long position = 0;
    var memtables = new ArrayList<Memtable>(slots.size());
    for (Slot s : slots) {
      upper = Math.max(upper, s.lastSequence());
      position = Math.max(position, s.lastPosition());
      memtables.add(s.memtable());
    }
    Collections.reverse(memtables);
    Version v = region.versions().current();
    FileNames.Taken names = parts.names.of(region.id(), v.incarnation());
    var input =
        new FlushInput(
            region.id(),
            v.schema(),
            v.options(),
            memtables,
            upper,
            region.holds().points(),
            !parts.gateOpen.get(),
            v.files(),
            v.ranges().stream().map(RangeMark::rectangle).toList(),
            v.feedStartKeys(),
            v.feedStartRows(),
            region.expiredBelow(),
            names.run(),
            MAX_FILE_BYTES,
            names);
    boolean wanted = false;
    FlushOutput output;
    List<PendingAction> pending;
    try {
      output =
          parts.ballast.spend(
              () -> parts.budget.flush(() -> parts.fold.flush(input), parts.meters.flushNanos));
      pending = region.pendingUnlessTruncated(upper);
      wanted = pending != null;
    } finally {
      if (!wanted) {
        parts.purger.purge(region.id(), names.taken(), () -> {});
      }
    }
    if (pending == null) {
      parts.manifests.settle(region);
      return CompletableFuture.completedFuture(0L);
    }
    List<ManifestAction> own = new ArrayList<>(actions(region, output, upper, position));
    own.addAll(
        RangeCleaning.after(
            region,
            input.keepAll() ? List.of() : v.ranges(),
            input.holds(),
            RangeCleaning.joined(pending, own),
            output.files(),
            memtables,
            parts.gateOpen.get()));
    parts.manifests.commit(region, pending, own);
    LOG.debug("flushed {} ({}): {} rows", region, reason, output.rowsOut());
    parts.meters.flushed(reason);
    parts.meters.flushRows.add(output.rowsOut());
    output.files().forEach(f -> parts.meters.flushBytes.add(f.bytes()));
    return swap(region, slots, output, upper);
  }

  private List<ManifestAction> actions(
      Region region, FlushOutput output, long upper, long position) {
    var out = new ArrayList<ManifestAction>();
    out.add(
        new ManifestAction.Edit(
            output.files(),
            List.of(),
            upper,
            position,
            output.feedStartKeys(),
            output.feedStartRows()));
    long forget = region.holds().least(upper);
    for (RegionEvent e : region.manifest().state().events()) {
      if (parts.gateOpen.get() && e.sequence() <= forget) {
        out.add(new ManifestAction.ForgetEvents(forget));
        break;
      }
    }
    return out;
  }

  private CompletableFuture<Long> swap(
      Region region, List<Slot> slots, FlushOutput output, long upper) {
    var done = new CompletableFuture<Long>();
    parts.workers.run(
        region,
        () -> {
          try {
            if (region.flushed(slots, output, upper)) {
              long free = 0;
              for (Slot s : slots) {
                free += s.reserved();
              }
              parts.buffer.give(free);
            }
            region.adopt(region.manifest().state());
            done.complete(output.rowsOut());
          } catch (RuntimeException | Error e) {
            done.completeExceptionally(
                new MillraceException(ErrorCode.INTERNAL_ERROR, "flush of " + region, e));
          }
        });
    return done;
  }
}
