package io.millrace.server.statement;

import io.millrace.common.batch.Vector;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements that are not plain queries. Never waits: what takes time completes the future.
 */
public interface StatementExecutor {
  /**
   * @param parameters {@code $1}… and the plan's literals, one-row vectors
   */
  CompletableFuture<Outcome> execute(
      SessionContext session, Planner.Planned planned, String text, List<Vector> parameters);

  /** The result columns without running anything; null = no rows. */
  @Nullable List<PlanTemplate.ResultColumn> describe(
      SessionContext session, Planner.Planned planned);
}
