package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.exec.RowCollector;
import io.millrace.sql.exec.RowIndex;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.storage.KeyLocks;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * SELECT … FOR UPDATE / SHARE: the rows that the statement gives are locked to the end of the transaction.
 *
 *   read the first OFFSET + LIMIT rows ─► lock their keys ─► did a locked table move since the read?
 *     no: these are the rows
 *     yes: read again; rows whose keys are locked count, the others only where there are too few of those,
 *          and are locked then: again from there
 *
 * A row that changed while its key was waited for is so seen as it is now, and left out if the query does not
 * give it any more (PostgreSQL's READ COMMITTED). Every round that goes on has locked more, so it ends. Under
 * REPEATABLE READ a row that moved is 40001.
 *
 * SKIP LOCKED goes through the rows in order and takes those whose keys are free until there are enough; if
 * there are not, it reads twice as many rows.
 */
/** Runs queries with locks. */
final class LockingExecutor {
  /** Rows that SKIP LOCKED reads beyond those that are wanted, at first. */
  private static final int SPARE = 64;

  private final DmlSupport dml;

  LockingExecutor(DmlSupport dml) {
    this.dml = dml;
  }

  CompletableFuture<Outcome> run(
      SessionContext session, DmlPlan.Locking plan, List<Vector> parameters) {
    DmlSupport.requireWritable(session, plan.tables().getFirst().shared() ? SHARE : UPDATE);
    long offset = count(session, plan.offset(), parameters, 0, "OFFSET");
    long limit = count(session, plan.limit(), parameters, Long.MAX_VALUE, "LIMIT");
    long wanted = limit > Long.MAX_VALUE - offset ? Long.MAX_VALUE : offset + limit;
    if (wanted == 0) {
      return CompletableFuture.completedFuture(new Outcome.Rows(plan.columns(), List.of(), NONE));
    }
    return Async.map(
        session,
        new Run(session, plan, parameters, wanted).go(),
        rows -> {
          int from = (int) Math.min(offset, rows.rows());
          Batch shown = DmlSupport.columns(rows, 0, plan.columns().size());
          int left = rows.rows() - from;
          return new Outcome.Rows(
              plan.columns(), List.of(shown.slice(from, left)), "SELECT " + left);
        });
  }

  private static final String NONE = "SELECT 0";
  private static final String UPDATE = "SELECT FOR UPDATE";
  private static final String SHARE = "SELECT FOR SHARE";

  private long count(
      SessionContext session,
      @Nullable Expr expr,
      List<Vector> parameters,
      long otherwise,
      String clause) {
    if (expr == null) {
      return otherwise;
    }
    Vector v = dml.services().evaluator().constant(expr, parameters, dml.evalContext(session));
    if (v.isNull(0)) {
      return otherwise;
    }
    long n = ((LongVector) v).get(0);
    if (n < 0) {
      throw new MillraceException(
          clause.equals("LIMIT")
              ? ErrorCode.INVALID_ROW_COUNT_IN_LIMIT
              : ErrorCode.INVALID_ROW_COUNT_IN_OFFSET,
          clause + " must not be negative");
    }
    return n;
  }

  /** One statement. */
  private final class Run {
    private final SessionContext session;
    private final DmlPlan.Locking plan;
    private final List<Vector> parameters;
    private final long wanted;
    private final boolean skips;
    private final boolean repeatable;
    private final List<SqlType> types;
    private final List<RowIndex> locked = new ArrayList<>();

    Run(SessionContext session, DmlPlan.Locking plan, List<Vector> parameters, long wanted) {
      this.session = session;
      this.plan = plan;
      this.parameters = parameters;
      this.wanted = wanted;
      this.skips = plan.tables().stream().anyMatch(t -> t.onLocked() == DmlPlan.OnLocked.SKIP);
      this.repeatable = session.transaction().repeatable();
      this.types = plan.source().columns().stream().map(PlanTemplate.ResultColumn::type).toList();
      plan.tables().forEach(t -> locked.add(new RowIndex(keyWidth(t))));
    }

    CompletableFuture<Batch> go() {
      return round(null, skips && wanted < Long.MAX_VALUE / 4 ? 2 * wanted + SPARE : wanted);
    }

    private static int keyWidth(DmlPlan.LockedTable t) {
      return DmlPlan.keyColumnIds(t.table()).size();
    }

    /**
     * @param before the rows of the round before, all locked; null at first
     * @param demand rows to read at most
     */
    private CompletableFuture<Batch> round(@Nullable Batch before, long demand) {
      Snapshot given = repeatable ? session.queryContext(List.of()).snapshot() : null;
      Snapshot cut = given == null || before != null ? newest() : given;
      return Async.then(
              session,
              read(cut, before != null && repeatable ? Long.MAX_VALUE : demand),
              rows -> {
                if (before != null && repeatable) {
                  return CompletableFuture.completedFuture(unmoved(before, rows));
                }
                return lock(rows, demand, cut);
              })
          .whenComplete(
              (r, e) -> {
                if (cut != given) {
                  cut.close();
                }
              });
    }

    private Snapshot newest() {
      return dml.services().engine().snapshot(dml.regions(session, plan.source()));
    }

    private CompletableFuture<Batch> read(Snapshot cut, long demand) {
      var sink = RowCollector.gatherFirst(dml.services().memoryPerQuery());
      return dml.run(session, plan.source(), parameters, cut, sink, demand, sink.result())
          .thenApply(rows -> DmlSupport.concat(types, rows));
    }

    /** Locks the rows that are to be given, and sees whether they are still what was read. */
    private CompletableFuture<Batch> lock(Batch rows, long demand, Snapshot cut) {
      return skips ? lockFree(rows, demand, cut) : lockAll(rows, demand, cut);
    }

    private CompletableFuture<Batch> lockAll(Batch rows, long demand, Snapshot cut) {
      Batch mine = chosen(rows);
      CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
      boolean more = false;
      for (int i = 0; i < plan.tables().size(); i++) {
        DmlPlan.LockedTable t = plan.tables().get(i);
        Batch keys = keys(t, mine);
        int[] earlier = locked.get(i).add(keys);
        for (int e : earlier) {
          more |= e < 0;
        }
        all = Async.then(session, all, v -> lockKeys(t, keys));
      }
      boolean added = more;
      return Async.then(
          session,
          all,
          v -> added && moved(cut) ? round(mine, demand) : CompletableFuture.completedFuture(mine));
    }

    private CompletableFuture<Void> lockKeys(DmlPlan.LockedTable t, Batch keys) {
      if (t.onLocked() == DmlPlan.OnLocked.FAIL) {
        KeyLocks locks = dml.services().engine().locks();
        for (int r = 0; r < keys.rows(); r++) {
          if (!locks.tryLock(
              session.transaction().owner(),
              DmlSupport.lockSpace(t.table()),
              keys,
              r,
              t.shared())) {
            throw new MillraceException(
                ErrorCode.LOCK_NOT_AVAILABLE,
                "could not obtain lock on row in relation \"" + t.name() + "\"");
          }
        }
        return CompletableFuture.completedFuture(null);
      }
      return t.shared()
          ? dml.lockShared(session, DmlSupport.lockSpace(t.table()), keys)
          : dml.lock(session, DmlSupport.lockSpace(t.table()), keys);
    }

    /** The rows that are locked already, and so many of the others as are wanted beside them. */
    private Batch chosen(Batch rows) {
      int n = rows.rows();
      if (locked.stream().allMatch(x -> x.size() == 0)) {
        return n <= wanted ? rows : rows.slice(0, (int) wanted);
      }
      boolean[] have = new boolean[n];
      long had = 0;
      for (int r = 0; r < n; r++) {
        have[r] = isLocked(rows, r);
        had += have[r] ? 1 : 0;
      }
      // Without a limit only rows of the first reading are given.
      long others = wanted == Long.MAX_VALUE ? 0 : Math.max(0, wanted - had);
      int[] at = new int[n];
      int k = 0;
      for (int r = 0; r < n && k < wanted; r++) {
        if (have[r] || others-- > 0) {
          at[k++] = r;
        }
      }
      return rows.take(at, k);
    }

    private boolean isLocked(Batch rows, int row) {
      for (int i = 0; i < plan.tables().size(); i++) {
        if (locked.get(i).first(keys(plan.tables().get(i), rows), row) < 0) {
          return false;
        }
      }
      return true;
    }

    private CompletableFuture<Batch> lockFree(Batch rows, long demand, Snapshot cut) {
      KeyLocks locks = dml.services().engine().locks();
      List<Batch> keys = plan.tables().stream().map(t -> keys(t, rows)).toList();
      int[] at = new int[rows.rows()];
      int n = 0;
      boolean added = false;
      for (int r = 0; r < rows.rows() && n < wanted; r++) {
        boolean got = true;
        for (int i = 0; i < keys.size() && got; i++) {
          DmlPlan.LockedTable t = plan.tables().get(i);
          if (locked.get(i).first(keys.get(i), r) >= 0) {
            continue;
          }
          got =
              locks.tryLock(
                  session.transaction().owner(),
                  DmlSupport.lockSpace(t.table()),
                  keys.get(i),
                  r,
                  t.shared());
          if (!got && t.onLocked() != DmlPlan.OnLocked.SKIP) {
            return waitFor(t, keys.get(i).slice(r, 1), demand, i);
          }
          if (got) {
            added = true;
            locked.get(i).add(keys.get(i).slice(r, 1));
          }
        }
        if (got) {
          at[n++] = r;
        }
      }
      Batch mine = n == rows.rows() ? rows : rows.take(at, n);
      if (added && moved(cut)) {
        return round(mine, demand);
      }
      boolean more = rows.rows() >= demand && demand < Long.MAX_VALUE / 2;
      return n < wanted && more ? round(null, 2 * demand) : CompletableFuture.completedFuture(mine);
    }

    /** A table among the others whose locks are waited for. */
    private CompletableFuture<Batch> waitFor(
        DmlPlan.LockedTable t, Batch key, long demand, int place) {
      return Async.then(
          session,
          lockKeys(t, key),
          v -> {
            locked.get(place).add(key);
            return round(null, demand);
          });
    }

    private boolean moved(Snapshot cut) {
      var regions = new HashSet<io.millrace.common.id.RegionId>();
      plan.tables().forEach(t -> regions.addAll(t.table().regions()));
      try (Snapshot now = dml.services().engine().snapshot(regions)) {
        return regions.stream().anyMatch(r -> now.sequence(r) != cut.sequence(r));
      }
    }

    /** REPEATABLE READ: what is locked must be as the first snapshot shows it. */
    private Batch unmoved(Batch before, Batch rows) {
      RowIndex now = RowIndex.of(rows);
      for (int r = 0; r < before.rows(); r++) {
        if (now.first(before, r) < 0) {
          throw new MillraceException(
              ErrorCode.SERIALIZATION_FAILURE,
              "could not serialize access due to concurrent update");
        }
      }
      return before;
    }

    private static Batch keys(DmlPlan.LockedTable t, Batch rows) {
      return DmlSupport.columns(rows, t.keyAt(), keyWidth(t));
    }
  }
}
