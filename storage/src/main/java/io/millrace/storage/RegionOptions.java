package io.millrace.storage;

import org.jspecify.annotations.Nullable;

/**
 * How a region treats its rows.
 *
 * @param keyMode where the time index comes from
 * @param appendMode nothing is merged, duplicates stay, deletes are refused
 * @param mergeMode how versions of a key merge
 * @param ttlMicros rows older than this may be dropped when files are written; 0 = kept for ever
 * @param skipWal writes are not logged: lost on a crash unless flushed
 * @param writeBufferBytes flush at this size; 0 = the engine's default
 * @param compaction how files are merged
 * @param index which indexes files get
 * @param files when files are written, and their parts
 */
public record RegionOptions(
    KeyMode keyMode,
    boolean appendMode,
    MergeMode mergeMode,
    long ttlMicros,
    boolean skipWal,
    long writeBufferBytes,
    CompactionOptions compaction,
    IndexOptions index,
    FileOptions files) {

  /** Without the last three where an older catalog entry has none. */
  public RegionOptions(
      KeyMode keyMode,
      boolean appendMode,
      MergeMode mergeMode,
      long ttlMicros,
      boolean skipWal,
      long writeBufferBytes,
      @Nullable CompactionOptions compaction,
      @Nullable IndexOptions index,
      @Nullable FileOptions files) {
    this.keyMode = keyMode;
    this.appendMode = appendMode;
    this.mergeMode = mergeMode;
    this.ttlMicros = ttlMicros;
    this.skipWal = skipWal;
    this.writeBufferBytes = writeBufferBytes;
    this.compaction = compaction == null ? CompactionOptions.DEFAULT : compaction;
    this.index = index == null ? IndexOptions.DEFAULT : index;
    this.files = files == null ? FileOptions.DEFAULT : files;
  }

  /** With the ordinary indexes. */
  public RegionOptions(
      KeyMode keyMode,
      boolean appendMode,
      MergeMode mergeMode,
      long ttlMicros,
      boolean skipWal,
      long writeBufferBytes,
      CompactionOptions compaction) {
    this(
        keyMode,
        appendMode,
        mergeMode,
        ttlMicros,
        skipWal,
        writeBufferBytes,
        compaction,
        IndexOptions.DEFAULT,
        FileOptions.DEFAULT);
  }

  /** With the ordinary compaction and indexes. */
  public RegionOptions(
      KeyMode keyMode,
      boolean appendMode,
      MergeMode mergeMode,
      long ttlMicros,
      boolean skipWal,
      long writeBufferBytes) {
    this(
        keyMode,
        appendMode,
        mergeMode,
        ttlMicros,
        skipWal,
        writeBufferBytes,
        CompactionOptions.DEFAULT);
  }

  public RegionOptions withKeyMode(KeyMode mode) {
    return new RegionOptions(
        mode,
        appendMode,
        mergeMode,
        ttlMicros,
        skipWal,
        writeBufferBytes,
        compaction,
        index,
        files);
  }

  public RegionOptions withSkipWal(boolean skip) {
    return new RegionOptions(
        keyMode,
        appendMode,
        mergeMode,
        ttlMicros,
        skip,
        writeBufferBytes,
        compaction,
        index,
        files);
  }

  public RegionOptions withIndex(IndexOptions next) {
    return new RegionOptions(
        keyMode,
        appendMode,
        mergeMode,
        ttlMicros,
        skipWal,
        writeBufferBytes,
        compaction,
        next,
        files);
  }

  public RegionOptions withFiles(FileOptions next) {
    return new RegionOptions(
        keyMode,
        appendMode,
        mergeMode,
        ttlMicros,
        skipWal,
        writeBufferBytes,
        compaction,
        index,
        next);
  }

  /** Whether rows written under the other options are merged as under these. */
  public boolean mergesLike(RegionOptions other) {
    return keyMode == other.keyMode
        && appendMode == other.appendMode
        && mergeMode == other.mergeMode;
  }

  /** Where the last part of the key comes from. */
  public enum KeyMode {
    /** A column of the user's. */
    TIME_INDEX,
    /** Hidden {@code __rowid}, always 0: the tags alone are the key. */
    UNIQUE_KEY,
    /**
     * Hidden {@code __rowid}, assigned at admission when the batch lacks it, strictly increasing.
     */
    ROW_ID
  }

  /** How versions of a key merge. */
  public enum MergeMode {
    LAST_ROW,
    LAST_NON_NULL
  }

  public static final RegionOptions DEFAULT =
      new RegionOptions(KeyMode.TIME_INDEX, false, MergeMode.LAST_ROW, 0, false, 0);
}
