package io.millrace.storage;

import io.millrace.common.batch.Batch;
import io.millrace.common.id.RegionId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One commit: the writes in order (several for one region are allowed) and what must hold for it.
 *
 * @param preconditions checked at admission against everything admitted before; PRECONDITION_FAILED
 * @param staged rows written ahead, in order and before the writes; they belong to the engine now,
 *     whatever comes of the commit
 */
public record WriteGroup(
    List<RegionWrite> writes, List<Precondition> preconditions, List<StagedRows> staged) {
  public WriteGroup {
    writes = List.copyOf(writes);
    preconditions = List.copyOf(preconditions);
    staged = List.copyOf(staged);
  }

  /** Without staged rows. */
  public WriteGroup(List<RegionWrite> writes, List<Precondition> preconditions) {
    this(writes, preconditions, List.of());
  }

  public static WriteGroup of(List<RegionWrite> writes) {
    return new WriteGroup(writes, List.of());
  }

  /**
   * The row of a key is as expected.
   *
   * @param key one row: tags, then the time index
   * @param columnIds columns compared
   * @param expected one row of those columns; null = the key must be absent
   */
  public record Precondition(
      RegionId region, Batch key, List<Integer> columnIds, @Nullable Batch expected) {}
}
