package io.millrace.flow;

import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.write.TableWriter;
import io.millrace.storage.RegionEngine;
import java.util.concurrent.Executors;

/** Makes the flow service. */
public final class Flows {
  private Flows() {}

  /** What flows work with. */
  public record Services(
      RegionEngine engine,
      QueryEngine queries,
      Catalog catalog,
      TableWriter writer,
      TableProcedures tables,
      Planner planner,
      ExprEvaluator evaluator,
      Clock clock,
      Scheduler scheduler) {}

  /** Cadence. */
  public record Settings(long minRefreshMicros, long reconcileIntervalMicros) {}

  /** A service that {@link FlowService#start} brings to life. Evaluations have a thread each. */
  public static FlowService create(Services services, Settings settings) {
    return new FlowDualEngine(
        services,
        settings,
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("millrace-flow-", 0).factory()));
  }
}
