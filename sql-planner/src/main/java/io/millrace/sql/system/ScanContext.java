package io.millrace.sql.system;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.storage.IndexInfo;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionInfo;
import io.millrace.storage.RegionStatistics;
import io.millrace.storage.SstInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * What fillers read.
 *
 * @param view the catalog as the session's database sees it
 */
record ScanContext(
    View view,
    QueryEngine.SessionInfo session,
    SettingDefinitions settings,
    RegionEngine engine,
    SystemSources sources,
    BuiltIns builtIns) {

  CatalogSnapshot catalog() {
    return view.snapshot();
  }

  /** What is known of a table's regions; those that are being dropped are left out. */
  List<RegionInfo> regions(TableInfo t) {
    return regions(engine, t);
  }

  /** Figures of a table's regions; those that are being dropped are left out. */
  List<RegionStatistics> statistics(TableInfo t) {
    var out = new ArrayList<RegionStatistics>();
    for (RegionInfo r : regions(t)) {
      out.add(engine.statistics(r.id()));
    }
    return out;
  }

  static List<RegionInfo> regions(RegionEngine engine, TableInfo t) {
    var out = new ArrayList<RegionInfo>();
    for (RegionId id : t.regions()) {
      try {
        out.add(engine.info(id));
      } catch (MillraceException e) {
        if (e.code() != ErrorCode.REGION_NOT_FOUND) {
          throw e;
        }
      }
    }
    return out;
  }

  /** The files of a table's regions; regions that are being dropped are left out. */
  List<SstInfo> files(TableInfo t) {
    var out = new ArrayList<SstInfo>();
    for (RegionInfo r : regions(t)) {
      out.addAll(engine.files(r.id()));
    }
    return out;
  }

  /** The indexes of those files. */
  List<IndexInfo> indexes(TableInfo t) {
    var out = new ArrayList<IndexInfo>();
    for (RegionInfo r : regions(t)) {
      out.addAll(engine.indexes(r.id()));
    }
    return out;
  }

  long rows(TableInfo t) {
    return regions(t).stream().mapToLong(RegionInfo::rows).sum();
  }

  long bytes(TableInfo t) {
    return bytes(engine, t);
  }

  static long bytes(RegionEngine engine, TableInfo t) {
    return regions(engine, t).stream().mapToLong(r -> r.fileBytes() + r.memtableBytes()).sum();
  }
}
