package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.partition.PartitionedRows;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.storage.KeyRows;
import io.millrace.storage.Overlay;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Rows of a table by their keys, each looked up in the region that it belongs to; the answers come
 * together in the keys' order. The partition columns are part of the key.
 */
final class KeyLookup {
  private final RegionEngine engine;
  private final TableInfo table;
  private final Map<RegionId, Overlay> overlays;

  KeyLookup(RegionEngine engine, TableInfo table, Map<RegionId, Overlay> overlays) {
    this.engine = engine;
    this.table = table;
    this.overlays = overlays;
  }

  /** The visible columns of the rows. */
  KeyRows find(Snapshot snapshot, Batch keys) {
    PartitionRule rule = table.partitions();
    return rule == null ? find(snapshot, 0, keys) : spread(snapshot, rule, keys);
  }

  private KeyRows find(Snapshot snapshot, int partition, Batch keys) {
    RegionId region = table.regions().get(partition);
    return engine.lookup(
        snapshot, region, keys, DmlSupport.visibleIds(table), overlays.get(region));
  }

  private KeyRows spread(Snapshot snapshot, PartitionRule rule, Batch keys) {
    int n = keys.rows();
    List<Integer> keyIds = DmlPlan.keyColumnIds(table);
    List<Vector> columns =
        rule.columnIds().stream().map(id -> keys.column(keyIds.indexOf(id))).toList();
    var spread = PartitionedRows.of(rule, columns, n);
    var pieces = new ArrayList<Batch>();
    int[] at = new int[n];
    long[] found = new long[Bits.words(Math.max(1, n))];
    int done = 0;
    for (int p = 0; p < spread.partitions(); p++) {
      int count = spread.count(p);
      if (count == 0) {
        continue;
      }
      if (count == n) {
        return find(snapshot, p, keys);
      }
      int[] mine = spread.places(p);
      KeyRows rows = find(snapshot, p, keys.take(mine, count));
      for (int i = 0; i < count; i++) {
        at[mine[i]] = done + i;
        if (Bits.get(rows.found(), i)) {
          Bits.set(found, mine[i]);
        }
      }
      pieces.add(rows.rows());
      done += count;
    }
    List<SqlType> types = table.columns().stream().map(TableInfo.Column::type).toList();
    return new KeyRows(DmlSupport.concat(types, pieces).take(at, n), found);
  }
}
