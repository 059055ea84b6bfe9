package io.millrace.storage.sst;

import io.millrace.common.id.RegionId;

/**
 * Where SSTs and their side-cars lie: the seam to the object store. File ids are unique over all
 * regions and times; a side-car goes by its {@link SideCarMeta#name name}.
 */
public interface SstStore {
  SstInput open(RegionId region, String fileId);

  SstOutput create(RegionId region, String fileId);
}
