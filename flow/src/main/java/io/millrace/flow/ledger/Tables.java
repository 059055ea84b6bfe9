package io.millrace.flow.ledger;

import io.millrace.common.batch.Batch;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Snapshot;
import java.util.List;
import java.util.function.Consumer;

/** Reads a table's rows on the calling thread. */
final class Tables {
  private Tables() {}

  static int id(TableInfo table, String column) {
    return table.column(column).orElseThrow().id();
  }

  static void scan(
      RegionEngine engine,
      TableInfo table,
      List<Integer> columnIds,
      List<ColumnPredicate> predicates,
      long minTime,
      long maxTime,
      Consumer<Batch> rows) {
    try (Snapshot snapshot = engine.snapshot(table.regions())) {
      for (var region : table.regions()) {
        var request =
            new ScanRequest(
                region,
                columnIds,
                predicates,
                minTime,
                maxTime,
                -1,
                ScanRequest.Order.ANY,
                0,
                null,
                ScanRequest.RowSelector.ALL,
                false,
                1);
        try (RegionScanner scanner = engine.scan(snapshot, request)) {
          for (int p = 0; p < scanner.partitions(); p++) {
            try (PartitionReader reader = scanner.open(p)) {
              for (Batch b = reader.next(); b != null; b = reader.next()) {
                if (b.rows() > 0) {
                  rows.accept(b);
                }
              }
            }
          }
        }
      }
    }
  }
}
