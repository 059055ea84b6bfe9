package io.millrace.storage;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes away the rows of a region that have the given tags and times in a range, as one entry
 * however many they are. It takes what the deleting statement saw: rows up to a sequence, and those
 * of its own commit that come before it. Rows of others that came later stay.
 *
 * @param tagIds tags that are given; the others are any
 * @param tags their values, one row each, not NULL
 * @param minTime lowest time, inclusive, in the time index's unit
 * @param maxTime highest time, inclusive
 * @param cover rows of other commits with larger sequences are left alone
 */
public record RangeDelete(
    List<Integer> tagIds, List<Vector> tags, long minTime, long maxTime, long cover) {
  /** Columns of a write with range deletes, after those of the tags; all int8. */
  private static final List<Integer> BOUNDS =
      List.of(VirtualColumns.RANGE_MIN, VirtualColumns.RANGE_MAX, VirtualColumns.RANGE_COVER);

  public RangeDelete {
    tagIds = List.copyOf(tagIds);
    tags = List.copyOf(tags);
  }

  /** Column ids of {@link #row}. */
  public List<Integer> columnIds() {
    var out = new ArrayList<>(tagIds);
    out.addAll(BOUNDS);
    return out;
  }

  /** It as the row of a write with {@link OpType#DELETE_RANGE}. */
  public Batch row() {
    var columns = new ArrayList<>(tags);
    for (long v : new long[] {minTime, maxTime, cover}) {
      columns.add(new LongVector(SqlType.INT8, new long[] {v}, 1, null));
    }
    return new Batch(columns, 1);
  }

  /** It as a write. */
  public RegionWrite write(RegionId region, int schemaVersion) {
    return new RegionWrite(region, schemaVersion, OpType.DELETE_RANGE, columnIds(), row());
  }

  /** The range deletes of such a write, one per row. */
  public static List<RangeDelete> of(RegionWrite write) {
    int width = write.columnIds().size() - BOUNDS.size();
    List<Integer> ids = write.columnIds().subList(0, width);
    Batch b = write.rows();
    var out = new ArrayList<RangeDelete>(b.rows());
    for (int r = 0; r < b.rows(); r++) {
      var tags = new ArrayList<Vector>(width);
      for (int t = 0; t < width; t++) {
        tags.add(b.column(t).take(new int[] {r}, 1));
      }
      out.add(
          new RangeDelete(
              ids, tags, bound(b, width, r), bound(b, width + 1, r), bound(b, width + 2, r)));
    }
    return out;
  }

  private static long bound(Batch b, int column, int row) {
    return ((LongVector) b.column(column)).get(row);
  }
}
