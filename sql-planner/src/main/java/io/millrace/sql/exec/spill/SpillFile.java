package io.millrace.sql.exec.spill;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/*
 * A temporary file of batches.
 * "MRSP" and a version, then frames: length, CRC32C, payload (see BatchCodec). Batches are cut to
 * 4,096 rows so that a frame stays near a megabyte. It is written once from front to back, then
 * read any number of times; it never outlives the process.
 */
/** Batches in a temporary file. */
public final class SpillFile implements AutoCloseable {
  private static final int MAGIC = 0x4d525350;
  private static final int VERSION = 1;
  private static final int HEADER = 8;

  private final Path path;
  private final FileChannel channel;
  private final TempSpace space;
  private final BatchEncoder encoder = new BatchEncoder();
  private long bytes;
  private long rows;
  private long charged;
  private boolean closed;

  SpillFile(Path path, FileChannel channel, TempSpace space) {
    this.path = path;
    this.channel = channel;
    this.space = space;
  }

  public long bytes() {
    return bytes;
  }

  public long rows() {
    return rows;
  }

  /** Appends a batch. */
  public void write(Batch batch) {
    for (int from = 0; from < batch.rows(); from += Batch.ROWS) {
      writeFrame(batch.slice(from, Math.min(Batch.ROWS, batch.rows() - from)));
    }
  }

  /** The whole frame is charged before any of it is written; it counts once it is whole. */
  private void writeFrame(Batch batch) {
    ByteBuffer payload = encoder.encode(batch);
    int length = payload.remaining();
    long total = length + (bytes == 0 ? 2L : 1L) * HEADER;
    space.charge(total);
    charged += total;
    var crc = new CRC32C();
    crc.update(payload.duplicate());
    ByteBuffer head = ByteBuffer.allocate(2 * HEADER);
    if (bytes == 0) {
      head.putInt(MAGIC).putInt(VERSION);
    }
    head.putInt(length).putInt((int) crc.getValue()).flip();
    long at = write(head, bytes);
    bytes = write(payload, at);
    rows += batch.rows();
  }

  private long write(ByteBuffer b, long from) {
    long at = from;
    try {
      while (b.hasRemaining()) {
        at += channel.write(b, at);
      }
    } catch (IOException e) {
      throw TempFiles.failure("could not write to temporary file \"" + path + "\"", e);
    }
    return at;
  }

  /** Reads from the start; sees what is written later too. */
  public Reader reader(List<SqlType> types) {
    return new Reader(types);
  }

  /** Reads batches in order. */
  public final class Reader {
    private final List<SqlType> types;
    private long at;

    private Reader(List<SqlType> types) {
      this.types = types;
    }

    /** The next batch; null where nothing more is written. */
    public @Nullable Batch next() {
      if (at == 0 && bytes > 0) {
        ByteBuffer head = read(HEADER);
        if (head.getInt() != MAGIC || head.getInt() != VERSION) {
          throw damaged();
        }
      }
      if (at >= bytes) {
        return null;
      }
      ByteBuffer head = read(HEADER);
      int length = head.getInt();
      int expected = head.getInt();
      ByteBuffer payload = read(length);
      var crc = new CRC32C();
      crc.update(payload.duplicate());
      if ((int) crc.getValue() != expected) {
        throw damaged();
      }
      return new BatchDecoder(payload).decode(types);
    }

    private ByteBuffer read(int n) {
      if (n < 0 || n > bytes - at) {
        throw damaged();
      }
      ByteBuffer b = ByteBuffer.allocate(n);
      try {
        while (b.hasRemaining()) {
          int r = channel.read(b, at);
          if (r < 0) {
            throw damaged();
          }
          at += r;
        }
      } catch (IOException e) {
        throw TempFiles.failure("could not read temporary file \"" + path + "\"", e);
      }
      return b.flip();
    }
  }

  private MillraceException damaged() {
    return new MillraceException(
        ErrorCode.DATA_CORRUPTED, "temporary file \"" + path + "\" is damaged");
  }

  /** Deletes the file; idempotent. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    space.closed(this, charged);
    try (channel) {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw TempFiles.failure("could not remove temporary file \"" + path + "\"", e);
    }
  }
}
