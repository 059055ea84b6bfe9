package io.millrace.common.type;

import org.jspecify.annotations.Nullable;

/**
 * A stored column. Ids are never reused within a table; log entries and files name columns by id.
 *
 * @param initialDefault text form of the value that rows older than the column have; null = NULL
 */
public record ColumnSchema(
    int id,
    String name,
    SqlType type,
    SemanticType semantic,
    boolean nullable,
    @Nullable String initialDefault) {}
