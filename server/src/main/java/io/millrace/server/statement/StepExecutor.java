package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.id.RegionId;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.server.session.TransactionBlock;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs data changes, queries with locks, and statements of several such steps. All steps read what
 * was there when the statement began: rows pass from one to the next by RETURNING only.
 */
final class StepExecutor {
  private final DmlSupport dml;
  private final InsertExecutor insert;
  private final ChangeExecutor change;
  private final LockingExecutor locking;
  private final MergeExecutor merge;

  StepExecutor(DmlSupport dml, InsertExecutor insert, ChangeExecutor change) {
    this.dml = dml;
    this.insert = insert;
    this.change = change;
    this.locking = new LockingExecutor(dml);
    this.merge = new MergeExecutor(dml, insert);
  }

  CompletableFuture<Outcome> run(SessionContext session, DmlPlan plan, List<Vector> parameters) {
    return switch (plan) {
      case DmlPlan.Steps s -> all(session, s, parameters);
      default -> one(session, plan, parameters, null);
    };
  }

  private CompletableFuture<Outcome> one(
      SessionContext session, DmlPlan plan, List<Vector> parameters, @Nullable Snapshot start) {
    return switch (plan) {
      case DmlPlan.Insert i -> insert.run(session, i, parameters);
      case DmlPlan.Update u -> change.update(session, u, parameters);
      case DmlPlan.Delete x -> change.delete(session, x, parameters);
      case DmlPlan.Merge m -> merge.run(session, m, parameters);
      case DmlPlan.Locking l -> locking.run(session, l, parameters);
      case DmlPlan.Read r -> read(session, r.source(), parameters, start);
      case DmlPlan.Steps s -> throw new IllegalStateException("steps within a step");
    };
  }

  private CompletableFuture<Outcome> read(
      SessionContext session,
      PlanTemplate template,
      List<Vector> parameters,
      @Nullable Snapshot start) {
    return dml.collect(session, template, parameters, start)
        .thenApply(
            rows ->
                new Outcome.Rows(
                    template.columns(),
                    rows,
                    "SELECT " + rows.stream().mapToLong(Batch::rows).sum()));
  }

  private CompletableFuture<Outcome> all(
      SessionContext session, DmlPlan.Steps plan, List<Vector> parameters) {
    TransactionBlock t = session.transaction();
    Snapshot start = t.repeatable() ? null : snapshot(session, plan);
    t.freeze();
    return next(session, plan, 0, new ArrayList<>(parameters), start)
        .whenComplete(
            (o, e) -> {
              t.thaw();
              if (start != null) {
                start.close();
              }
            });
  }

  private Snapshot snapshot(SessionContext session, DmlPlan.Steps plan) {
    Set<RegionId> regions = new HashSet<>();
    plan.steps().forEach(s -> regions.addAll(dml.regions(session, s.source())));
    return dml.services().engine().snapshot(regions);
  }

  private CompletableFuture<Outcome> next(
      SessionContext session,
      DmlPlan.Steps plan,
      int at,
      List<Vector> parameters,
      @Nullable Snapshot start) {
    DmlPlan step = plan.steps().get(at);
    CompletableFuture<Outcome> done = one(session, step, List.copyOf(parameters), start);
    if (at == plan.steps().size() - 1) {
      return done;
    }
    return Async.then(
        session,
        done,
        outcome -> {
          if (outcome instanceof Outcome.Rows rows) {
            var types = rows.columns().stream().map(PlanTemplate.ResultColumn::type).toList();
            parameters.addAll(DmlSupport.concat(types, rows.batches()).columns());
          }
          return next(session, plan, at + 1, parameters, start);
        });
  }
}
