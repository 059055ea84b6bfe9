package io.millrace.sql.catalog;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/*
 * An append-only file of change records, rewritten as one record when it has grown to several times its
 * live content.
 *
 * File: magic "MRCAT" and version (8 bytes), then records: int length, int CRC32C of the body, body. Body:
 * int count, then per change: UTF key, int value length (-1 = removal), value. A record is applied wholly
 * or not at all; a torn last record is cut off at open, since its commit was never acknowledged. Damage
 * before the last record is DATA_CORRUPTED. The rewritten file takes the old one's place by rename.
 */
/** The embedded backend: one file in the data directory. */
public final class FileKvBackend implements KvBackend {
  private static final byte[] MAGIC = "MRCAT\0\0\1".getBytes(StandardCharsets.ISO_8859_1);
  private static final String NAME = "catalog.log";
  private static final long REWRITE_ABOVE = 1 << 20;

  private final Path directory;
  private final Map<String, byte[]> live = new LinkedHashMap<>();
  private long liveBytes;
  private FileChannel channel;
  private long end;

  private FileKvBackend(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /** Opens or creates the catalog's file in a directory. */
  public static FileKvBackend open(Path directory) {
    try {
      Files.createDirectories(directory);
      Path file = directory.resolve(NAME);
      var channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      var backend = new FileKvBackend(directory, channel);
      if (channel.size() < MAGIC.length) {
        channel.truncate(0);
        backend.writeFully(channel, ByteBuffer.wrap(MAGIC), 0);
        channel.force(true);
        forceDirectory(directory);
        backend.end = MAGIC.length;
      } else {
        backend.read(Files.readAllBytes(file), file);
      }
      return backend;
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.IO_ERROR, "could not open the catalog in \"" + directory + "\": " + e, e);
    }
  }

  private void read(byte[] bytes, Path file) throws IOException {
    var in = ByteBuffer.wrap(bytes);
    for (byte m : MAGIC) {
      if (in.get() != m) {
        throw new MillraceException(
            ErrorCode.DATA_CORRUPTED, "\"" + file + "\" is not a catalog file of this version");
      }
    }
    while (in.remaining() > 0) {
      int at = in.position();
      byte[] body = readBody(in);
      if (body == null) {
        if (anotherRecordFollows(bytes, at)) {
          throw new MillraceException(
              ErrorCode.DATA_CORRUPTED, "catalog file \"" + file + "\" is damaged at byte " + at);
        }
        channel.truncate(at);
        channel.force(true);
        end = at;
        return;
      }
      apply(decode(body));
    }
    end = bytes.length;
  }

  private static byte @Nullable [] readBody(ByteBuffer in) {
    if (in.remaining() < 8) {
      return null;
    }
    int length = in.getInt();
    int crc = in.getInt();
    if (length < 4 || length > in.remaining()) {
      return null;
    }
    byte[] body = new byte[length];
    in.get(body);
    return crc(body) == crc ? body : null;
  }

  /** Whether a whole record lies behind a damaged one of plausible length. */
  private static boolean anotherRecordFollows(byte[] bytes, int at) {
    var in = ByteBuffer.wrap(bytes);
    in.position(at);
    if (in.remaining() < 8) {
      return false;
    }
    int length = in.getInt();
    in.getInt();
    if (length < 4 || length > in.remaining()) {
      return false;
    }
    in.position(in.position() + length);
    return readBody(in) != null;
  }

  private static int crc(byte[] body) {
    var crc = new CRC32C();
    crc.update(body);
    return (int) crc.getValue();
  }

  private static Map<String, byte @Nullable []> decode(byte[] body) throws IOException {
    var in = new DataInputStream(new ByteArrayInputStream(body));
    int count = in.readInt();
    var out = new LinkedHashMap<String, byte @Nullable []>();
    for (int i = 0; i < count; i++) {
      String key = in.readUTF();
      int length = in.readInt();
      out.put(key, length < 0 ? null : in.readNBytes(length));
    }
    return out;
  }

  private static byte[] encode(Map<String, ? extends byte @Nullable []> changes)
      throws IOException {
    var bytes = new ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    out.writeInt(changes.size());
    for (var e : changes.entrySet()) {
      out.writeUTF(e.getKey());
      byte[] value = e.getValue();
      if (value == null) {
        out.writeInt(-1);
      } else {
        out.writeInt(value.length);
        out.write(value);
      }
    }
    return bytes.toByteArray();
  }

  private void apply(Map<String, byte @Nullable []> changes) {
    changes.forEach(
        (k, v) -> {
          byte[] old = v == null ? live.remove(k) : live.put(k, v);
          liveBytes +=
              (v == null ? 0 : v.length + k.length()) - (old == null ? 0 : old.length + k.length());
        });
  }

  @Override
  public synchronized Map<String, byte[]> load() {
    return Map.copyOf(live);
  }

  @Override
  public synchronized void commit(Map<String, byte @Nullable []> changes) {
    try {
      long at = end;
      try {
        ByteBuffer record = frame(encode(changes));
        long length = record.remaining();
        writeFully(channel, record, at);
        channel.force(false);
        end = at + length;
      } catch (IOException e) {
        channel.truncate(at);
        throw e;
      }
      apply(changes);
      if (end > REWRITE_ABOVE && end > 4 * liveBytes) {
        rewrite();
      }
    } catch (IOException e) {
      boolean full = String.valueOf(e.getMessage()).contains("No space left");
      throw new MillraceException(
          full ? ErrorCode.DISK_FULL : ErrorCode.IO_ERROR,
          "could not write the catalog: " + e.getMessage(),
          e);
    }
  }

  private void rewrite() throws IOException {
    Path temporary = directory.resolve(NAME + ".new");
    var next =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    ByteBuffer record = frame(encode(live));
    long length = record.remaining();
    writeFully(next, ByteBuffer.wrap(MAGIC), 0);
    writeFully(next, record, MAGIC.length);
    next.force(true);
    Files.move(temporary, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    forceDirectory(directory);
    channel.close();
    channel = next;
    end = MAGIC.length + length;
  }

  private static ByteBuffer frame(byte[] body) {
    return ByteBuffer.allocate(8 + body.length)
        .putInt(body.length)
        .putInt(crc(body))
        .put(body)
        .flip();
  }

  private void writeFully(FileChannel target, ByteBuffer data, long at) throws IOException {
    long position = at;
    while (data.hasRemaining()) {
      position += target.write(data, position);
    }
  }

  private static void forceDirectory(Path directory) throws IOException {
    try (var d = FileChannel.open(directory, StandardOpenOption.READ)) {
      d.force(true);
    }
  }

  @Override
  public synchronized void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new MillraceException(ErrorCode.IO_ERROR, "could not close the catalog", e);
    }
  }
}
