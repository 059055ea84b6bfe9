package io.millrace.storage.sst;

import io.millrace.common.id.RegionId;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.StagedRows;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Staged rows as a file.
 *
 * @param options of the region when they were written: merged accordingly
 * @param meta its sequences mean nothing yet; null = no rows
 * @param ranges range deletes that come before its rows
 */
public record StagedFile(
    RegionId region, RegionOptions options, @Nullable SstMeta meta, List<RangeDelete> ranges)
    implements StagedRows {
  @Override
  public long rows() {
    return meta == null ? 0 : meta.rows();
  }
}
