package io.millrace.storage.sst;

import io.millrace.common.id.RegionId;

/** Where SSTs lie: the seam to the object store. File ids are unique over all regions and times. */
public interface SstStore {
  SstInput open(RegionId region, String fileId);

  SstOutput create(RegionId region, String fileId);
}
