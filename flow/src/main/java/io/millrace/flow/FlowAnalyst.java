package io.millrace.flow;

import io.millrace.flow.batching.FlowPlan;
import io.millrace.flow.batching.FlowPlanner;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.exec.QueryEngine.SessionInfo;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.parser.StatementParser;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.session.SettingDefinitions;
import java.util.List;
import java.util.SplittableRandom;

/** Plans the queries of flows as their creators' sessions would. */
final class FlowAnalyst {
  private final Flows.Services services;
  private final FlowPlanner planner;
  private final StatementParser parser = new StatementParser();

  FlowAnalyst(Flows.Services services) {
    this.services = services;
    this.planner = new FlowPlanner(services.evaluator());
  }

  /** The session that a stored flow's query is planned in, over the newest catalog. */
  private Planner.PlanContext context(FlowInfo f) {
    return new Planner.PlanContext(
        new BoundCatalog(services.catalog().snapshot(), f.bound()),
        f.database(),
        "millrace",
        SettingDefinitions.parseSearchPath(
            f.sessionSettings().getOrDefault("search_path", "public"), "millrace"),
        f.sessionSettings(),
        List.of());
  }

  FlowPlan plan(FlowInfo f) {
    Planner.PlanContext context = context(f);
    return analyse(services.planner().planQuery(parser.parseQuery(f.query()), context), context);
  }

  FlowPlan analyse(Planner.PlannedQuery query, Planner.PlanContext context) {
    var format = SettingDefinitions.format(context.settings());
    long now = services.clock().wallMicros();
    var evalContext =
        new EvalContext(
            context.catalog(),
            format,
            new SessionInfo(
                context.database(), context.user(), context.searchPath(), 0, context.settings()),
            now,
            now,
            services.clock(),
            new SplittableRandom(0),
            () -> {});
    return planner.plan(query, context.catalog(), format, evalContext);
  }
}
