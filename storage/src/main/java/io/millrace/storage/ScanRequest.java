package io.millrace.storage;

import io.millrace.common.id.RegionId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to read of a region. All predicates are conjuncts and are applied exactly (after the merge
 * for fields of merging regions), so the reader need not check them again.
 *
 * @param columnIds columns to give, in order; virtual ones by {@link VirtualColumns}
 * @param minTime lowest time index value, inclusive, in the column's own unit
 * @param maxTime highest time index value, inclusive
 * @param limit rows wanted at most over all partitions (a hint: more may come); -1 none
 * @param order the order within each partition
 * @param afterSequence only rows with a larger sequence (0 = all); for append regions and tests
 * @param overlay rows merged on top, a transaction's own; null none
 * @param selector all rows or the last per series
 * @param keepDeletes give tombstones too (see VirtualColumns.OP_TYPE), versions unmerged
 * @param maxPartitions readers wanted at most
 */
public record ScanRequest(
    RegionId region,
    List<Integer> columnIds,
    List<ColumnPredicate> predicates,
    long minTime,
    long maxTime,
    long limit,
    Order order,
    long afterSequence,
    @Nullable Overlay overlay,
    RowSelector selector,
    boolean keepDeletes,
    int maxPartitions) {

  /** The order of rows within a partition. */
  public enum Order {
    ANY,
    /** By (tags, time). With more than one partition, each has its own key range, ascending. */
    KEY,
    TIME_ASC,
    TIME_DESC
  }

  /** Which rows of a series. */
  public enum RowSelector {
    ALL,
    LAST_ROW
  }

  public ScanRequest {
    columnIds = List.copyOf(columnIds);
    predicates = List.copyOf(predicates);
  }

  /** All rows of the given columns. */
  public static ScanRequest all(RegionId region, List<Integer> columnIds) {
    return new ScanRequest(
        region,
        columnIds,
        List.of(),
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        -1,
        Order.ANY,
        0,
        null,
        RowSelector.ALL,
        false,
        1);
  }
}
