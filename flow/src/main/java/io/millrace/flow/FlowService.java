package io.millrace.flow;

import io.millrace.common.id.TableId;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.plan.Planner;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Flows as statements see them. Futures fail with MillraceException; nothing here waits. */
public interface FlowService extends AutoCloseable {
  /**
   * CREATE FLOW: validates, creates the sink if needed, stores checkpoint and catalog entry,
   * starts.
   *
   * @param text the statement's text
   * @param notice takes NOTICE messages, such as that the flow exists already
   */
  CompletableFuture<Void> create(
      Statement.CreateFlow statement,
      String text,
      Planner.PlanContext context,
      Consumer<String> notice);

  /** DROP FLOW: metadata first, then task, holds and hidden tables; the sink stays. */
  CompletableFuture<Void> drop(FlowInfo flow);

  CompletableFuture<Void> alter(
      FlowInfo flow, Statement.AlterFlow statement, Planner.PlanContext context);

  /** FLUSH_FLOW's barrier: completes with the number of sink rows changed. */
  CompletableFuture<Long> flush(FlowInfo flow);

  /** Drops the flows that use a table (DROP TABLE … CASCADE); completes with their names. */
  CompletableFuture<List<String>> dropDependents(TableId table);

  /** Flows that would lose their source or sink with a table. */
  List<String> dependents(TableId table);

  /** EXPLAIN FLOW's lines. */
  List<String> explain(FlowInfo flow);

  /** What information_schema.flow_statistics and SHOW FLOW STATUS show. */
  List<FlowStatistics> statistics();

  /** Re-creates all flows, re-makes holds, then opens the recovery gate. */
  CompletableFuture<Void> start();

  @Override
  void close();
}
