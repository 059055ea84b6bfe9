package io.millrace.storage;

/**
 * How a region's files are merged: the time-window strategy. Files are put into windows by their
 * highest time; a window whose sorted runs or small files have become too many is merged.
 *
 * @param windowMicros length of a window; 0 = inferred from the first files and kept
 * @param triggerFiles a window is merged from so many runs on
 * @param maxOutputBytes a file is ended at about this size; 0 = the engine's default
 */
public record CompactionOptions(long windowMicros, int triggerFiles, long maxOutputBytes) {
  public static final CompactionOptions DEFAULT = new CompactionOptions(0, 4, 0);
}
