package io.millrace.server.session;

import org.jspecify.annotations.Nullable;

/** A session as pg_stat_activity shows it; times in microseconds since 1970. */
public record SessionActivity(
    int processId,
    String database,
    String user,
    String applicationName,
    @Nullable String clientAddress,
    int clientPort,
    long backendStart,
    long transactionStart,
    long queryStart,
    long stateChange,
    String state,
    String query) {}
