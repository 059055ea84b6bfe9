package io.millrace.storage.memtable;

/**
 * Rows of a part in key order.
 *
 * @param order row numbers; by key, then newest first
 * @param count how many of them
 * @param repeats some key occurs more than once
 */
public record PartView(int[] order, int count, boolean repeats) {}
