package io.millrace.sql.plan;

import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.rule.TableStatistics;
import java.util.List;

/**
 * How large the tables were, roughly, when the order of their joins was chosen: it is chosen anew
 * once one is some four times as large, or as small. Any thread.
 */
final class TableSizes {
  static final TableSizes NONE = new TableSizes(List.of(), new long[0], TableStatistics.NONE);

  /** Below it tables are all alike. */
  private static final long SMALL = 1_000;

  private static final int FACTOR = 4;

  private final List<TableInfo> tables;
  private final long[] rows;
  private final TableStatistics statistics;

  private TableSizes(List<TableInfo> tables, long[] rows, TableStatistics statistics) {
    this.tables = tables;
    this.rows = rows;
    this.statistics = statistics;
  }

  static TableSizes of(List<TableInfo> tables, TableStatistics statistics) {
    long[] rows = new long[tables.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = Math.max(SMALL, statistics.rows(tables.get(i)));
    }
    return new TableSizes(List.copyOf(tables), rows, statistics);
  }

  /** Whether a plan would come out otherwise over tables of other sizes: whether it joins. */
  static boolean matter(PhysicalPlan plan) {
    return plan instanceof PhysicalPlan.Join || plan.inputs().stream().anyMatch(TableSizes::matter);
  }

  boolean hold() {
    for (int i = 0; i < rows.length; i++) {
      long now = Math.max(SMALL, statistics.rows(tables.get(i)));
      if (now > rows[i] * FACTOR || now < rows[i] / FACTOR) {
        return false;
      }
    }
    return true;
  }
}
