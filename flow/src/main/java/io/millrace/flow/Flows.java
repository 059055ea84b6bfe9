package io.millrace.flow;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Clock;
import io.millrace.common.time.Scheduler;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.exec.ExprEvaluator;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.write.TableWriter;
import io.millrace.storage.RegionEngine;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

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

  public static FlowService create(Services services, Settings settings) {
    return new CatalogFlows(services);
  }

  private record CatalogFlows(Services services) implements FlowService {
    private static MillraceException none() {
      return new MillraceException(
          ErrorCode.CANNOT_CONNECT_NOW, "the flow engine has not been started");
    }

    @Override
    public CompletableFuture<Void> create(
        Statement.CreateFlow statement,
        String text,
        Planner.PlanContext context,
        Consumer<String> notice) {
      return CompletableFuture.failedFuture(none());
    }

    @Override
    public CompletableFuture<Void> drop(FlowInfo flow) {
      return services
          .catalog()
          .change(s -> CatalogChange.of(new CatalogChange.Action.RemoveFlow(flow.id())))
          .thenAccept(s -> {});
    }

    @Override
    public CompletableFuture<Void> alter(
        FlowInfo flow, Statement.AlterFlow statement, Planner.PlanContext context) {
      return CompletableFuture.failedFuture(none());
    }

    @Override
    public CompletableFuture<Long> flush(FlowInfo flow) {
      return CompletableFuture.failedFuture(none());
    }

    @Override
    public CompletableFuture<List<String>> dropDependents(TableId table) {
      return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public List<String> dependents(TableId table) {
      return TableProcedures.flowsReading(services.catalog().snapshot(), table);
    }

    @Override
    public List<String> explain(FlowInfo flow) {
      return List.of();
    }

    @Override
    public List<FlowStatistics> statistics() {
      return List.of();
    }

    @Override
    public CompletableFuture<Void> start() {
      services.engine().openGate();
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {}
  }
}
