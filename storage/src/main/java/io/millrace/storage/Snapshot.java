package io.millrace.storage;

import io.millrace.common.id.RegionId;
import java.util.Set;

/** A consistent cut over regions. Keeps the versions it needs alive until closed. */
public interface Snapshot extends AutoCloseable {
  Set<RegionId> regions();

  /** Committed sequence of a region in this cut. */
  long sequence(RegionId region);

  /** Log position of the last commit in this cut. */
  long position();

  /** Memory that only this snapshot keeps alive, in bytes, about. */
  long pinnedBytes();

  @Override
  void close();
}
