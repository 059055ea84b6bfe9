package io.millrace.server.session;

import io.millrace.common.batch.Vector;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** PREPARE, EXECUTE, DEALLOCATE and cursors of a session. */
public interface PreparedStatements {
  Outcome prepare(Statement.Prepare statement, Planner.PlanContext context);

  /** Runs a prepared statement with the given parameter values, each a one-row vector. */
  CompletableFuture<Outcome> execute(String name, List<Vector> arguments);

  /** Parameter types of a prepared statement. */
  List<io.millrace.common.type.SqlType> parameterTypes(String name);

  Outcome deallocate(@Nullable String name);

  CompletableFuture<Outcome> declare(Statement.DeclareCursor statement);

  CompletableFuture<Outcome> fetch(Statement.Fetch statement);

  Outcome close(@Nullable String name);

  /** Result columns of EXECUTE name; null = none or unknown. */
  @Nullable List<PlanTemplate.ResultColumn> describe(String name);

  /** Result columns of FETCH from a cursor; null = unknown. */
  @Nullable List<PlanTemplate.ResultColumn> cursorColumns(String name);

  /** DISCARD ALL's part. */
  void discardAll();
}
