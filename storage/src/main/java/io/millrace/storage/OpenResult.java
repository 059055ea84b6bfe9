package io.millrace.storage;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import org.jspecify.annotations.Nullable;

/**
 * What came of opening a region among others.
 *
 * @param sequence its committed sequence; 0 if it is not open
 * @param error why it is not open; null if it is
 */
public record OpenResult(RegionId region, long sequence, @Nullable MillraceException error) {
  public boolean opened() {
    return error == null;
  }
}
