package io.millrace.storage;

/** A planned scan: pruned, split into partitions that may be read by different threads. */
public interface RegionScanner extends AutoCloseable {
  int partitions();

  PartitionReader open(int partition);

  /** What was pruned and read so far. */
  ScanStatistics statistics();

  @Override
  void close();
}
