package io.millrace.storage;

import java.util.List;

/** A transaction's own writes to one region, in order, newer than everything in the snapshot. */
public record Overlay(List<RegionWrite> writes) {
  public Overlay {
    writes = List.copyOf(writes);
  }
}
