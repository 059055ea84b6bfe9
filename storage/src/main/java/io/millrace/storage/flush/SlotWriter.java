package io.millrace.storage.flush;

import io.millrace.storage.RegionEvent;
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
import io.millrace.storage.sst.Expiry;
import io.millrace.storage.sst.RangeMark;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Writes frozen slots of a region to files and names them in its manifest: folded under the holds of
 * this moment, one edit with the files and the log position up to which they tell everything.
 *
 * A truncate that overtakes this makes it futile: what was written is deleted. If the manifest cannot
 * be written the files stay until the next start: the failed edit may be there all the same.
 */
public final class SlotWriter {
  private static final Logger LOG = LoggerFactory.getLogger(SlotWriter.class);
  private static final long MAX_FILE_BYTES = 512L << 20;

  /** What it works with. */
  public record Parts(
      SstFold fold,
      ManifestEditor manifests,
      Ballast ballast,
      FilePurger purger,
      AtomicBoolean gateOpen,
      FileNames names,
      EngineMeters meters,
      IoBudget budget) {}

  private final Parts parts;

  public SlotWriter(Parts parts) {
    this.parts = parts;
  }

  /** The largest sequence in the slots. */
  public static long upper(List<Slot> slots) {
    long upper = 0;
    for (Slot s : slots) {
      upper = Math.max(upper, s.lastSequence());
    }
    return upper;
  }

  /** Bytes of the write buffer that the slots took. */
  public static long reserved(List<Slot> slots) {
    long n = 0;
    for (Slot s : slots) {
      n += s.reserved();
    }
    return n;
  }

  /**
   * Writes the slots, the oldest of the region; null if a truncate took them all. Nobody else
   * commits to the region's manifest meanwhile.
   */
  public @Nullable FlushOutput write(Region region, List<Slot> slots, String reason) {
    long upper = upper(slots);
    Version v = region.versions().current();
    FileNames.Taken names = parts.names.of(region.id(), v.incarnation());
    FlushInput input = input(region, v, slots, names);
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
      return null;
    }
    commit(region, v, input, output, pending, slots);
    LOG.debug("flushed {} ({}): {} rows", region, reason, output.rowsOut());
    parts.meters.flushed(reason);
    parts.meters.flushRows.add(output.rowsOut());
    output.files().forEach(f -> parts.meters.flushBytes.add(f.bytes()));
    return output;
  }

  private FlushInput input(Region region, Version v, List<Slot> slots, FileNames.Taken names) {
    var memtables = new ArrayList<Memtable>(slots.size());
    for (Slot s : slots) {
      memtables.add(s.memtable());
    }
    Collections.reverse(memtables);
    long from = memtables.stream().mapToLong(Memtable::minTime).min().orElse(Long.MAX_VALUE);
    return new FlushInput(
        region.id(),
        v.schema(),
        v.options(),
        memtables,
        upper(slots),
        region.holds().points(),
        !parts.gateOpen.get(),
        v.files(),
        v.ranges().stream().map(RangeMark::rectangle).toList(),
        v.feedStartKeys(),
        v.feedStartRows(),
        Expiry.bound(region.expiredBelow(), from, v.files()),
        names.run(),
        MAX_FILE_BYTES,
        names);
  }

  private void commit(
      Region region,
      Version v,
      FlushInput input,
      FlushOutput output,
      List<PendingAction> pending,
      List<Slot> slots) {
    long position = 0;
    for (Slot s : slots) {
      position = Math.max(position, s.lastPosition());
    }
    List<ManifestAction> own =
        new ArrayList<>(actions(region, output, input.upperSequence(), position));
    own.addAll(
        RangeCleaning.after(
            region,
            input.keepAll() ? List.of() : v.ranges(),
            input.holds(),
            RangeCleaning.joined(pending, own),
            output.files(),
            input.memtables(),
            parts.gateOpen.get()));
    parts.manifests.commit(region, pending, own);
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
}
