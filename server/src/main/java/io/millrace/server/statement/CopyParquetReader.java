package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.storage.ParquetReader;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The rows of a Parquet file. */
final class CopyParquetReader implements CopySource {
  private final CopyRows rows;
  private final ParquetReader reader;

  CopyParquetReader(CopyRows rows, ParquetReader reader) {
    this.rows = rows;
    this.reader = reader;
  }

  @Override
  public @Nullable CompletableFuture<?> give() {
    Batch b = reader.next(Batch.ROWS);
    return b == null ? null : rows.rows(b);
  }

  @Override
  public CompletableFuture<?> rest() {
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public void close() {
    reader.close();
  }
}
