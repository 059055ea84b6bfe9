package io.millrace.sql.rule;

import io.millrace.sql.catalog.TableInfo;

/** What the engine knows of stored tables without reading them; any thread, at once. */
@FunctionalInterface
public interface TableStatistics {
  /** Knows nothing. */
  TableStatistics NONE = table -> -1;

  /** How many rows a table has, about; negative where that is not known. */
  long rows(TableInfo table);
}
