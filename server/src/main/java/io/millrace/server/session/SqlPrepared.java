package io.millrace.server.session;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.RowCollector;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * PREPARE/EXECUTE and cursors. A cursor's rows are read when it is declared and kept in memory up
 * to the query's budget, so that it can go backwards, outlive its transaction and holds no
 * snapshot.
 */
final class SqlPrepared implements PreparedStatements {
  private record Named(
      String text, Statement statement, List<@Nullable SqlType> declared, List<SqlType> types) {}

  private static final class Cursor {
    final List<PlanTemplate.ResultColumn> columns;
    final List<Batch> batches;
    final boolean hold;
    final boolean backwards;
    final long rows;

    /** 0 = before the first row, rows + 1 = after the last. */
    long position;

    Cursor(
        List<PlanTemplate.ResultColumn> columns,
        List<Batch> batches,
        boolean hold,
        boolean backwards) {
      this.columns = columns;
      this.batches = batches;
      this.hold = hold;
      this.backwards = backwards;
      this.rows = batches.stream().mapToLong(Batch::rows).sum();
    }
  }

  private final SessionState state;
  private final SessionServices services;
  private final Map<String, Named> named = new HashMap<>();
  private final Map<String, Cursor> cursors = new HashMap<>();

  SqlPrepared(SessionState state, SessionServices services) {
    this.state = state;
    this.services = services;
  }

  @Override
  public Outcome prepare(Statement.Prepare statement, Planner.PlanContext context) {
    String name = statement.name().text();
    var declared = new ArrayList<@Nullable SqlType>();
    for (TypeName t : statement.types()) {
      declared.add(services.planner().resolveType(t, context));
    }
    Planner.Planned planned =
        services
            .planner()
            .plan(statement.statement(), statement.text(), state.planContext(declared));
    if (named.containsKey(name)) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_PREPARED_STATEMENT,
          "prepared statement \"" + name + "\" already exists");
    }
    named.put(
        name,
        new Named(statement.text(), statement.statement(), declared, planned.parameterTypes()));
    return new Outcome.Done("PREPARE");
  }

  private Named find(String name) {
    Named n = named.get(name);
    if (n == null) {
      throw new MillraceException(
          ErrorCode.INVALID_SQL_STATEMENT_NAME,
          "prepared statement \"" + name + "\" does not exist");
    }
    return n;
  }

  @Override
  public List<SqlType> parameterTypes(String name) {
    return find(name).types();
  }

  @Override
  public @Nullable List<PlanTemplate.ResultColumn> describe(String name) {
    Named n = named.get(name);
    if (n == null) {
      return null;
    }
    return switch (services
        .planner()
        .plan(n.statement(), n.text(), state.planContext(n.declared()))) {
      case Planner.PlannedQuery q -> q.template().columns();
      case Planner.PlannedDml d -> d.plan().columns();
      case Planner.PlannedUtility u -> services.executor().describe(state, u);
    };
  }

  @Override
  public CompletableFuture<Outcome> execute(String name, List<Vector> arguments) {
    Named n = find(name);
    Planner.Planned planned =
        services.planner().plan(n.statement(), n.text(), state.planContext(n.declared()));
    var parameters = new ArrayList<>(arguments);
    return switch (planned) {
      case Planner.PlannedQuery q -> {
        parameters.addAll(q.literals());
        yield collect(q.template(), parameters)
            .thenApply(
                rows ->
                    new Outcome.Rows(
                        q.template().columns(),
                        rows,
                        "SELECT " + rows.stream().mapToLong(Batch::rows).sum()));
      }
      case Planner.PlannedDml d -> {
        parameters.addAll(d.literals());
        yield services.executor().execute(state, d, n.text(), parameters);
      }
      case Planner.PlannedUtility u -> services.executor().execute(state, u, n.text(), parameters);
    };
  }

  private CompletableFuture<List<Batch>> collect(PlanTemplate template, List<Vector> parameters) {
    var sink = RowCollector.gather(services.memoryPerQuery());
    QueryEngine.Query query =
        services.queries().open(template, state.queryContext(parameters), sink);
    state.onCancel(query::cancel);
    query.demand(Long.MAX_VALUE);
    return sink.result().whenComplete((r, e) -> query.close());
  }

  @Override
  public Outcome deallocate(@Nullable String name) {
    if (name == null) {
      named.clear();
      return new Outcome.Done("DEALLOCATE ALL");
    }
    find(name);
    named.remove(name);
    return new Outcome.Done("DEALLOCATE");
  }

  @Override
  public CompletableFuture<Outcome> declare(Statement.DeclareCursor statement) {
    String name = statement.name().text();
    if (!statement.hold() && !state.transaction().explicit()) {
      throw new MillraceException(
          ErrorCode.NO_ACTIVE_SQL_TRANSACTION,
          "DECLARE CURSOR can only be used in transaction blocks");
    }
    if (cursors.containsKey(name)) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_CURSOR, "cursor \"" + name + "\" already exists");
    }
    Statement query = new Statement.Query(statement.query());
    Planner.Planned planned =
        services.planner().plan(query, statement.query().text(), state.planContext(List.of()));
    List<Vector> literals =
        switch (planned) {
          case Planner.PlannedQuery q -> q.literals();
          case Planner.PlannedDml d -> d.literals();
          case Planner.PlannedUtility u -> List.of();
        };
    return services
        .executor()
        .execute(state, planned, statement.query().text(), literals)
        .thenApply(
            outcome -> {
              Boolean scroll = statement.scroll();
              Outcome.Rows rows = (Outcome.Rows) outcome;
              state.serial(
                  () ->
                      cursors.put(
                          name,
                          new Cursor(
                              rows.columns(),
                              rows.batches(),
                              statement.hold(),
                              scroll == null || scroll)));
              return new Outcome.Done("DECLARE CURSOR");
            });
  }

  private Cursor cursor(String name) {
    Cursor c = cursors.get(name);
    if (c == null) {
      throw new MillraceException(
          ErrorCode.INVALID_CURSOR_NAME, "cursor \"" + name + "\" does not exist");
    }
    return c;
  }

  @Override
  public @Nullable List<PlanTemplate.ResultColumn> cursorColumns(String name) {
    Cursor c = cursors.get(name);
    return c == null ? null : c.columns;
  }

  @Override
  public CompletableFuture<Outcome> fetch(Statement.Fetch f) {
    Cursor c = cursor(f.cursor().text());
    long n = f.count();
    var picked = new ArrayList<Long>();
    switch (f.direction()) {
      case FORWARD -> step(c, n, picked);
      case BACKWARD -> step(c, n == Long.MAX_VALUE ? -Long.MAX_VALUE : -n, picked);
      case ABSOLUTE -> jump(c, n < 0 ? c.rows + 1 + n : n, picked);
      case RELATIVE -> jump(c, c.position + n, picked);
    }
    if (f.move()) {
      return CompletableFuture.completedFuture(new Outcome.Done("MOVE " + picked.size()));
    }
    return CompletableFuture.completedFuture(
        new Outcome.Rows(c.columns, rows(c, picked), "FETCH " + picked.size()));
  }

  private static void jump(Cursor c, long to, List<Long> picked) {
    needBackwards(c, to < c.position);
    c.position = Math.clamp(to, 0, c.rows + 1);
    if (c.position >= 1 && c.position <= c.rows) {
      picked.add(c.position);
    }
  }

  private static void needBackwards(Cursor c, boolean backwards) {
    if (backwards && !c.backwards) {
      throw new MillraceException(
              ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE, "cursor can only scan forward")
          .withHint("Declare it with SCROLL option to enable backward scan.");
    }
  }

  private static void step(Cursor c, long n, List<Long> picked) {
    if (n == 0) {
      if (c.position >= 1 && c.position <= c.rows) {
        picked.add(c.position);
      }
      return;
    }
    needBackwards(c, n < 0);
    long left = Math.abs(n);
    int direction = n < 0 ? -1 : 1;
    while (left > 0) {
      long next = c.position + direction;
      if (next < 1 || next > c.rows) {
        c.position = direction > 0 ? c.rows + 1 : 0;
        return;
      }
      c.position = next;
      picked.add(next);
      left--;
    }
  }

  /** The rows at positions from 1, cut out of the batches. */
  private static List<Batch> rows(Cursor c, List<Long> picked) {
    var out = new ArrayList<Batch>();
    Iterator<Long> it = picked.iterator();
    if (!it.hasNext()) {
      return out;
    }
    long at = it.next();
    boolean more = true;
    while (more) {
      long start = 0;
      Batch holder = c.batches.getFirst();
      for (Batch b : c.batches) {
        if (at <= start + b.rows()) {
          holder = b;
          break;
        }
        start += b.rows();
      }
      int[] positions = new int[holder.rows()];
      int count = 0;
      while (more && at > start && at <= start + holder.rows() && count < positions.length) {
        positions[count++] = (int) (at - start - 1);
        more = it.hasNext();
        if (more) {
          at = it.next();
        }
      }
      out.add(holder.take(positions, count));
    }
    return out;
  }

  @Override
  public Outcome close(@Nullable String name) {
    if (name == null) {
      cursors.clear();
      return new Outcome.Done("CLOSE CURSOR ALL");
    }
    cursor(name);
    cursors.remove(name);
    return new Outcome.Done("CLOSE CURSOR");
  }

  void transactionEnded() {
    cursors.values().removeIf(c -> !c.hold);
  }

  @Override
  public void discardAll() {
    named.clear();
    cursors.clear();
  }
}
