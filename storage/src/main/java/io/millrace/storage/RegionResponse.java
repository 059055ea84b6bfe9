package io.millrace.storage;

/**
 * Answer to a {@link RegionRequest}.
 *
 * @param rows rows concerned: flushed, or counted by truncate; 0 otherwise
 * @param sequence committed sequence afterwards; 0 where it means nothing
 */
public record RegionResponse(long rows, long sequence) {}
