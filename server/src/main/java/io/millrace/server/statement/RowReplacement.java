package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions.MergeMode;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes changed rows. Where the key stays: REPLACE of the whole row, or, in last_non_null tables,
 * PUT and CLEAR of the assigned columns only, so that what another writer gives the other columns
 * is kept. Where the key changes: DELETE of the old one, REPLACE at the new.
 */
final class RowReplacement {
  private final DmlSupport dml;
  private final SessionContext session;
  private final TableInfo table;
  private final List<Integer> keyIds;

  RowReplacement(DmlSupport dml, SessionContext session, TableInfo table) {
    this.dml = dml;
    this.session = session;
    this.table = table;
    this.keyIds = DmlPlan.keyColumnIds(table);
  }

  /** Whether one of the assigned columns is part of the key, or says which region a row is in. */
  static boolean changesKey(TableInfo table, List<Integer> assigned) {
    List<Integer> key = DmlPlan.keyColumnIds(table);
    PartitionRule rule = table.partitions();
    return assigned.stream().anyMatch(id -> key.contains(id) || (rule != null && rule.reads(id)));
  }

  /**
   * Deletes rows.
   *
   * @param old visible columns
   */
  void delete(Batch keys, Batch old) {
    var ids = new ArrayList<>(keyIds);
    var columns = new ArrayList<>(keys.columns());
    for (int id : outsideKey()) {
      ids.add(id);
      columns.add(old.column(UniqueKeys.place(table, id)));
    }
    dml.buffer(session, table, OpType.DELETE, ids, new Batch(columns, keys.rows()));
  }

  /** Partition columns that are not part of the key. */
  private List<Integer> outsideKey() {
    PartitionRule rule = table.partitions();
    return rule == null
        ? List.of()
        : rule.columnIds().stream().filter(id -> !keyIds.contains(id)).toList();
  }

  /** Key of the changed rows: visible parts from the rows, hidden ones as before. */
  Batch newKeys(Batch keys, Batch changed) {
    var out = new ArrayList<Vector>();
    for (int i = 0; i < keyIds.size(); i++) {
      int place = UniqueKeys.place(table, keyIds.get(i));
      out.add(place >= 0 ? changed.column(place) : keys.column(i));
    }
    return new Batch(out, changed.rows());
  }

  /**
   * @param keys of the rows as they were
   * @param old visible columns before
   * @param changed visible columns after
   * @param assigned columns that were assigned
   */
  void replace(Batch keys, Batch old, Batch changed, List<Integer> assigned) {
    if (changesKey(table, assigned)) {
      delete(keys, old);
      whole(newKeys(keys, changed), changed);
    } else if (table.regionOptions().mergeMode() == MergeMode.LAST_NON_NULL
        && outsideKey().isEmpty()) {
      parts(keys, changed, assigned);
    } else {
      whole(keys, changed);
    }
  }

  private void whole(Batch keys, Batch changed) {
    var ids = new ArrayList<Integer>();
    var columns = new ArrayList<Vector>();
    for (int i = 0; i < keyIds.size(); i++) {
      ids.add(keyIds.get(i));
      columns.add(keys.column(i));
    }
    for (int c = 0; c < table.columns().size(); c++) {
      int id = table.columns().get(c).id();
      if (!keyIds.contains(id)) {
        ids.add(id);
        columns.add(changed.column(c));
      }
    }
    dml.buffer(session, table, OpType.REPLACE, ids, new Batch(columns, changed.rows()));
  }

  private void parts(Batch keys, Batch changed, List<Integer> assigned) {
    for (int id : assigned) {
      Vector v = changed.column(UniqueKeys.place(table, id));
      int[] given = new int[changed.rows()];
      int[] cleared = new int[changed.rows()];
      int g = 0;
      int n = 0;
      for (int r = 0; r < changed.rows(); r++) {
        if (v.isNull(r)) {
          cleared[n++] = r;
        } else {
          given[g++] = r;
        }
      }
      var ids = new ArrayList<>(keyIds);
      ids.add(id);
      Batch full = DmlSupport.join(keys, new Batch(List.of(v), changed.rows()));
      dml.buffer(session, table, OpType.PUT, ids, full.take(given, g));
      dml.buffer(session, table, OpType.CLEAR, ids, full.take(cleared, n));
    }
  }
}
