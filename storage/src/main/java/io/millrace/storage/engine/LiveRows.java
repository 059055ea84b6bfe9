package io.millrace.storage.engine;

import io.millrace.common.batch.Batch;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.read.RegionReads;
import io.millrace.storage.read.Version;
import io.millrace.storage.region.Region;
import io.millrace.storage.region.VersionControl.Handle;
import java.util.List;

/** Counts the rows of a region that readers see. */
final class LiveRows {
  private final RegionReads reads;

  LiveRows(RegionReads reads) {
    this.reads = reads;
  }

  long count(Region region) {
    Handle handle = region.versions().acquire();
    try {
      Version v = handle.version();
      var request = ScanRequest.all(region.id(), List.of(v.schema().timeIndexId()));
      long n = 0;
      try (RegionScanner scanner = reads.scan(v, region.committed(), request)) {
        for (int i = 0; i < scanner.partitions(); i++) {
          try (PartitionReader reader = scanner.open(i)) {
            for (Batch b = reader.next(); b != null; b = reader.next()) {
              n += b.rows();
            }
          }
        }
      }
      return n;
    } finally {
      region.versions().release(handle);
    }
  }
}
