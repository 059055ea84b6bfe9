package io.millrace.storage.sst.parquet.exchange;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.storage.ParquetFiles;
import io.millrace.storage.ParquetReader;
import io.millrace.storage.ParquetWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalInputFile;

/** Makes the readers and writers of the door. */
public final class Exchange {
  private Exchange() {}

  public static ParquetReader open(Path file) {
    try {
      var options =
          ParquetReadOptions.builder(new PlainParquetConfiguration())
              .withCodecFactory(new PageCodecs())
              .build();
      return new FileRows(ParquetFileReader.open(new LocalInputFile(file), options));
    } catch (MillraceException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new MillraceException(
          ErrorCode.BAD_COPY_FILE_FORMAT, "the file is not a Parquet file", e);
    }
  }

  public static ParquetWriter create(
      OutputStream out,
      List<String> names,
      List<SqlType> types,
      ParquetFiles.Compression compression) {
    CompressionCodecName codec =
        switch (compression) {
          case NONE -> CompressionCodecName.UNCOMPRESSED;
          case GZIP -> CompressionCodecName.GZIP;
          case SNAPPY -> CompressionCodecName.SNAPPY;
          case ZSTD -> CompressionCodecName.ZSTD;
        };
    try {
      return new RowFile(out, names, types, codec);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  static MillraceException damaged(Exception e) {
    return e instanceof MillraceException m
        ? m
        : new MillraceException(
            ErrorCode.BAD_COPY_FILE_FORMAT, "Parquet file cannot be read: " + e.getMessage(), e);
  }

  static MillraceException failed(IOException e) {
    return new MillraceException(
        ErrorCode.IO_ERROR, "could not write Parquet file: " + e.getMessage(), e);
  }
}
