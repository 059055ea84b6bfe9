package io.millrace.sql.exec.spill;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The directory of temporary files: names them, and removes what an earlier run left. */
public final class TempFiles {
  private static final String PREFIX = "spill-";
  private final Path directory;
  private final long limitPerQuery;
  private final AtomicLong names = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param limitPerQuery temp_file_limit in bytes
   */
  public TempFiles(Path directory, long limitPerQuery) {
    this.directory = directory;
    this.limitPerQuery = limitPerQuery;
    try {
      Files.createDirectories(directory);
      try (DirectoryStream<Path> old = Files.newDirectoryStream(directory, PREFIX + "*")) {
        for (Path p : old) {
          Files.deleteIfExists(p);
        }
      }
    } catch (IOException e) {
      throw failure("could not prepare directory \"" + directory + "\"", e);
    }
  }

  /** The temporary files of one query. */
  public TempSpace newSpace() {
    return new TempSpace(this, limitPerQuery);
  }

  /** Bytes in temporary files now. */
  public long bytes() {
    return bytes.get();
  }

  void account(long n) {
    bytes.addAndGet(n);
  }

  Path newPath() {
    return directory.resolve(PREFIX + names.incrementAndGet());
  }

  FileChannel open(Path path) {
    try {
      return FileChannel.open(
          path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw failure("could not create temporary file \"" + path + "\"", e);
    }
  }

  static MillraceException failure(String what, IOException e) {
    @Nullable String m = e.getMessage();
    boolean full =
        m != null
            && (m.contains("No space left")
                || m.toLowerCase(Locale.ROOT).contains("quota exceeded"));
    return new MillraceException(
        full ? ErrorCode.DISK_FULL : ErrorCode.IO_ERROR, what + (m == null ? "" : ": " + m), e);
  }
}
