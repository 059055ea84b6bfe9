package io.millrace.flow.batching;

import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.flow.ledger.CheckpointStore;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.write.TableWriter;
import io.millrace.storage.RegionEngine;
import java.util.concurrent.Executor;

/**
 * What tasks run on.
 *
 * @param executor a thread per running evaluation, which may wait
 */
public record FlowRuntime(
    RegionEngine engine,
    QueryEngine queries,
    Catalog catalog,
    TableWriter writer,
    ExprEvaluator evaluator,
    CheckpointStore checkpoints,
    Clock clock,
    Scheduler scheduler,
    Executor executor) {}
