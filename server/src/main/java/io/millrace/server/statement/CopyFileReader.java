package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.ByteSink;
import io.millrace.server.session.SessionContext;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The bytes of a file, uncompressed, and made rows of text where they are JSON. */
final class CopyFileReader implements CopySource {
  private static final int PIECE = 1 << 18;

  private final SessionContext.CopyHandler handler;
  private final String name;
  private final InputStream in;

  /** Null unless the lines are JSON. */
  private final @Nullable JsonLines json;

  private final byte[] piece = new byte[PIECE];

  CopyFileReader(
      SessionContext.CopyHandler handler, Path file, CopyFile copy, @Nullable JsonLines json) {
    this.handler = handler;
    this.name = copy.name();
    this.json = json;
    try {
      in = copy.compression().reading(Files.newInputStream(file));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  public @Nullable CompletableFuture<?> give() {
    int n;
    try {
      n = in.read(piece, 0, PIECE);
    } catch (IOException e) {
      throw failed(e);
    }
    if (n < 0) {
      return null;
    }
    return json == null ? handler.data(piece, 0, n) : handed(json.translate(piece, n));
  }

  private CompletableFuture<?> handed(ByteSink rows) {
    return handler.data(rows.array(), 0, rows.position());
  }

  @Override
  public CompletableFuture<?> rest() {
    return json == null ? CompletableFuture.completedFuture(true) : handed(json.rest());
  }

  private MillraceException failed(IOException e) {
    return new MillraceException(
        ErrorCode.IO_ERROR, "could not read file \"" + name + "\": " + e.getMessage(), e);
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
