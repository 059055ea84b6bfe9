package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.KeyRows;
import io.millrace.storage.LookupStatistics;
import io.millrace.storage.Overlay;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.sst.SstStore;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads versions of regions. One per engine: owns the page cache and the open files. Any thread;
 * whoever reads keeps the version's files alive until the scanner or feed is closed.
 */
public interface RegionReads extends AutoCloseable {
  /** Where no time passes. */
  static RegionReads create(SstStore store, EngineConfig config) {
    return create(store, config, () -> 0);
  }

  /**
   * Reads from a store.
   *
   * @param nanos a monotonic clock
   */
  static RegionReads create(SstStore store, EngineConfig config, LongSupplier nanos) {
    return new StoredReads(store, config, nanos);
  }

  /** A scan of what is visible at the sequence. */
  RegionScanner scan(Version version, long readSequence, ScanRequest request);

  /** See {@link io.millrace.storage.RegionEngine#lookup}. */
  KeyRows lookup(
      Version version,
      long readSequence,
      Batch keys,
      List<Integer> columnIds,
      @Nullable Overlay overlay);

  /**
   * What differs between the sequences.
   *
   * @param held a ROWS hold has been at {@code after} since it was the published sequence, so that
   *     the versions needed are there whatever the feed starts say
   * @throws io.millrace.common.error.MillraceException STALE_CURSOR if versions needed are gone
   */
  ChangeFeed changes(
      Version version,
      long after,
      long upTo,
      List<Integer> columnIds,
      boolean withOld,
      boolean held);

  /** What the lookups so far came to. */
  LookupStatistics lookups();

  /** Bytes of decoded pages that are kept. */
  long cachedBytes();

  /** Bytes of parts of index files that are kept. */
  long indexBytes();

  /** How often an index file could not be used. */
  long indexFailures();

  /** Forgets a file that is about to be deleted. */
  void forget(String fileId);

  @Override
  void close();
}
