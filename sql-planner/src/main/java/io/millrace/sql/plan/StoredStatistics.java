package io.millrace.sql.plan;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.rule.TableStatistics;
import io.millrace.storage.RegionEngine;

/** What the region engine knows of tables. */
public final class StoredStatistics implements TableStatistics {
  private final RegionEngine engine;

  public StoredStatistics(RegionEngine engine) {
    this.engine = engine;
  }

  @Override
  public long rows(TableInfo table) {
    long rows = 0;
    for (RegionId region : table.regions()) {
      try {
        rows += engine.info(region).rows();
      } catch (MillraceException e) {
        if (e.code() == ErrorCode.REGION_NOT_FOUND) {
          return -1; // dropped, or not open yet: whoever reads it will hear
        }
        throw e;
      }
    }
    return rows;
  }
}
