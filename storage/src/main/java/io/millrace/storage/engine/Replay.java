package io.millrace.storage.engine;

import io.millrace.common.time.Clock;
import io.millrace.storage.EngineEnvironment;
import io.millrace.storage.meter.EngineMeters;
import io.millrace.storage.wal.LogPart;
import io.millrace.storage.wal.LogRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Brings the log's records into the regions, several regions at a time.
 *
 * One thread reads the log, checks it and judges its end; what is good goes to lanes, chosen by
 * region, which decode and apply. Parts of one region stay in order; between regions there is no
 * order to keep, for nobody reads yet. So much and no more waits in a lane: a log that is read
 * faster than it is applied does not fill the memory. Between two records a lane may write what it
 * has to files ({@link ReplayMemory}).
 *
 * Threads: accept and finish by the reader; the lanes on the background executor.
 */
final class Replay {
  private static final Logger LOG = LoggerFactory.getLogger(Replay.class);
  private static final long BATCH_BYTES = 1 << 20;
  private static final int MAX_WAITING = 4;
  private static final long REPORT_NANOS = 1_000_000_000L;

  /** Brings parts into their regions, lane by lane. */
  interface Applier {
    void apply(int lane, LogPart part, long position);

    /** All of the lane's parts of a record are applied. */
    void recordEnded(int lane);
  }

  private record Item(LogPart part, long position) {}

  private static final class Lane {
    private final int index;
    private List<Item> gathered = new ArrayList<>();
    private long bytes;
    private final Deque<CompletableFuture<Void>> waiting = new ArrayDeque<>();
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    Lane(int index) {
      this.index = index;
    }
  }

  private final EngineEnvironment environment;
  private final EngineMeters meters;
  private final Applier applier;
  private final List<Lane> lanes = new ArrayList<>();
  private final long begun;
  private long reportAt;
  private long records;
  private long bytes;

  Replay(EngineEnvironment environment, EngineMeters meters, int lanes, Applier applier) {
    this.environment = environment;
    this.meters = meters;
    this.applier = applier;
    for (int i = 0; i < lanes; i++) {
      this.lanes.add(new Lane(i));
    }
    this.begun = environment.clock().monotonicNanos();
    this.reportAt = begun + REPORT_NANOS;
  }

  void accept(LogRecord record) {
    records++;
    for (LogPart p : record.parts()) {
      bytes += p.payloadSize();
      Lane lane =
          lanes.get(
              Math.floorMod(Long.hashCode(p.region().value() * 0x9E3779B97F4A7C15L), lanes.size()));
      lane.gathered.add(new Item(p, record.position()));
      lane.bytes += p.payloadSize() + LogPart.HEADER;
    }
    for (Lane lane : lanes) { // whole records only
      if (lane.bytes >= BATCH_BYTES) {
        send(lane);
      }
    }
    Clock clock = environment.clock();
    if (clock.monotonicNanos() >= reportAt) {
      reportAt = clock.monotonicNanos() + REPORT_NANOS;
      LOG.info(
          "reading the log: {} records, {} MiB, position {}",
          records,
          bytes >> 20,
          record.position());
    }
  }

  private void send(Lane lane) {
    List<Item> items = lane.gathered;
    lane.gathered = new ArrayList<>();
    lane.bytes = 0;
    lane.last = lane.last.thenRunAsync(() -> apply(lane.index, items), environment.background());
    lane.waiting.addLast(lane.last);
    if (lane.waiting.size() > MAX_WAITING) {
      environment.await(lane.waiting.removeFirst());
    }
  }

  private void apply(int lane, List<Item> items) {
    for (int i = 0; i < items.size(); i++) {
      Item item = items.get(i);
      applier.apply(lane, item.part, item.position);
      if (i + 1 == items.size() || items.get(i + 1).position != item.position) {
        applier.recordEnded(lane);
      }
    }
  }

  /** Completes when all is applied; throws what applying has thrown. */
  void finish() {
    for (Lane lane : lanes) {
      if (!lane.gathered.isEmpty()) {
        send(lane);
      }
    }
    for (Lane lane : lanes) {
      environment.await(lane.last);
    }
    meters.replayRecords.add(records);
    meters.replayBytes.add(bytes);
    meters.replayNanos.add(environment.clock().monotonicNanos() - begun);
  }

  long records() {
    return records;
  }

  long bytes() {
    return bytes;
  }
}
