package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.ChangeFeed;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.KeyRows;
import io.millrace.storage.Overlay;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.sst.SstStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads through the file store. */
final class StoredReads implements RegionReads {
  StoredReads(SstStore store, EngineConfig config) {}

  @Override
  public RegionScanner scan(Version version, long readSequence, ScanRequest request) {
    throw new MillraceException(ErrorCode.REGION_NOT_READY, "scan");
  }

  @Override
  public KeyRows lookup(
      Version version,
      long readSequence,
      Batch keys,
      List<Integer> columnIds,
      @Nullable Overlay overlay) {
    throw new MillraceException(ErrorCode.REGION_NOT_READY, "lookup");
  }

  @Override
  public ChangeFeed changes(
      Version version, long after, long upTo, List<Integer> columnIds, boolean withOld) {
    throw new MillraceException(ErrorCode.REGION_NOT_READY, "changes");
  }

  @Override
  public void forget(String fileId) {}

  @Override
  public void close() {}
}
