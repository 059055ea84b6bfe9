package io.millrace.storage;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.RangedBatch;
import org.jspecify.annotations.Nullable;

/** Reads one partition; owned by one thread at a time. */
public interface PartitionReader extends AutoCloseable {
  /**
   * The next rows, at most 16,384; an empty batch when a bounded amount of work (about 10 ms) gave
   * none yet; null at the end.
   */
  @Nullable Batch next();

  /**
   * As {@link #next}, with rows left where they stand among others if that spares a copy: for
   * readers that go by ranges.
   */
  default @Nullable RangedBatch nextRanges() {
    Batch b = next();
    return b == null ? null : RangedBatch.whole(b);
  }

  @Override
  void close();
}
