package io.millrace.storage;

/**
 * What a garbage collection has removed.
 *
 * @param files orphaned files
 * @param bytes their size
 */
public record GarbageReport(long files, long bytes) {}
