package io.millrace.storage;

import java.util.List;

/**
 * A cut over regions, with a hold on each at exactly its sequence in the cut. The snapshot and the
 * holds are closed one by one.
 *
 * @param holds in the order of the regions asked for
 */
public record HeldSnapshot(Snapshot snapshot, List<Hold> holds) {
  public HeldSnapshot {
    holds = List.copyOf(holds);
  }
}
