package io.millrace.storage;

import io.millrace.common.id.RegionId;

/**
 * Rows of a region that were written ahead of their commit, so that they need no memory until then.
 * Nobody sees them but through an {@link Overlay}. They are committed by a {@link WriteGroup} or
 * given up with {@link RegionEngine#discard}; a crash gives them up too.
 */
public interface StagedRows {
  RegionId region();

  /** Rows kept: of those with equal keys one. */
  long rows();
}
