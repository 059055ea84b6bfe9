package io.millrace.storage;

import io.millrace.common.batch.Batch;
import io.millrace.common.type.SqlType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of a Parquet file, whoever wrote it. One thread at a time. A file that is none, or
 * that is damaged, is BAD_COPY_FILE_FORMAT.
 */
public interface ParquetReader extends AutoCloseable {
  List<String> names();

  List<SqlType> types();

  /** The next rows, at most so many; null after the last. */
  @Nullable Batch next(int rows);

  @Override
  void close();
}
