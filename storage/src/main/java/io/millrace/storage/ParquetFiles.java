package io.millrace.storage;

import io.millrace.common.type.SqlType;
import io.millrace.storage.sst.parquet.exchange.Exchange;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

/** Opens and makes Parquet files that are exchanged with other programs. */
public final class ParquetFiles {
  /** How the pages of a file are compressed. */
  public enum Compression {
    NONE,
    GZIP,
    SNAPPY,
    ZSTD
  }

  private ParquetFiles() {}

  /**
   * Opens a file. Columns have the types that are nearest to the file's: instants adjusted to UTC
   * are timestamptz, lists arrays. A column of another nested type is FEATURE_NOT_SUPPORTED.
   */
  public static ParquetReader open(Path file) {
    return Exchange.open(file);
  }

  /**
   * Begins a file. Types that Parquet has not (intervals, ranges, arrays, numerics without a
   * precision) go as texts.
   */
  public static ParquetWriter create(
      OutputStream out, List<String> names, List<SqlType> types, Compression compression) {
    return Exchange.create(out, names, types, compression);
  }
}
