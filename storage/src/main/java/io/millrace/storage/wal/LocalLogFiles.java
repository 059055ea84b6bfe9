package io.millrace.storage.wal;

import io.millrace.storage.objectstore.LocalObjectStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The log's folder on a local file system. */
public final class LocalLogFiles implements LogFiles {
  private static final int ZEROS = 1 << 18;
  private final Path folder;
  private final Path aside;

  public LocalLogFiles(Path folder, Path aside) {
    this.folder = folder;
    this.aside = aside;
  }

  @Override
  public List<String> list() throws IOException {
    Files.createDirectories(folder);
    try (Stream<Path> s = Files.list(folder)) {
      return s.map(p -> String.valueOf(p.getFileName())).sorted().toList();
    }
  }

  @Override
  public LogFile create(String name, long size) throws IOException {
    FileChannel c =
        FileChannel.open(
            folder.resolve(name),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    boolean made = false;
    try {
      ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZEROS, Math.max(1, size)));
      for (long at = 0; at < size; ) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), size - at));
        at += c.write(zeros, at);
      }
      c.force(true);
      made = true;
      return new Channel(c);
    } finally {
      if (!made) {
        c.close();
        Files.deleteIfExists(folder.resolve(name));
      }
    }
  }

  @Override
  public LogFile open(String name) throws IOException {
    return new Channel(
        FileChannel.open(folder.resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(
        folder.resolve(from),
        folder.resolve(to),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    LocalObjectStore.forceFolder(folder);
  }

  @Override
  public void delete(String name) throws IOException {
    if (Files.deleteIfExists(folder.resolve(name))) {
      LocalObjectStore.forceFolder(folder);
    }
  }

  @Override
  public void keepAside(String name, byte[] data, int from, int count) throws IOException {
    Files.createDirectories(aside);
    try (FileChannel c =
        FileChannel.open(
            aside.resolve(name),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer b = ByteBuffer.wrap(data, from, count);
      while (b.hasRemaining()) {
        c.write(b);
      }
      c.force(true);
    }
    LocalObjectStore.forceFolder(aside);
  }

  @Override
  public long usableSpace() throws IOException {
    return Files.getFileStore(folder).getUsableSpace();
  }

  @Override
  public long totalSpace() throws IOException {
    Files.createDirectories(folder);
    return Files.getFileStore(folder).getTotalSpace();
  }

  private record Channel(FileChannel channel) implements LogFile {
    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void write(ByteBuffer data, long position) throws IOException {
      long at = position;
      while (data.hasRemaining()) {
        at += channel.write(data, at);
      }
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      int total = 0;
      while (into.hasRemaining()) {
        int n = channel.read(into, position + total);
        if (n < 0) {
          break;
        }
        total += n;
      }
      return total;
    }

    @Override
    public void force() throws IOException {
      channel.force(false);
    }

    @Override
    public void truncate(long size) throws IOException {
      channel.truncate(size);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
