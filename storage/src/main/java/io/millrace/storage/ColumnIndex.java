package io.millrace.storage;

/**
 * An index of a column.
 *
 * @param granularity of a skipping index: rows per Bloom filter
 * @param falsePositiveRate of a skipping index: how often a filter may say yes wrongly
 * @param caseSensitive of a full-text index: whether words are kept as they are written too
 */
public record ColumnIndex(
    int columnId,
    IndexKind kind,
    int granularity,
    double falsePositiveRate,
    boolean caseSensitive) {
  public static final int DEFAULT_GRANULARITY = 10_240;
  public static final double DEFAULT_FALSE_POSITIVE_RATE = 0.01;

  /** One of the kind with its usual settings. */
  public static ColumnIndex of(int columnId, IndexKind kind) {
    return new ColumnIndex(columnId, kind, DEFAULT_GRANULARITY, DEFAULT_FALSE_POSITIVE_RATE, false);
  }
}
