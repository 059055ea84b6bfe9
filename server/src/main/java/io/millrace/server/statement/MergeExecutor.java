package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.RowIndex;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.DmlPlan.MergeAction;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.storage.RegionOptions.KeyMode;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * MERGE, so that no change is lost:
 *
 *   read at a snapshot ─► lock the keys of the rows to be changed and, where the table has a key, of those to
 *   be inserted ─► did the table move since the snapshot?
 *     no: the rows are right
 *     yes: read again, lock what is new, and so on; every round that goes on has locked more
 *
 * So a row that another transaction inserted or deleted meanwhile is met by the clause that fits it now. Under
 * REPEATABLE READ a row that moved is 40001.
 *
 * Rows are deleted first, then updated, then inserted.
 */
/** Runs MERGE. */
final class MergeExecutor {
  private final DmlSupport dml;
  private final InsertExecutor insert;
  private final UniqueKeys uniques;

  MergeExecutor(DmlSupport dml, InsertExecutor insert) {
    this.dml = dml;
    this.insert = insert;
    this.uniques = new UniqueKeys(dml);
  }

  CompletableFuture<Outcome> run(
      SessionContext session, DmlPlan.Merge plan, List<Vector> parameters) {
    DmlSupport.requireWritable(session, "MERGE");
    boolean inserts = plan.actions().stream().allMatch(MergeExecutor::adds);
    if (plan.table().appendMode() && !inserts) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "MERGE that updates or deletes is refused on table \""
                  + plan.table().name()
                  + "\", which is in append mode")
          .withHint("Rows of append_mode tables leave by TRUNCATE or ttl only.");
    }
    var run = new Run(session, plan, parameters);
    return Async.then(session, run.round(null), run::apply);
  }

  private static boolean adds(MergeAction a) {
    return a instanceof MergeAction.Add || a instanceof MergeAction.Nothing;
  }

  /** One statement. */
  private final class Run {
    private final SessionContext session;
    private final DmlPlan.Merge plan;
    private final TableInfo table;
    private final List<Vector> parameters;
    private final int keyWidth;
    private final int width;
    private final boolean repeatable;
    private final RowIndex locked;

    Run(SessionContext session, DmlPlan.Merge plan, List<Vector> parameters) {
      this.session = session;
      this.plan = plan;
      this.table = plan.table();
      this.parameters = parameters;
      this.keyWidth = DmlPlan.keyColumnIds(table).size();
      this.width = table.columns().size();
      this.repeatable = session.transaction().repeatable();
      this.locked = new RowIndex(keyWidth);
    }

    /**
     * @param before the rows of the round before; null at first
     */
    CompletableFuture<Batch> round(@Nullable Batch before) {
      Snapshot given = repeatable ? session.queryContext(List.of()).snapshot() : null;
      Snapshot cut =
          given == null || before != null
              ? dml.services().engine().snapshot(dml.regions(session, table, plan.source()))
              : given;
      return Async.then(
              session,
              dml.collect(session, plan.source(), parameters, cut, dml.services().memoryPerQuery()),
              read -> {
                Batch rows = acting(read);
                if (repeatable && before != null && !sameRows(before, rows)) {
                  throw new MillraceException(
                      ErrorCode.SERIALIZATION_FAILURE,
                      "could not serialize access due to concurrent update");
                }
                return locked(rows, cut);
              })
          .whenComplete(
              (r, e) -> {
                if (cut != given) {
                  cut.close();
                }
              });
    }

    private CompletableFuture<Batch> locked(Batch rows, Snapshot cut) {
      refuseSecondChange(rows);
      boolean more = false;
      CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
      for (Batch keys : keysToLock(rows)) {
        for (int earlier : locked.add(keys)) {
          more |= earlier < 0;
        }
        all = Async.then(session, all, v -> dml.lock(session, DmlSupport.lockSpace(table), keys));
      }
      boolean added = more;
      return Async.then(
          session,
          all,
          v -> added && moved(cut) ? round(rows) : CompletableFuture.completedFuture(rows));
    }

    private boolean moved(Snapshot cut) {
      try (Snapshot now = dml.services().engine().snapshot(table.regions())) {
        return table.regions().stream().anyMatch(r -> now.sequence(r) != cut.sequence(r));
      }
    }

    private List<Batch> keysToLock(Batch rows) {
      var out = new ArrayList<Batch>();
      out.add(DmlSupport.columns(changing(rows), 0, keyWidth));
      KeyMode mode = table.regionOptions().keyMode();
      boolean keyed =
          mode == KeyMode.UNIQUE_KEY
              || (mode == KeyMode.TIME_INDEX && UniqueKeys.hiddenTags(table).isEmpty());
      for (int i = 0; keyed && i < plan.actions().size(); i++) {
        if (plan.actions().get(i) instanceof MergeAction.Add a) {
          Batch own = of(rows, i);
          Batch row = DmlSupport.columns(own, a.valuesAt(), width);
          RowChecks.notNull(table, row, session.settings().format());
          out.add(UniqueKeys.storageKey(table, row));
        }
      }
      return out;
    }

    /** Rows that an action takes which does something. */
    private Batch acting(List<Batch> read) {
      List<SqlType> types =
          plan.source().columns().stream().map(PlanTemplate.ResultColumn::type).toList();
      return where(
          DmlSupport.concat(types, read),
          n -> n >= 0 && !(plan.actions().get(n) instanceof MergeAction.Nothing));
    }

    private Batch changing(Batch rows) {
      return where(rows, n -> !(plan.actions().get(n) instanceof MergeAction.Add));
    }

    private Batch of(Batch rows, int action) {
      return where(rows, n -> n == action);
    }

    private Batch where(Batch rows, java.util.function.IntPredicate action) {
      var number = (IntVector) rows.column(keyWidth + width);
      int[] at = new int[rows.rows()];
      int n = 0;
      for (int r = 0; r < rows.rows(); r++) {
        if (action.test(number.get(r))) {
          at[n++] = r;
        }
      }
      return n == rows.rows() ? rows : rows.take(at, n);
    }

    private void refuseSecondChange(Batch rows) {
      Batch keys = DmlSupport.columns(changing(rows), 0, keyWidth);
      for (int earlier : new RowIndex(keyWidth).add(keys)) {
        if (earlier >= 0) {
          throw new MillraceException(
                  ErrorCode.CARDINALITY_VIOLATION, "MERGE command cannot affect row a second time")
              .withHint("Ensure that not more than one source row matches any one target row.");
        }
      }
    }

    /** Whether the same rows of the table meet the same actions; new values are not looked at. */
    private boolean sameRows(Batch a, Batch b) {
      Batch x = DmlSupport.columns(a, 0, keyWidth + width + 1);
      Batch y = DmlSupport.columns(b, 0, keyWidth + width + 1);
      return RowChecks.sameRows(x, y);
    }

    CompletableFuture<Outcome> apply(Batch rows) {
      remove(rows);
      return Async.then(
          session,
          change(rows),
          v -> Async.map(session, add(rows), x -> new Outcome.Done("MERGE " + rows.rows())));
    }

    private void remove(Batch rows) {
      Batch gone = where(rows, n -> plan.actions().get(n) instanceof MergeAction.Remove);
      if (gone.rows() > 0) {
        new RowReplacement(dml, session, table)
            .delete(
                DmlSupport.columns(gone, 0, keyWidth), DmlSupport.columns(gone, keyWidth, width));
      }
    }

    /** All clauses' updates as one, so that values may move between rows of several clauses. */
    private CompletableFuture<Boolean> change(Batch rows) {
      var parts = new ArrayList<Batch>();
      var assigned = new TreeSet<Integer>();
      for (int i = 0; i < plan.actions().size(); i++) {
        if (plan.actions().get(i) instanceof MergeAction.Change c) {
          Batch own = of(rows, i);
          if (own.rows() > 0) {
            parts.add(changed(own, c));
            assigned.addAll(c.columnIds());
          }
        }
      }
      if (parts.isEmpty()) {
        return CompletableFuture.completedFuture(false);
      }
      var types = new ArrayList<SqlType>(DmlPlan.keyTypes(table));
      table.columns().forEach(c -> types.add(c.type()));
      table.columns().forEach(c -> types.add(c.type()));
      Batch all = DmlSupport.concat(types, parts);
      Batch keys = DmlSupport.columns(all, 0, keyWidth);
      Batch old = DmlSupport.columns(all, keyWidth, width);
      Batch changed = DmlSupport.columns(all, keyWidth + width, width);
      check(changed);
      List<Integer> ids = List.copyOf(assigned);
      return Async.map(
          session,
          uniques.requireFree(session, table, ids, keys, changed),
          v -> {
            new RowReplacement(dml, session, table).replace(keys, old, changed, ids);
            return true;
          });
    }

    private void check(Batch changed) {
      EvalContext context = dml.evalContext(session);
      RowChecks.notNull(table, changed, context.format());
      RowChecks.checks(
          table, plan.checks(), changed, parameters, dml.services().evaluator(), context);
    }

    /** Key, row before, row after. */
    private Batch changed(Batch own, MergeAction.Change c) {
      Batch was = DmlSupport.columns(own, 0, keyWidth + width);
      var after = new ArrayList<>(was.columns().subList(keyWidth, keyWidth + width));
      for (int i = 0; i < c.columnIds().size(); i++) {
        after.set(UniqueKeys.place(table, c.columnIds().get(i)), own.column(c.valuesAt() + i));
      }
      return DmlSupport.join(was, new Batch(after, own.rows()));
    }

    private CompletableFuture<Boolean> add(Batch rows) {
      var parts = new ArrayList<Batch>();
      for (int i = 0; i < plan.actions().size(); i++) {
        if (plan.actions().get(i) instanceof MergeAction.Add a) {
          parts.add(DmlSupport.columns(of(rows, i), a.valuesAt(), width));
        }
      }
      parts.removeIf(b -> b.rows() == 0);
      if (parts.isEmpty()) {
        return CompletableFuture.completedFuture(false);
      }
      var rowsOnly =
          new DmlPlan.Insert(
              table, plan.source(), plan.checks(), Optional.empty(), false, Optional.empty());
      return insert.write(session, rowsOnly, parts, parameters).thenApply(o -> true);
    }
  }
}
