package io.millrace.sql.exec.operator;

import io.millrace.storage.Snapshot;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A query's snapshot, kept until the query and all its scans on other threads let go. */
public final class SnapshotLease {
  private final @Nullable Snapshot snapshot;
  private final boolean owned;
  private final AtomicInteger users = new AtomicInteger(1);

  /**
   * @param owned close the snapshot at the end
   */
  public SnapshotLease(@Nullable Snapshot snapshot, boolean owned) {
    this.snapshot = snapshot;
    this.owned = owned;
  }

  public boolean owned() {
    return owned && snapshot != null;
  }

  Snapshot get() {
    if (snapshot == null) {
      throw new IllegalStateException("a plan without tables has no snapshot");
    }
    return snapshot;
  }

  void retain() {
    users.incrementAndGet();
  }

  public void release() {
    if (users.decrementAndGet() == 0 && owned && snapshot != null) {
      snapshot.close();
    }
  }
}
