package io.millrace.storage;

import java.util.List;

/**
 * A transaction's own writes to one region, in order, newer than everything in the snapshot.
 *
 * @param staged rows written ahead, in order, older than the writes
 */
public record Overlay(List<RegionWrite> writes, List<StagedRows> staged) {
  public Overlay {
    writes = List.copyOf(writes);
    staged = List.copyOf(staged);
  }

  /** Without staged rows. */
  public Overlay(List<RegionWrite> writes) {
    this(writes, List.of());
  }
}
