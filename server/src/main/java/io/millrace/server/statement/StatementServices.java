package io.millrace.server.statement;

import io.millrace.common.time.Clock;
import io.millrace.flow.FlowService;
import io.millrace.server.config.ConfigReload;
import io.millrace.server.session.SessionRegistry;
import io.millrace.server.session.WriteMemory;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.session.SettingDefinitions;
import io.millrace.sql.write.RowIdAllocator;
import io.millrace.sql.write.TableWriter;
import io.millrace.storage.RegionEngine;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** What executors need of the server. */
public record StatementServices(
    RegionEngine engine,
    QueryEngine queries,
    Catalog catalog,
    TableProcedures tables,
    TableWriter writer,
    RowIdAllocator rowIds,
    Planner planner,
    ExprEvaluator evaluator,
    FlowService flows,
    SettingDefinitions settings,
    SessionRegistry registry,
    Clock clock,
    Supplier<RandomGenerator> random,
    long memoryPerQuery,
    WriteMemory writeMemory,
    Path copyFolder,
    ConfigReload reload) {}
