package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.RowIndex;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/*
 * UPDATE and DELETE, so that no update is lost:
 *
 *   read the rows at snapshot S1 ─► lock their keys ─► take snapshot S2
 *     no region of the target moved between S1 and S2: the rows are right
 *     else: read again at S2 and go on with those rows whose keys are locked (what no longer matches is
 *     left alone, what newly matches is not taken in: PostgreSQL's READ COMMITTED)
 *
 * Locks are held until the transaction has been published. Under REPEATABLE READ a row that moved is 40001.
 *
 * Where the rows are too many to be gathered, the table is locked and read once, at a snapshot after that, in
 * pieces which are written ahead of the commit: nobody can change a row in between. (Not where rows are
 * returned, or new values of unique columns are to be held against all others.)
 */
/** Runs UPDATE and DELETE. */
final class ChangeExecutor {
  private final DmlSupport dml;
  private final UniqueKeys uniques;
  private final RangeDeletes ranges;

  ChangeExecutor(DmlSupport dml, UniqueKeys uniques) {
    this.dml = dml;
    this.uniques = uniques;
    this.ranges = new RangeDeletes(dml);
  }

  CompletableFuture<Outcome> update(
      SessionContext session, DmlPlan.Update plan, List<Vector> parameters) {
    check(session, plan.table(), "UPDATE");
    boolean pieces =
        plan.returning().isEmpty()
            && !RowReplacement.changesKey(plan.table(), plan.columnIds())
            && !UniqueKeys.anyAssigned(plan.table(), plan.columnIds());
    return orInPieces(
        session,
        plan,
        parameters,
        pieces,
        rows -> applyUpdate(session, plan, rows, parameters),
        "UPDATE ");
  }

  CompletableFuture<Outcome> delete(
      SessionContext session, DmlPlan.Delete plan, List<Vector> parameters) {
    check(session, plan.table(), "DELETE");
    return Async.then(
        session,
        ranges.tryDelete(session, plan, parameters),
        done ->
            done.isPresent()
                ? CompletableFuture.completedFuture(done.get())
                : orInPieces(
                    session,
                    plan,
                    parameters,
                    plan.returning().isEmpty(),
                    rows ->
                        CompletableFuture.completedFuture(
                            applyDelete(session, plan, rows, parameters)),
                    "DELETE "));
  }

  private static void check(SessionContext session, TableInfo table, String command) {
    DmlSupport.requireWritable(session, command);
    if (table.appendMode()) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              command + " is refused on table \"" + table.name() + "\", which is in append mode")
          .withHint("Rows of append_mode tables leave by TRUNCATE or ttl only.");
    }
  }

  /** Runs a statement on all its rows, or in pieces if they are too many and that can be. */
  private CompletableFuture<Outcome> orInPieces(
      SessionContext session,
      DmlPlan.Change plan,
      List<Vector> parameters,
      boolean pieces,
      Function<Batch, CompletableFuture<Outcome>> change,
      String tag) {
    long limit = pieces ? dml.pieceBytes() : dml.services().memoryPerQuery();
    CompletableFuture<Outcome> whole =
        Async.then(session, lockedRows(session, plan, parameters, limit), change);
    if (!pieces) {
      return whole;
    }
    var result = new CompletableFuture<Outcome>();
    var _ =
        whole.whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                result.complete(outcome);
              } else if (tooMany(failure)) {
                session.serial(
                    () -> {
                      var large = new Pieces(session, plan, change);
                      var _ =
                          large
                              .run(parameters)
                              .whenComplete(
                                  (v, e) -> {
                                    if (e != null) {
                                      result.completeExceptionally(e);
                                    } else {
                                      result.complete(new Outcome.Done(tag + large.rows));
                                    }
                                  });
                    });
              } else {
                result.completeExceptionally(failure);
              }
            });
    return result;
  }

  private static boolean tooMany(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException c && c.getCause() != null ? c.getCause() : failure;
    return cause instanceof MillraceException m && m.code() == ErrorCode.OUT_OF_MEMORY;
  }

  /** A statement of very many rows, under the lock of the table. */
  private final class Pieces {
    private final SessionContext session;
    private final DmlPlan.Change plan;
    private final Function<Batch, CompletableFuture<Outcome>> change;

    /** Rows had so far, where a join may give one twice. */
    private final @Nullable KeyHashes had;

    private long rows;

    Pieces(
        SessionContext session,
        DmlPlan.Change plan,
        Function<Batch, CompletableFuture<Outcome>> change) {
      this.session = session;
      this.plan = plan;
      this.change = change;
      this.had = joins(plan.source().plan()) ? new KeyHashes() : null;
    }

    private static boolean joins(PhysicalPlan p) {
      return p.inputs().size() > 1 || p.inputs().stream().anyMatch(Pieces::joins);
    }

    CompletableFuture<Boolean> run(List<Vector> parameters) {
      return Async.then(
          session,
          dml.lockTable(session, plan.table()),
          v -> {
            Snapshot cut =
                dml.services().engine().snapshot(dml.regions(session, plan.table(), plan.source()));
            return read(parameters, cut).whenComplete((x, e) -> cut.close());
          });
    }

    private CompletableFuture<Boolean> read(List<Vector> parameters, Snapshot cut) {
      if (session.transaction().repeatable()) {
        Snapshot first = firstSnapshot(session);
        for (RegionId r : plan.table().regions()) {
          if (first.sequence(r) != cut.sequence(r)) {
            throw new MillraceException(
                ErrorCode.SERIALIZATION_FAILURE,
                "could not serialize access due to concurrent update");
          }
        }
      }
      return Async.then(
          session,
          dml.collectLast(
              session,
              plan.source(),
              parameters,
              cut,
              piece ->
                  Async.then(session, CompletableFuture.completedFuture(null), v -> apply(piece))),
          last -> apply(last.rows()));
    }

    private CompletableFuture<Boolean> apply(List<Batch> piece) {
      Batch all = once(distinct(plan, piece));
      rows += all.rows();
      return Async.then(session, change.apply(all), o -> dml.spill(session, dml.pieceBytes() / 2));
    }

    private Batch once(Batch piece) {
      KeyHashes known = had;
      if (known == null) {
        return piece;
      }
      Batch keys = keys(plan, piece);
      int[] at = new int[piece.rows()];
      int n = 0;
      for (int r = 0; r < piece.rows(); r++) {
        at[n] = r;
        n += known.add(keys, r) ? 1 : 0;
      }
      return n == piece.rows() ? piece : piece.take(at, n);
    }
  }

  /** Rows of the source under locks, each target row once; 53200 if they are larger than that. */
  private CompletableFuture<Batch> lockedRows(
      SessionContext session, DmlPlan.Change plan, List<Vector> parameters, long bytes) {
    TableInfo table = plan.table();
    boolean repeatable = session.transaction().repeatable();
    Snapshot first =
        repeatable
            ? firstSnapshot(session)
            : dml.services().engine().snapshot(dml.regions(session, table, plan.source()));
    return Async.then(
            session,
            dml.collect(session, plan.source(), parameters, first, bytes),
            read -> {
              Batch rows = distinct(plan, read);
              return Async.then(
                  session,
                  dml.lock(session, DmlSupport.lockSpace(table), keys(plan, rows)),
                  v -> recheck(session, plan, parameters, rows, first));
            })
        .whenComplete(
            (r, e) -> {
              if (!repeatable) {
                first.close();
              }
            });
  }

  private Snapshot firstSnapshot(SessionContext session) {
    Snapshot s = session.queryContext(List.of()).snapshot();
    if (s == null) {
      throw new IllegalStateException("no snapshot in a repeatable read transaction");
    }
    return s;
  }

  private CompletableFuture<Batch> recheck(
      SessionContext session,
      DmlPlan.Change plan,
      List<Vector> parameters,
      Batch rows,
      Snapshot first) {
    TableInfo table = plan.table();
    if (rows.rows() == 0) {
      return CompletableFuture.completedFuture(rows);
    }
    Snapshot second = dml.services().engine().snapshot(dml.regions(session, table, plan.source()));
    boolean moved = table.regions().stream().anyMatch(r -> second.sequence(r) != first.sequence(r));
    if (!moved) {
      second.close();
      return CompletableFuture.completedFuture(rows);
    }
    RowIndex locked = RowIndex.of(keys(plan, rows));
    return Async.map(
            session,
            dml.collect(session, plan.source(), parameters, second),
            read -> {
              Batch again = distinct(plan, read);
              Batch againKeys = keys(plan, again);
              int[] at = new int[again.rows()];
              int n = 0;
              for (int r = 0; r < again.rows(); r++) {
                if (locked.first(againKeys, r) >= 0) {
                  at[n++] = r;
                }
              }
              Batch kept = again.take(at, n);
              if (session.transaction().repeatable() && !RowChecks.sameRows(rows, kept)) {
                throw new MillraceException(
                    ErrorCode.SERIALIZATION_FAILURE,
                    "could not serialize access due to concurrent update");
              }
              return kept;
            })
        .whenComplete((r, e) -> second.close());
  }

  private static Batch keys(DmlPlan.Change plan, Batch rows) {
    return DmlSupport.columns(rows, 0, DmlPlan.keyColumnIds(plan.table()).size());
  }

  /** A target row that several rows of FROM join with is taken once. */
  private static Batch distinct(DmlPlan.Change plan, List<Batch> read) {
    var types =
        plan.source().columns().stream()
            .map(io.millrace.sql.physical.PlanTemplate.ResultColumn::type)
            .toList();
    Batch all = DmlSupport.concat(types, read);
    Batch keys = keys(plan, all);
    int[] earlier = new RowIndex(keys.width()).add(keys);
    int[] at = new int[all.rows()];
    int n = 0;
    for (int r = 0; r < all.rows(); r++) {
      if (earlier[r] < 0) {
        at[n++] = r;
      }
    }
    return n == all.rows() ? all : all.take(at, n);
  }

  private CompletableFuture<Outcome> applyUpdate(
      SessionContext session, DmlPlan.Update plan, Batch rows, List<Vector> parameters) {
    TableInfo table = plan.table();
    int keyWidth = DmlPlan.keyColumnIds(table).size();
    int width = table.columns().size();
    Batch keys = DmlSupport.columns(rows, 0, keyWidth);
    Batch old = DmlSupport.columns(rows, keyWidth, width);
    var columns = new ArrayList<>(old.columns());
    for (int i = 0; i < plan.columnIds().size(); i++) {
      columns.set(
          UniqueKeys.place(table, plan.columnIds().get(i)), rows.column(keyWidth + width + i));
    }
    var changed = new Batch(columns, rows.rows());
    int extra = keyWidth + width + plan.columnIds().size();
    Batch others = DmlSupport.columns(rows, extra, rows.width() - extra);
    EvalContext context = dml.evalContext(session);
    RowChecks.notNull(table, changed, context.format());
    RowChecks.checks(
        table, plan.checks(), changed, parameters, dml.services().evaluator(), context);
    String tag = "UPDATE " + rows.rows();
    var replacement = new RowReplacement(dml, session, table);
    return Async.map(
        session,
        uniques.requireFree(session, table, plan.columnIds(), keys, changed),
        v -> {
          if (changed.rows() > 0) {
            replacement.replace(keys, old, changed, plan.columnIds());
          }
          return dml.outcome(
              session, plan, List.of(DmlSupport.join(changed, others)), parameters, tag);
        });
  }

  private Outcome applyDelete(
      SessionContext session, DmlPlan.Delete plan, Batch rows, List<Vector> parameters) {
    TableInfo table = plan.table();
    int keyWidth = DmlPlan.keyColumnIds(table).size();
    if (rows.rows() > 0) {
      new RowReplacement(dml, session, table)
          .delete(
              DmlSupport.columns(rows, 0, keyWidth),
              DmlSupport.columns(rows, keyWidth, table.columns().size()));
    }
    Batch shown = DmlSupport.columns(rows, keyWidth, rows.width() - keyWidth);
    return dml.outcome(session, plan, List.of(shown), parameters, "DELETE " + rows.rows());
  }
}
