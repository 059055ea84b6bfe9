package io.millrace.storage;

import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import java.util.List;

/** What can be asked of regions besides reading and writing rows. */
public sealed interface RegionRequest {
  /** Creates an empty region; an existing one with the same schema is left as it is. */
  record Create(RegionId region, TableSchema schema, RegionOptions options)
      implements RegionRequest {}

  /** Opens as leader; the log is replayed once for all regions when the engine starts. */
  record Open(RegionId region) implements RegionRequest {}

  record Close(RegionId region, boolean flush) implements RegionRequest {}

  /** Removes the region and, when the last reader lets go, its files. Idempotent. */
  record Drop(RegionId region) implements RegionRequest {}

  /** One commit over all regions of a table. */
  record Alter(List<RegionId> regions, TableSchema schema, RegionOptions options)
      implements RegionRequest {}

  /** Writes what is in memory to files. Completes when the manifest names them. */
  record Flush(RegionId region, String reason) implements RegionRequest {}

  /**
   * Merges all files of the region under the holds there are; completes when the manifest names the
   * result. Waits for a compaction that runs.
   *
   * @param strict every file gets times of one window only
   */
  record Compact(RegionId region, boolean strict) implements RegionRequest {}

  /** Takes rows away in one commit over all regions, leaving an event. */
  record Truncate(List<RegionId> regions, Truncation what) implements RegionRequest {
    /** Takes everything. */
    public Truncate(List<RegionId> regions) {
      this(regions, new Truncation.All());
    }
  }
}
