package io.millrace.storage;

/**
 * When a region writes files by itself, and how large their parts are.
 *
 * @param flushMicros rows stay in memory for so long at most; 0 = the engine's default
 * @param groupRows rows of a row group at most; 0 = the engine's default, which is the most
 */
public record FileOptions(long flushMicros, int groupRows) {
  public static final FileOptions DEFAULT = new FileOptions(0, 0);
}
