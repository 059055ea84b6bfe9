package io.millrace.storage;

import io.millrace.common.id.RegionId;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores regions: durable, versioned, sorted rows. Writes are commits over any number of regions;
 * reads are scans of a {@link Snapshot}, one consistent cut over regions.
 *
 * <p>Threads: every method may be called from any thread and none waits for I/O but {@link
 * PartitionReader#next} and {@link ChangeFeed#next} (bounded local reads). Futures are completed on
 * the engine's own threads: what depends on them must be short or be handed to an executor.
 *
 * <p>Errors are {@link io.millrace.common.error.MillraceException}s: REGION_NOT_FOUND,
 * REGION_NOT_READY, REGION_BUSY, STALE_CURSOR, PRECONDITION_FAILED, DISK_FULL, IO_ERROR,
 * DATA_CORRUPTED, OUT_OF_MEMORY.
 */
public interface RegionEngine extends AutoCloseable {
  /**
   * Creates, opens, closes, drops, alters, flushes, truncates; idempotent where the result allows.
   */
  CompletableFuture<RegionResponse> request(RegionRequest request);

  /**
   * Commits the group: one log record; completes when it is durable and visible. Wholly or not at
   * all. Waits inside (parked, not blocking a thread) while back-pressure lasts, bounded.
   */
  CompletableFuture<CommitResult> commit(WriteGroup group);

  /**
   * Writes rows of one region ahead of their commit, in order. They must bring their whole key.
   * Completes when they are in a file; nothing is visible or logged before the commit.
   */
  CompletableFuture<StagedRows> stage(RegionId region, List<RegionWrite> writes);

  /** Gives staged rows up that no commit got. */
  void discard(StagedRows staged);

  /**
   * Runs the work while nothing is committed to the regions, which can be read meanwhile. If it
   * succeeds they are closed: commits that waited, and all later ones, fail with REGION_NOT_READY.
   * If it fails they go on as they were.
   */
  <T> CompletableFuture<T> retire(
      Collection<RegionId> regions, Supplier<CompletableFuture<T>> work);

  /** One consistent cut over the regions: every commit wholly or not at all. Close it. */
  Snapshot snapshot(Collection<RegionId> regions);

  /** A scan of one region of the snapshot. The snapshot must stay open while it is read. */
  RegionScanner scan(Snapshot snapshot, ScanRequest request);

  /**
   * The rows of given keys.
   *
   * @param keys tag columns in key order, then the time index; need not be sorted
   * @param overlay rows on top, or null
   * @return columns as asked, and which keys exist; row i answers key i
   */
  KeyRows lookup(
      Snapshot snapshot,
      RegionId region,
      io.millrace.common.batch.Batch keys,
      List<Integer> columnIds,
      @Nullable Overlay overlay);

  /**
   * The change feed: what differs between sequence {@code after} and the snapshot, per key.
   *
   * @param withOld also give the row visible at {@code after}
   * @throws io.millrace.common.error.MillraceException STALE_CURSOR if versions needed are gone
   */
  ChangeFeed changes(
      Snapshot snapshot, RegionId region, long after, List<Integer> columnIds, boolean withOld);

  /** Places a hold at the sequence published now: versions needed for changes above it are kept. */
  Hold hold(RegionId region, String owner, HoldKind kind);

  /** A snapshot and holds at exactly its sequences, taken in one moment. */
  HeldSnapshot holdSnapshot(Collection<RegionId> regions, String owner, HoldKind kind);

  /** Makes a hold again at start, before {@link #openGate}. */
  Hold restoreHold(RegionId region, String owner, HoldKind kind, long sequence);

  /** Until called after start, flush keeps all versions and compaction does not run. */
  void openGate();

  /** The key locks of UPDATE, DELETE, ON CONFLICT and unique inserts. */
  KeyLocks locks();

  /** What is known of a region; throws REGION_NOT_FOUND. */
  RegionInfo info(RegionId region);

  /** The region's files by age, as its manifest names them; throws REGION_NOT_FOUND. */
  List<SstInfo> files(RegionId region);

  /** The indexes of the region's files; throws REGION_NOT_FOUND. */
  List<IndexInfo> indexes(RegionId region);

  List<RegionId> regions();

  /** What the lookups of keys, those of change feeds too, came to so far. */
  LookupStatistics lookups();

  /**
   * Opens regions, several at a time. Each has its own result: one that is damaged harms no other.
   *
   * @return in the order asked for
   */
  CompletableFuture<List<OpenResult>> open(List<RegionRequest.Open> requests, int parallelism);

  /** Figures of a region; throws REGION_NOT_FOUND. */
  RegionStatistics statistics(RegionId region);

  /** What the region may do here; throws REGION_NOT_FOUND. */
  RegionRole role(RegionId region);

  /** Largest published sequence; throws REGION_NOT_FOUND. */
  long committedSequence(RegionId region);

  /** The files in all regions' folders, whether a manifest names them or not. Lists the folders. */
  List<StoredSst> storedFiles();

  /** Which files are needed, and by what. */
  FileReferences fileReferences(Collection<RegionId> regions);

  /**
   * Removes files in regions' folders that no manifest, reader, staged commit or running job knows
   * and that are older than the grace time, and what is left of dropped regions.
   */
  CompletableFuture<GarbageReport> collectGarbage(long graceMicros);

  /** What the engine counts of itself. */
  EngineFigures figures();

  /** Stops: finishes the log group in flight, closes regions (no flush), releases the directory. */
  @Override
  void close();
}
