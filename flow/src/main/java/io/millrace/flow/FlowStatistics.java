package io.millrace.flow;

import io.millrace.common.id.FlowId;
import java.util.Optional;

/**
 * A flow at a moment; times in microseconds since 1970, 0 = never.
 *
 * @param engine batching or streaming
 * @param state pending, recovering, running, stale or failed
 */
public record FlowStatistics(
    FlowId id,
    String name,
    String engine,
    String state,
    long startMicros,
    long lastExecutionMicros,
    long lastExecutionDurationMicros,
    long evaluations,
    long rowsIn,
    long rowsOut,
    long rowsExpired,
    int dirtyRanges,
    long lagMicros,
    String checkpoint,
    long stateBytes,
    Optional<Long> oldestHold,
    long errors,
    Optional<String> lastError) {}
