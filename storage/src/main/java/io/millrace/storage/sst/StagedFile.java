package io.millrace.storage.sst;

import io.millrace.common.id.RegionId;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.StagedRows;

/**
 * Staged rows as a file.
 *
 * @param options of the region when they were written: merged accordingly
 * @param meta its sequences mean nothing yet
 */
public record StagedFile(RegionId region, RegionOptions options, SstMeta meta)
    implements StagedRows {
  @Override
  public long rows() {
    return meta.rows();
  }
}
