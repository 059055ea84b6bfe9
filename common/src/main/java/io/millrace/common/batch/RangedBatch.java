package io.millrace.common.batch;

import java.util.List;

/**
 * Some rows of a batch, as ascending ranges; the rows between them are no part of it. Spares the
 * copy where a reader can work on rows where they stand. Arrays are shared: read only.
 *
 * @param batch with at least the rows of the ranges
 * @param from first rows of the ranges
 * @param count numbers of rows of the ranges, none of them 0
 * @param ranges how many
 * @param rows of all ranges
 */
public record RangedBatch(Batch batch, int[] from, int[] count, int ranges, int rows) {
  /** No rows. */
  public static RangedBatch none() {
    return new RangedBatch(new Batch(List.of(), 0), new int[0], new int[0], 0, 0);
  }

  /** All rows of a batch. */
  public static RangedBatch whole(Batch b) {
    return b.rows() == 0
        ? none()
        : new RangedBatch(b, new int[] {0}, new int[] {b.rows()}, 1, b.rows());
  }
}
