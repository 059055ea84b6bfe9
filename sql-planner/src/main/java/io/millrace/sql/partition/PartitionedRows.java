package io.millrace.sql.partition;

import io.millrace.common.batch.Vector;
import java.util.Arrays;
import java.util.List;

/*
 * The rows' places, sorted by partition and in their own order within each: a counting sort.
 */
/** The rows of a batch by the partition that each belongs to. */
public final class PartitionedRows {
  private final int[] starts;
  private final int[] places;

  private PartitionedRows(int[] starts, int[] places) {
    this.starts = starts;
    this.places = places;
  }

  /**
   * @param columns the rule's partition columns, in order
   */
  public static PartitionedRows of(PartitionRule rule, List<Vector> columns, int rows) {
    int[] partitions = rule.route(columns, rows);
    int[] starts = new int[rule.partitions() + 1];
    for (int p : partitions) {
      starts[p + 1]++;
    }
    for (int p = 0; p < rule.partitions(); p++) {
      starts[p + 1] += starts[p];
    }
    int[] places = new int[rows];
    int[] next = starts.clone();
    for (int r = 0; r < rows; r++) {
      places[next[partitions[r]]++] = r;
    }
    return new PartitionedRows(starts, places);
  }

  public int partitions() {
    return starts.length - 1;
  }

  /** How many rows belong to a partition. */
  public int count(int partition) {
    return starts[partition + 1] - starts[partition];
  }

  /** Whether all rows belong to a partition. */
  public boolean isAll(int partition) {
    return count(partition) == places.length;
  }

  /** Which rows belong to a partition, ascending. */
  public int[] places(int partition) {
    return Arrays.copyOfRange(places, starts[partition], starts[partition + 1]);
  }
}
