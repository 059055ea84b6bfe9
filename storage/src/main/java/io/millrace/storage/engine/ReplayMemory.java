package io.millrace.storage.engine;

import io.millrace.common.error.MillraceException;
import io.millrace.storage.commit.WriteBuffer;
import io.millrace.storage.flush.SlotWriter;
import io.millrace.storage.manifest.ManifestAction;
import io.millrace.storage.read.FlushOutput;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.Slot;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Keeps the rows that a replay brings within the write buffer, however long the log is.
 *
 * Each lane has an equal share of the buffer. A lane that is over its share after a record writes
 * its largest region to files until it no longer is; nobody else touches its regions. Meanwhile its
 * queue fills, and the reader waits.
 *
 * Why this is safe: what the reader gives is durable, so that files never know more than the log of
 * a commit over several regions; and files are written between two records, since a manifest that
 * says "everything up to this position" must not say so of half a commit. A crash in between costs
 * nothing: the next replay goes on behind what the manifests tell. File names must be new ones, so
 * before its first file in a replay a region gets a new incarnation.
 *
 * If writing fails, on a full disk say, the replay goes on in memory as far as that reaches, and
 * tries again when another share has come.
 *
 * Threads: every lane its own, one call at a time.
 */
final class ReplayMemory {
  private static final Logger LOG = LoggerFactory.getLogger(ReplayMemory.class);

  private static final class Share {
    private final Set<Region> regions = new LinkedHashSet<>();
    private final Set<Region> begun = new LinkedHashSet<>();
    private long bytes;
    private long limit;
  }

  private final WriteBuffer buffer;
  private final SlotWriter writer;
  private final List<Share> shares = new ArrayList<>();
  private final long limit;

  ReplayMemory(WriteBuffer buffer, long bytes, int lanes, SlotWriter writer) {
    this.buffer = buffer;
    this.writer = writer;
    this.limit = bytes / lanes;
    for (int i = 0; i < lanes; i++) {
      var share = new Share();
      share.limit = limit;
      shares.add(share);
    }
  }

  /** Rows have come. */
  void take(int lane, Region region, long bytes) {
    buffer.take(bytes);
    Share share = shares.get(lane);
    share.regions.add(region);
    share.bytes += bytes;
  }

  /** Rows have gone again. */
  void give(int lane, long bytes) {
    buffer.give(bytes);
    shares.get(lane).bytes -= bytes;
  }

  /** All of the lane's parts of a record are in memory. */
  void recordEnded(int lane) {
    Share share = shares.get(lane);
    while (share.bytes > share.limit) {
      Region largest = largest(share);
      if (largest == null) {
        return;
      }
      try {
        give(lane, flush(share, largest));
        share.limit = limit;
      } catch (MillraceException e) {
        LOG.warn("could not flush {} while the log is read: {}", largest, e.message());
        share.limit = share.bytes + limit;
      }
    }
  }

  private static @Nullable Region largest(Share share) {
    Region largest = null;
    long most = 0;
    for (Region r : share.regions) {
      long n = r.reserved();
      if (n > most) {
        most = n;
        largest = r;
      }
    }
    return largest;
  }

  /** Returns the bytes that have become free. */
  private long flush(Share share, Region region) {
    if (!share.begun.contains(region)) {
      long next = region.manifest().state().incarnation() + 1;
      region.manifest().commit(List.of(new ManifestAction.Incarnation(next, region.committed())));
      region.adopt(region.manifest().state());
      share.begun.add(region);
    }
    region.freeze();
    List<Slot> slots = region.frozenSlots();
    FlushOutput output = writer.write(region, slots, "replay");
    if (output == null || !region.flushed(slots, output, SlotWriter.upper(slots))) {
      throw new IllegalStateException(region + " was truncated while the log is read");
    }
    region.adopt(region.manifest().state());
    return SlotWriter.reserved(slots);
  }
}
