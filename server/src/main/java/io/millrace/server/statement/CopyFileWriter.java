package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.copy.CopyWriter;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.storage.ParquetFiles;
import io.millrace.storage.ParquetWriter;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a running query as a file. They go to a file of another name beside it, which takes the
 * wanted name once all is on the disk: a statement that fails leaves whatever was there before.
 *
 * <p>The query's threads write, as they do when they spill; the statement ends the file.
 */
final class CopyFileWriter implements QueryEngine.ResultSink {
  private static final int BUFFER = 1 << 18;

  private final String name;
  private final Path file;
  private final Path draft;

  private final Form form;
  private final @Nullable ParquetWriter parquet;
  private final FileChannel channel;
  private final OutputStream stream;
  private final ByteSink bytes = new ByteSink(64 << 10);
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private volatile Consumer<MillraceException> cancel = e -> {};
  private @Nullable MillraceException failure;
  private long rows;

  /** What rows become. */
  sealed interface Form {}

  /** The rows are texts, one a line. */
  record Lines() implements Form {}

  record Rows(CopyWriter writer) implements Form {}

  record Parquet(List<String> names, List<SqlType> types) implements Form {}

  CopyFileWriter(CopyFile copy, Path file, String id, Form form) {
    this.name = copy.name();
    this.file = file;
    this.form = form;
    draft = file.resolveSibling("." + file.getFileName() + "." + id + ".tmp");
    try {
      channel =
          FileChannel.open(
              draft,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
      var plain = new BufferedOutputStream(new Open(channel), BUFFER);
      stream = form instanceof Parquet ? plain : copy.compression().writing(plain);
      parquet =
          form instanceof Parquet p
              ? ParquetFiles.create(plain, p.names(), p.types(), pages(copy.compression()))
              : null;
      if (form instanceof Rows r) {
        r.writer().begin(bytes);
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static ParquetFiles.Compression pages(CopyFile.Compression c) {
    return switch (c) {
      case NONE, XZ -> ParquetFiles.Compression.NONE;
      case GZIP -> ParquetFiles.Compression.GZIP;
      case SNAPPY -> ParquetFiles.Compression.SNAPPY;
      case ZSTD -> ParquetFiles.Compression.ZSTD;
    };
  }

  /** Stays open when what is written through it ends, for the file is not on the disk then. */
  private static final class Open extends FilterOutputStream {
    Open(FileChannel channel) {
      super(Channels.newOutputStream(channel));
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      out.write(b, off, len);
    }

    @Override
    public void close() {}
  }

  private MillraceException failed(IOException e) {
    return new MillraceException(
        ErrorCode.IO_ERROR, "could not write file \"" + name + "\": " + e.getMessage(), e);
  }

  /** What ends the query when the file cannot be written. */
  void onFailure(Consumer<MillraceException> hook) {
    cancel = hook;
  }

  CompletableFuture<Void> done() {
    return done;
  }

  @Override
  public boolean ready() {
    return true;
  }

  @Override
  public void rows(Batch batch, int from, int count) {
    if (failure != null) {
      return;
    }
    try {
      switch (form) {
        case Lines _ -> lines((BytesColumn) batch.column(0), from, count);
        case Rows r -> r.writer().batch(batch, from, count, bytes);
        case Parquet _ -> Objects.requireNonNull(parquet).rows(batch, from, count);
      }
      rows += count;
      if (bytes.position() >= BUFFER) {
        send();
      }
    } catch (IOException e) {
      end(failed(e));
    } catch (MillraceException e) {
      end(e);
    }
  }

  private void end(MillraceException e) {
    failure = e;
    cancel.accept(e);
  }

  private void lines(BytesColumn texts, int from, int count) {
    for (int i = from; i < from + count; i++) {
      bytes.putBytes(texts.data(i), texts.start(i), texts.size(i));
      bytes.put('\n');
    }
  }

  private void send() throws IOException {
    stream.write(bytes.array(), 0, bytes.position());
    bytes.clear();
  }

  @Override
  public void suspended() {}

  @Override
  public void completed() {
    done.complete(null);
  }

  @Override
  public void failed(MillraceException error) {
    done.completeExceptionally(failure == null ? error : failure);
  }

  /** All rows are written: the file takes its name. Gives their number. */
  long publish() {
    MillraceException before = failure;
    if (before != null) {
      throw before;
    }
    try {
      if (form instanceof Rows r) {
        r.writer().end(bytes);
      }
      if (parquet != null) {
        parquet.close();
      }
      send();
      stream.close();
      channel.force(true);
      channel.close();
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw failed(e);
    }
    return rows;
  }

  /** Removes what is left of a statement that failed. */
  void discard() {
    try {
      channel.close();
      Files.deleteIfExists(draft);
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
