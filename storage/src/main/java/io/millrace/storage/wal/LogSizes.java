package io.millrace.storage.wal;

import io.millrace.storage.EngineConfig;

/**
 * How much of the disk the log takes. On a small file system less than is configured, so that rows
 * find room beside it: a segment takes at most a 32nd of it, the reserve a 16th, and from a quarter
 * on regions are flushed so that the log can be trimmed.
 *
 * @param segment bytes of a segment
 * @param reserve bytes of the ballast
 * @param limit bytes of the whole log from which on who needs its oldest segment is flushed
 */
public record LogSizes(long segment, long reserve, long limit) {
  private static final long LEAST_SEGMENT = 1 << 20;

  /** As configured, or smaller on a file system of so many bytes. */
  public static LogSizes fitting(EngineConfig config, long totalSpace) {
    long segment =
        Math.min(config.walSegmentBytes(), Math.max(LEAST_SEGMENT, totalSpace / 32 & -4096L));
    long reserve = Math.min(config.reserveBytes(), totalSpace / 16 & -4096L);
    long limit = Math.max(8 * segment, 2 * config.writeBufferBytes());
    return new LogSizes(segment, reserve, Math.min(limit, Math.max(4 * segment, totalSpace / 4)));
  }
}
