package io.millrace.sql.write;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.partition.PartitionedRows;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.VirtualColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/*
 * The partition of every row is worked out column by column; then each region takes its rows out of the
 * batch, in their order. Rows of one region, as those of a table without partitions, are handed on as they
 * are.
 */
/** Splits the rows of a table over its regions. */
final class RowRouter {
  private RowRouter() {}

  static List<RegionWrite> route(TableWrite write) {
    if (write.op() == OpType.DELETE_RANGE) {
      return ranges(write);
    }
    PartitionRule rule = write.table().partitions();
    if (rule == null) {
      return List.of(part(write, 0, write.rows()));
    }
    return split(write, rule);
  }

  /** Range deletes say themselves where they belong, for what they take differs by region. */
  private static List<RegionWrite> ranges(TableWrite write) {
    int at = write.columnIds().indexOf(VirtualColumns.RANGE_REGION);
    var regions = (LongVector) write.rows().column(at);
    int[] places = IntStream.range(0, write.columnIds().size()).filter(i -> i != at).toArray();
    List<Integer> ids = IntStream.of(places).mapToObj(write.columnIds()::get).toList();
    Batch given = write.rows().project(places);
    int version = write.table().storage().version();
    var out = new ArrayList<RegionWrite>();
    for (int r = 0; r < given.rows(); r++) {
      var region = new RegionId(regions.get(r));
      out.add(new RegionWrite(region, version, write.op(), ids, given.take(new int[] {r}, 1)));
    }
    return out;
  }

  private static List<RegionWrite> split(TableWrite write, PartitionRule rule) {
    Batch rows = write.rows();
    var spread = PartitionedRows.of(rule, partitionColumns(write, rule), rows.rows());
    var out = new ArrayList<RegionWrite>();
    for (int p = 0; p < spread.partitions(); p++) {
      int count = spread.count(p);
      if (count > 0) {
        out.add(part(write, p, spread.isAll(p) ? rows : rows.take(spread.places(p), count)));
      }
    }
    return out;
  }

  private static List<Vector> partitionColumns(TableWrite write, PartitionRule rule) {
    var out = new ArrayList<Vector>();
    for (int id : rule.columnIds()) {
      int at = write.columnIds().indexOf(id);
      if (at < 0) {
        throw new IllegalArgumentException(
            "rows of table " + write.table().name() + " without partition column #" + id);
      }
      out.add(write.rows().column(at));
    }
    return out;
  }

  /** Rows of one region; what a DELETE says beyond the key was for the routing. */
  private static RegionWrite part(TableWrite write, int partition, Batch rows) {
    TableInfo t = write.table();
    List<Integer> ids = write.columnIds();
    Batch given = rows;
    if (write.op() == OpType.DELETE && ids.size() > t.storage().tagIds().size() + 1) {
      ids = new ArrayList<>(t.storage().tagIds());
      ids.add(t.storage().timeIndexId());
      given = rows.project(ids.stream().mapToInt(write.columnIds()::indexOf).toArray());
    }
    return new RegionWrite(
        t.regions().get(partition), t.storage().version(), write.op(), ids, given);
  }
}
