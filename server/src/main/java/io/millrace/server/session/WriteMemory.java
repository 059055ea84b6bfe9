package io.millrace.server.session;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.util.concurrent.atomic.AtomicLong;

/*
 * Rows on their way into tables: what COPY has parsed and what transactions have buffered, over all
 * sessions. At its commit a row exists a second time, in the record for the log, so each byte is
 * charged twice.
 */
/** The memory that writes of all sessions may hold before their commit. */
public final class WriteMemory {
  private static final int COPIES = 2;

  private final long limit;
  private final AtomicLong used = new AtomicLong();

  public WriteMemory(long limit) {
    this.limit = limit;
  }

  /** Takes room for rows of so many bytes; 53200 if there is none. */
  public void reserve(long bytes) {
    long now = used.addAndGet(COPIES * bytes);
    if (now > limit) {
      release(bytes);
      throw new MillraceException(ErrorCode.OUT_OF_MEMORY, "out of memory for uncommitted rows")
          .withDetail(
              "Failed on request of size "
                  + COPIES * bytes
                  + "; the writes of all sessions may hold "
                  + limit
                  + " bytes.")
          .withHint("Commit more often, send less at a time, or raise query.memory.");
    }
  }

  public void release(long bytes) {
    used.addAndGet(-COPIES * bytes);
  }

  public long used() {
    return used.get();
  }
}
