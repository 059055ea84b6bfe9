package io.millrace.storage.objectstore;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Objects as files below a root. An object is written under a temporary name, forced, renamed, and
 * its folder forced, so that it is there whole or not at all, also after a crash.
 */
public final class LocalObjectStore implements ObjectStore {
  private static final String TEMPORARY = ".tmp";
  private static final int CREATE_ATTEMPTS = 10;
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
    for (int attempt = 0; ; attempt++) {
      try {
        if (!Files.isDirectory(folder)) {
          Files.createDirectories(folder);
          forceParents(folder);
        }
        return new Writer(target);
      } catch (NoSuchFileException e) {
        if (attempt == CREATE_ATTEMPTS) { // a deletion takes empty folders away
          throw e;
        }
      }
    }
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
          }
        });
    out.sort(Comparator.comparing(ObjectInfo::key));
    return out;
  }

  @Override
  public void removeUnfinished() throws IOException {
    visit(
        root,
        p -> {
          if (p.toString().endsWith(TEMPORARY)) {
            Files.deleteIfExists(p);
          }
        });
  }

  private void walk(String prefix, KeyAction each) throws IOException {
    int slash = prefix.lastIndexOf('/');
    visit(
        slash < 0 ? root : path(prefix.substring(0, slash)),
        p -> {
          String key = root.relativize(p).toString().replace('\\', '/');
          if (key.startsWith(prefix) && !key.endsWith(TEMPORARY)) {
            each.accept(key, p);
          }
        });
  }

  /** Does something with an object's file. */
  private interface KeyAction {
    void accept(String key, Path file) throws IOException;
  }

  /** Does something with a file. */
  private interface FileAction {
    void accept(Path file) throws IOException;
  }

  /** All files below a folder; what others delete meanwhile is passed over. */
  private static void visit(Path start, FileAction each) throws IOException {
    if (!Files.isDirectory(start)) {
      return;
    }
    Files.walkFileTree(
        start,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes a) throws IOException {
            if (a.isRegularFile()) {
              each.accept(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
              throws IOException {
            if (e == null || e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }
        });
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
