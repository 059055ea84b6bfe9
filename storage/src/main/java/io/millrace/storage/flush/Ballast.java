package io.millrace.storage.flush;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.wal.LogFiles;
import java.io.IOException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of zeros that is given up when the disk is full, so that what frees space (flush, manifest
 * edits) has room to work in, and taken back when there is space again.
 */
public final class Ballast {
  private static final Logger LOG = LoggerFactory.getLogger(Ballast.class);
  private static final String NAME = "reserve";
  private final LogFiles files;
  private final long bytes;
  private boolean held;

  public Ballast(LogFiles files, long bytes) {
    this.files = files;
    this.bytes = bytes;
  }

  /** Runs the work; if the disk is full, once more without the ballast. */
  public <T> T spend(Supplier<T> work) {
    try {
      return work.get();
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.DISK_FULL || !release()) {
        throw e;
      }
      return work.get();
    }
  }

  /** As {@link #spend(Supplier)}. */
  public void run(Runnable work) {
    var _ =
        spend(
            () -> {
              work.run();
              return true;
            });
  }

  private synchronized boolean release() {
    try {
      if (held || files.list().contains(NAME)) {
        files.delete(NAME);
        held = false;
        LOG.warn("the disk is full: the reserve of {} bytes is in use", bytes);
        return true;
      }
    } catch (IOException e) {
      LOG.warn("could not release the reserve: {}", e.getMessage());
    }
    return false;
  }

  /** A file of earlier times may be larger than is wanted now. */
  private void shorten() throws IOException {
    try (LogFiles.LogFile file = files.open(NAME)) {
      if (file.size() > bytes) {
        file.truncate(bytes);
      }
    }
  }

  /** Takes the ballast if it is not there and there is plenty of space. */
  public synchronized void take() {
    if (held || bytes <= 0) {
      return;
    }
    try {
      if (files.list().contains(NAME)) {
        shorten();
        held = true;
      } else if (files.usableSpace() > 4 * bytes) {
        files.create(NAME, bytes).close();
        held = true;
      }
    } catch (IOException e) {
      LOG.debug("could not take the reserve: {}", e.getMessage());
    }
  }
}
