package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.RangedBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Batches of the columns asked for; an empty one after fruitless work; null at the end. */
interface RowStream {
  Batch NOTHING = new Batch(List.of(), 0);

  @Nullable Batch next();

  /** The same rows, left where they stand if that spares a copy. */
  default @Nullable RangedBatch nextRanges() {
    Batch b = next();
    return b == null ? null : RangedBatch.whole(b);
  }
}
