package io.millrace.sql.exec.spill;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The temporary files of one query, and their quota. */
public final class TempSpace implements AutoCloseable {
  private final TempFiles files;
  private final long limit;
  private final Set<SpillFile> open = new HashSet<>();
  private long used;
  private long written;
  private boolean closed;

  TempSpace(TempFiles files, long limit) {
    this.files = files;
    this.limit = limit;
  }

  public synchronized SpillFile create() {
    if (closed) {
      throw new MillraceException(ErrorCode.QUERY_CANCELED, "the query has ended");
    }
    var path = files.newPath();
    var f = new SpillFile(path, files.open(path), this);
    open.add(f);
    return f;
  }

  synchronized void charge(long bytes) {
    if (bytes > limit - used) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION_LIMIT_EXCEEDED,
          "temporary file size exceeds temp_file_limit (" + limit / 1024 + "kB)");
    }
    used += bytes;
    written += bytes;
    files.account(bytes);
  }

  synchronized void closed(SpillFile file, long bytes) {
    if (open.remove(file)) {
      used -= bytes;
      files.account(-bytes);
    }
  }

  public synchronized long used() {
    return used;
  }

  /** All bytes ever written. */
  public synchronized long written() {
    return written;
  }

  /** Deletes all files; idempotent. */
  @Override
  public void close() {
    List<SpillFile> rest;
    synchronized (this) {
      closed = true;
      rest = List.copyOf(open);
    }
    rest.forEach(SpillFile::close);
  }
}
