package io.millrace.storage.objectstore;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Objects as files below a root. An object is written under a temporary name, forced, renamed, and
 * its folder forced, so that it is there whole or not at all, also after a crash.
 */
public final class LocalObjectStore implements ObjectStore {
  private static final String TEMPORARY = ".tmp";
  private final Path root;

  public LocalObjectStore(Path root) {
    this.root = root;
  }

  private Path path(String key) {
    Path p = root.resolve(key).normalize();
    if (!p.startsWith(root)) {
      throw new IllegalArgumentException("key " + key);
    }
    return p;
  }

  @Override
  public byte[] get(String key) throws IOException {
    return Files.readAllBytes(path(key));
  }

  @Override
  public ObjectReader open(String key) throws IOException {
    return new Reader(key, FileChannel.open(path(key), StandardOpenOption.READ));
  }

  @Override
  public void put(String key, byte[] data) throws IOException {
    try (ObjectWriter w = create(key)) {
      w.write(data, 0, data.length);
      w.commit();
    }
  }

  @Override
  public ObjectWriter create(String key) throws IOException {
    Path target = path(key);
    Path folder = parent(target);
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder);
      forceParents(folder);
    }
    return new Writer(target);
  }

  private void forceParents(Path folder) throws IOException {
    for (Path p = folder; p.startsWith(root); p = parent(p)) {
      forceFolder(p);
    }
  }

  private static Path parent(Path p) {
    Path folder = p.getParent();
    if (folder == null) {
      throw new IllegalArgumentException(p + " has no folder");
    }
    return folder;
  }

  /** Makes the names in a folder durable. */
  public static void forceFolder(Path folder) throws IOException {
    try (FileChannel c = FileChannel.open(folder, StandardOpenOption.READ)) {
      c.force(true);
    }
  }

  @Override
  public List<String> list(String prefix) throws IOException {
    var out = new ArrayList<String>();
    walk(prefix, (key, _) -> out.add(key));
    out.sort(null);
    return out;
  }

  @Override
  public List<ObjectInfo> entries(String prefix) throws IOException {
    var out = new ArrayList<ObjectInfo>();
    walk(
        prefix,
        (key, path) -> {
          try {
            BasicFileAttributes a = Files.readAttributes(path, BasicFileAttributes.class);
            out.add(new ObjectInfo(key, a.size(), a.lastModifiedTime().toMillis()));
          } catch (NoSuchFileException e) {
            return; // deleted meanwhile
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    out.sort(Comparator.comparing(ObjectInfo::key));
    return out;
  }

  @Override
  public void removeUnfinished() throws IOException {
    if (!Files.isDirectory(root)) {
      return;
    }
    try (Stream<Path> walk = Files.walk(root)) {
      for (Path p : (Iterable<Path>) walk::iterator) {
        if (p.toString().endsWith(TEMPORARY) && Files.isRegularFile(p)) {
          Files.deleteIfExists(p);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void walk(String prefix, BiConsumer<String, Path> each) throws IOException {
    int slash = prefix.lastIndexOf('/');
    Path start = slash < 0 ? root : path(prefix.substring(0, slash));
    if (!Files.isDirectory(start)) {
      return;
    }
    try (Stream<Path> walk = Files.walk(start)) {
      for (Path p : (Iterable<Path>) walk::iterator) {
        String key = root.relativize(p).toString().replace('\\', '/');
        if (key.startsWith(prefix) && !key.endsWith(TEMPORARY) && Files.isRegularFile(p)) {
          each.accept(key, p);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public void delete(String key) throws IOException {
    Path p = path(key);
    Files.deleteIfExists(p);
    Path folder = parent(p);
    while (!folder.equals(root) && Files.isDirectory(folder)) {
      try (Stream<Path> rest = Files.list(folder)) {
        if (rest.findAny().isPresent()) {
          return;
        }
      }
      Files.deleteIfExists(folder);
      folder = parent(folder);
    }
  }

  private record Reader(String key, FileChannel channel) implements ObjectReader {
    @Override
    public long size() {
      try {
        return channel.size();
      } catch (IOException e) {
        throw IoErrors.wrap(e, "read the size of " + key);
      }
    }

    @Override
    public void read(long position, byte[] into, int at, int count) throws IOException {
      ByteBuffer b = ByteBuffer.wrap(into, at, count);
      long p = position;
      while (b.hasRemaining()) {
        int n = channel.read(b, p);
        if (n < 0) {
          throw new EOFException(key + " ends at " + p);
        }
        p += n;
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private static final class Writer implements ObjectWriter {
    private final Path target;
    private final Path temporary;
    private final FileChannel channel;
    private long position;
    private boolean committed;

    Writer(Path target) throws IOException {
      this.target = target;
      this.temporary = target.resolveSibling(target.getFileName() + TEMPORARY);
      this.channel =
          FileChannel.open(
              temporary,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void write(byte[] data, int from, int count) throws IOException {
      ByteBuffer b = ByteBuffer.wrap(data, from, count);
      while (b.hasRemaining()) {
        position += channel.write(b, position);
      }
    }

    @Override
    public void commit() throws IOException {
      channel.force(true);
      channel.close();
      Files.move(
          temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      forceFolder(parent(target));
      committed = true;
    }

    @Override
    public void close() throws IOException {
      if (!committed) {
        channel.close();
        Files.deleteIfExists(temporary);
      }
    }
  }
}
