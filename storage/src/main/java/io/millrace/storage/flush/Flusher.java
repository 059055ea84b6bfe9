package io.millrace.storage.flush;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.commit.LogWriter;
import io.millrace.storage.commit.Publisher;
import io.millrace.storage.commit.SnapshotClock;
import io.millrace.storage.commit.WriteBuffer;
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.read.FlushOutput;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.Slot;
import io.millrace.storage.worker.WorkerGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
 * One flush of a region at a time (its chain); a second one finds what has been frozen since.
 */
public final class Flusher {
  private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

  /** What it works with. */
  public record Parts(
      WorkerGroup workers,
      Publisher publisher,
      SnapshotClock clock,
      LogWriter log,
      WriteBuffer buffer,
      SlotWriter writer,
      ManifestEditor manifests,
      boolean forceFirst,
      Consumer<Region> flushed,
      Runnable trim,
      EngineMeters meters) {}

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
    FlushOutput output = parts.writer.write(region, slots, reason);
    if (output == null) {
      return CompletableFuture.completedFuture(0L);
    }
    return swap(region, slots, output);
  }

  private CompletableFuture<Long> swap(Region region, List<Slot> slots, FlushOutput output) {
    var done = new CompletableFuture<Long>();
    parts.workers.run(
        region,
        () -> {
          try {
            if (region.flushed(slots, output, SlotWriter.upper(slots))) {
              parts.buffer.give(SlotWriter.reserved(slots));
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
