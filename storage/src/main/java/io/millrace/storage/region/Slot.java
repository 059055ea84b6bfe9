package io.millrace.storage.region;

import io.millrace.storage.memtable.Memtable;

/** A memtable with what the region knows of it. Written by the worker, under the region's lock. */
public final class Slot {
  private final Memtable memtable;
  private long reserved;
  private long firstPosition = Long.MAX_VALUE;
  private long lastPosition;
  private long lastSequence;
  private long since = Long.MAX_VALUE;

  Slot(Memtable memtable) {
    this.memtable = memtable;
  }

  public Memtable memtable() {
    return memtable;
  }

  /** Bytes of the write buffer that are taken for it. */
  public long reserved() {
    return reserved;
  }

  /** The same of rows that the log has. */
  long loggedBytes() {
    return firstPosition == Long.MAX_VALUE ? 0 : reserved;
  }

  /** Log position of its first rows; Long.MAX_VALUE if none is in the log. */
  long firstPosition() {
    return firstPosition;
  }

  /** Position of the last commit with rows in it. */
  public long lastPosition() {
    return lastPosition;
  }

  public long lastSequence() {
    return lastSequence;
  }

  /** When its first rows came, on the monotonic clock; Long.MAX_VALUE when empty. */
  public long since() {
    return since;
  }

  void added(long bytes, long position, boolean logged, long sequence, long now) {
    reserved += bytes;
    if (logged) {
      firstPosition = Math.min(firstPosition, position);
    }
    lastPosition = Math.max(lastPosition, position);
    lastSequence = Math.max(lastSequence, sequence);
    since = Math.min(since, now);
  }
}
