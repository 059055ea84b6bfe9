package io.millrace.storage.engine;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.RangedBatch;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanStatistics;
import io.millrace.storage.meter.IoBudget;
import org.jspecify.annotations.Nullable;

/**
 * A scanner whose readers are known to the budget while they work: compactions give way to them.
 */
record CountedScanner(RegionScanner scanner, IoBudget budget) implements RegionScanner {
  @Override
  public int partitions() {
    return scanner.partitions();
  }

  @Override
  public PartitionReader open(int partition) {
    PartitionReader reader = scanner.open(partition);
    return new PartitionReader() {
      @Override
      public @Nullable Batch next() {
        budget.readBegins();
        try {
          return reader.next();
        } finally {
          budget.readEnds();
        }
      }

      @Override
      public @Nullable RangedBatch nextRanges() {
        budget.readBegins();
        try {
          return reader.nextRanges();
        } finally {
          budget.readEnds();
        }
      }

      @Override
      public void close() {
        reader.close();
      }
    };
  }

  @Override
  public ScanStatistics statistics() {
    return scanner.statistics();
  }

  @Override
  public void close() {
    scanner.close();
  }
}
