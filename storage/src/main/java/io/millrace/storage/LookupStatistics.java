package io.millrace.storage;

/**
 * What lookups of keys came to since the engine was opened.
 *
 * @param newByTime keys later than all that their series had, which no row was looked at for
 * @param newByBloom keys that a file's key filter said are not in it
 * @param lookedUp keys looked for among rows
 */
public record LookupStatistics(long newByTime, long newByBloom, long lookedUp) {}
