package io.millrace.storage.read;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.storage.sst.SstStore;

/** Folds memtables into sorted SSTs. Any thread, several at once. */
public final class FlushFold {
  private final SstStore store;

  public FlushFold(SstStore store) {
    this.store = store;
  }

  /** Writes the files; if it throws, nothing that it wrote is left visible. */
  public FlushOutput flush(FlushInput input) {
    throw new MillraceException(ErrorCode.REGION_NOT_READY, "flush " + store);
  }
}
