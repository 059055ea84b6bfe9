package io.millrace.sql.exec;

import java.util.concurrent.CompletionStage;

/** What a parked driver waits for; completed by a worker, loop, timer or another driver. */
public record Wait(CompletionStage<?> stage) {}
