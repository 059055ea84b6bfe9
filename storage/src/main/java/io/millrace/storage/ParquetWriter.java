package io.millrace.storage;

import io.millrace.common.batch.Batch;

/** Writes rows as a Parquet file. One thread at a time. */
public interface ParquetWriter extends AutoCloseable {
  void rows(Batch batch, int from, int count);

  /** Writes what is left and the footer; the stream below stays open. */
  @Override
  void close();
}
