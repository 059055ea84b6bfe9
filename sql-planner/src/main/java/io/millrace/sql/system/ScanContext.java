package io.millrace.sql.system;

import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.storage.RegionEngine;

/**
 * What fillers read.
 *
 * @param database the session's database, as the catalog names it
 */
record ScanContext(
    CatalogSnapshot catalog,
    String database,
    QueryEngine.SessionInfo session,
    SettingDefinitions settings,
    RegionEngine engine,
    SystemSources sources) {}
