package io.millrace.storage;

/**
 * Sizes and policies of the engine; all sizes in bytes, times in microseconds.
 *
 * @param walSync force before acknowledging, every interval, or never
 * @param walSyncIntervalMicros for INTERVAL
 * @param walSegmentBytes preallocated size of a log segment
 * @param writeBufferBytes memtables of all regions together: flush starts at this size
 * @param writeBufferHardBytes writes stall above
 * @param regionWriteBufferBytes flush a region at this size
 * @param reserveBytes ballast on disk that lets flush, TRUNCATE and DROP work on a full disk
 * @param pageCacheBytes decoded pages
 * @param workers region workers, a power of two
 * @param autoFlushMicros flush a region whose oldest row in memory is older
 * @param compactionJobs compactions that run together
 * @param indexCacheBytes parts of index files
 * @param compactionIoBytes a second, flushes counted; 0 = no limit
 * @param compactionMemoryBytes of all compactions together; one always runs
 */
public record EngineConfig(
    WalSync walSync,
    long walSyncIntervalMicros,
    long walSegmentBytes,
    long writeBufferBytes,
    long writeBufferHardBytes,
    long regionWriteBufferBytes,
    long reserveBytes,
    long pageCacheBytes,
    int workers,
    long autoFlushMicros,
    int compactionJobs,
    long indexCacheBytes,
    long compactionIoBytes,
    long compactionMemoryBytes) {
  private static final long INDEX_CACHE_BYTES = 128L << 20;
  private static final long COMPACTION_MEMORY = 256L << 20;

  /** Without a limit to what compactions read and write. */
  public EngineConfig(
      WalSync walSync,
      long walSyncIntervalMicros,
      long walSegmentBytes,
      long writeBufferBytes,
      long writeBufferHardBytes,
      long regionWriteBufferBytes,
      long reserveBytes,
      long pageCacheBytes,
      int workers,
      long autoFlushMicros,
      int compactionJobs,
      long indexCacheBytes) {
    this(
        walSync,
        walSyncIntervalMicros,
        walSegmentBytes,
        writeBufferBytes,
        writeBufferHardBytes,
        regionWriteBufferBytes,
        reserveBytes,
        pageCacheBytes,
        workers,
        autoFlushMicros,
        compactionJobs,
        indexCacheBytes,
        0,
        COMPACTION_MEMORY);
  }

  /** With the usual cache of index parts. */
  public EngineConfig(
      WalSync walSync,
      long walSyncIntervalMicros,
      long walSegmentBytes,
      long writeBufferBytes,
      long writeBufferHardBytes,
      long regionWriteBufferBytes,
      long reserveBytes,
      long pageCacheBytes,
      int workers,
      long autoFlushMicros,
      int compactionJobs) {
    this(
        walSync,
        walSyncIntervalMicros,
        walSegmentBytes,
        writeBufferBytes,
        writeBufferHardBytes,
        regionWriteBufferBytes,
        reserveBytes,
        pageCacheBytes,
        workers,
        autoFlushMicros,
        compactionJobs,
        INDEX_CACHE_BYTES);
  }

  /** With one compaction at a time. */
  public EngineConfig(
      WalSync walSync,
      long walSyncIntervalMicros,
      long walSegmentBytes,
      long writeBufferBytes,
      long writeBufferHardBytes,
      long regionWriteBufferBytes,
      long reserveBytes,
      long pageCacheBytes,
      int workers,
      long autoFlushMicros) {
    this(
        walSync,
        walSyncIntervalMicros,
        walSegmentBytes,
        writeBufferBytes,
        writeBufferHardBytes,
        regionWriteBufferBytes,
        reserveBytes,
        pageCacheBytes,
        workers,
        autoFlushMicros,
        1);
  }

  /** When the log is forced. */
  public enum WalSync {
    COMMIT,
    INTERVAL,
    NONE
  }

  public static final EngineConfig DEFAULT =
      new EngineConfig(
          WalSync.COMMIT,
          100_000,
          64L << 20,
          256L << 20,
          512L << 20,
          128L << 20,
          64L << 20,
          512L << 20,
          2,
          600_000_000L);
}
