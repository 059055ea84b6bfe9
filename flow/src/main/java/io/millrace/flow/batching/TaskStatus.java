package io.millrace.flow.batching;

import java.util.Optional;

/** A task at a moment; times in microseconds since 1970, 0 = never. */
public record TaskStatus(
    String state,
    long startMicros,
    long lastExecutionMicros,
    long lastDurationMicros,
    long evaluations,
    long rowsIn,
    long rowsOut,
    long rowsExpired,
    int dirtyRanges,
    long lagMicros,
    String checkpoint,
    Optional<Long> oldestHold,
    long errors,
    Optional<String> lastError) {}
