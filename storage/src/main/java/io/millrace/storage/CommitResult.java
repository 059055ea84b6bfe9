package io.millrace.storage;

import io.millrace.common.id.RegionId;
import java.util.Map;

/**
 * A published commit.
 *
 * @param position its position in the log
 * @param lastSequences per region the last sequence of the commit; rows have dense sequences up to
 *     it
 */
public record CommitResult(long position, Map<RegionId, Long> lastSequences) {}
