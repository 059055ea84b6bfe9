package io.millrace.server.session;

import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.server.statement.StatementExecutor;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.sql.system.SystemCatalog;
import io.millrace.sql.write.TableWriter;
import io.millrace.storage.RegionEngine;

/** What sessions need of the server. */
public record SessionServices(
    RegionEngine engine,
    QueryEngine queries,
    Catalog catalog,
    TableProcedures tables,
    TableWriter writer,
    Planner planner,
    StatementExecutor executor,
    SettingDefinitions settings,
    SystemCatalog system,
    SessionRegistry registry,
    Clock clock,
    Scheduler scheduler,
    long memoryPerQuery,
    WriteMemory writeMemory) {}
