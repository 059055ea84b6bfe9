package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.RowIndex;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.write.TableWrite;
import io.millrace.storage.OpType;
import io.millrace.storage.RegionOptions.KeyMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * INSERT: rows from the source, checked, then written as they are where the table overwrites, or
 * held against the existing rows where keys are unique or ON CONFLICT says so.
 */
final class InsertExecutor {
  private final DmlSupport dml;
  private final UniqueKeys uniques;

  InsertExecutor(DmlSupport dml, UniqueKeys uniques) {
    this.dml = dml;
    this.uniques = uniques;
  }

  CompletableFuture<Outcome> run(
      SessionContext session, DmlPlan.Insert plan, List<Vector> parameters) {
    DmlSupport.requireWritable(session, "INSERT");
    if (stages(plan) && plan.returning().isEmpty()) {
      return fill(session, plan, parameters, b -> b)
          .thenApply(n -> new Outcome.Done("INSERT 0 " + n));
    }
    if (plan.returning().isEmpty()) {
      var pieces = new Pieces(session, plan, parameters);
      return fill(session, plan, parameters, pieces::add, pieces::add)
          .thenApply(n -> new Outcome.Done("INSERT 0 " + pieces.affected()));
    }
    return Async.then(
        session,
        dml.collect(session, plan.source(), parameters, null),
        rows -> write(session, plan, rows, parameters));
  }

  /**
   * Writes the rows of the source, however many: large pieces go ahead of the commit. Nothing is
   * held against existing rows or returned.
   *
   * @param shape makes rows of the table of the source's
   * @return how many there were
   */
  CompletableFuture<Long> fill(
      SessionContext session,
      DmlPlan.Insert plan,
      List<Vector> parameters,
      UnaryOperator<Batch> shape) {
    return fill(
        session,
        plan,
        parameters,
        rows -> stage(session, plan, shaped(rows, shape), parameters),
        rows -> write(session, plan, shaped(rows, shape), parameters));
  }

  /** Fills a table with a query's rows, whose types are the table's but for their modifiers. */
  CompletableFuture<Outcome> fill(SessionContext session, TableInfo table, Planner.PlannedQuery q) {
    var plan =
        new DmlPlan.Insert(
            table, q.template(), List.of(), Optional.empty(), false, Optional.empty());
    return fill(session, plan, q.literals(), b -> retyped(table, b))
        .thenApply(n -> new Outcome.Done("SELECT " + n));
  }

  private static Batch retyped(TableInfo table, Batch b) {
    var out = new ArrayList<Vector>();
    for (int i = 0; i < b.width(); i++) {
      out.add(b.column(i).withType(table.columns().get(i).type()));
    }
    return new Batch(out, b.rows());
  }

  /** Gives full pieces of the source's rows to one taker and the last to another. */
  private CompletableFuture<Long> fill(
      SessionContext session,
      DmlPlan.Insert plan,
      List<Vector> parameters,
      Function<List<Batch>, CompletableFuture<?>> piece,
      Function<List<Batch>, CompletableFuture<?>> rest) {
    CompletableFuture<DmlSupport.Last> last =
        dml.collectLast(
            session,
            plan.source(),
            parameters,
            null,
            rows ->
                Async.then(
                    session,
                    CompletableFuture.completedFuture(null),
                    v -> piece.apply(rows).thenApply(x -> true)));
    return Async.then(session, last, l -> rest.apply(l.rows()).thenApply(o -> l.total()));
  }

  private static List<Batch> shaped(List<Batch> rows, UnaryOperator<Batch> shape) {
    return rows.stream().map(shape).toList();
  }

  /** Writes rows of the table (visible columns). */
  CompletableFuture<Outcome> write(
      SessionContext session, DmlPlan.Insert plan, List<Batch> rows, List<Vector> parameters) {
    return write(session, plan, rows, parameters, RowChecks.Origin.NONE);
  }

  /**
   * The same for COPY.
   *
   * @param origin of the rows in order, for errors of keys
   */
  CompletableFuture<Outcome> write(
      SessionContext session,
      DmlPlan.Insert plan,
      List<Batch> rows,
      List<Vector> parameters,
      RowChecks.Origin origin) {
    return written(session, plan, rows, parameters, origin, null)
        .thenApply(
            w -> dml.outcome(session, plan, w.returned(), parameters, "INSERT 0 " + w.affected()));
  }

  /**
   * What became of rows.
   *
   * @param returned rows inserted or updated
   * @param affected their number
   */
  private record Written(List<Batch> returned, long affected) {}

  private CompletableFuture<Written> written(
      SessionContext session,
      DmlPlan.Insert plan,
      List<Batch> rows,
      List<Vector> parameters,
      RowChecks.Origin origin,
      @Nullable KeyHashes before) {
    TableInfo table = plan.table();
    EvalContext context = dml.evalContext(session);
    for (Batch b : rows) {
      RowChecks.notNull(table, b, context.format());
      RowChecks.checks(table, plan.checks(), b, parameters, dml.services().evaluator(), context);
    }
    if (!needsKeys(plan)) {
      for (Batch b : rows) {
        put(session, table, OpType.PUT, b);
      }
      long n = rows.stream().mapToLong(Batch::rows).sum();
      return CompletableFuture.completedFuture(new Written(rows, n));
    }
    if (rows.isEmpty()) {
      return CompletableFuture.completedFuture(new Written(List.of(), 0));
    }
    List<SqlType> types = table.columns().stream().map(TableInfo.Column::type).toList();
    Batch all = DmlSupport.concat(types, rows);
    return new Keyed(session, plan, all, parameters, context, origin, before).run();
  }

  /**
   * The rows of a statement whose keys are held against existing rows, piece by piece: what earlier
   * pieces wrote lies in files that nobody else sees, and is found there as existing.
   */
  final class Pieces {
    private final SessionContext session;
    private final DmlPlan.Insert plan;
    private final List<Vector> parameters;

    /** What DO UPDATE must not meet again; others find it in the files. */
    private final @Nullable KeyHashes keys;

    private long affected;

    Pieces(SessionContext session, DmlPlan.Insert plan, List<Vector> parameters) {
      this.session = session;
      this.plan = plan;
      this.parameters = parameters;
      this.keys =
          plan.conflict().filter(c -> !c.doNothing()).map(c -> new KeyHashes()).orElse(null);
    }

    long affected() {
      return affected;
    }

    CompletableFuture<Boolean> add(List<Batch> rows) {
      return add(rows, RowChecks.Origin.NONE);
    }

    /** Writes a piece, ahead of the commit if the transaction's writes are many then. */
    CompletableFuture<Boolean> add(List<Batch> rows, RowChecks.Origin origin) {
      return Async.then(
          session,
          written(session, plan, rows, parameters, origin, keys),
          w -> {
            affected += w.affected();
            return dml.spill(session, dml.pieceBytes() / 2);
          });
    }
  }

  /** Whether rows may be written ahead of the commit: none is held against existing ones. */
  static boolean stages(DmlPlan.Insert plan) {
    return !needsKeys(plan);
  }

  /** Checks rows and writes them ahead of the commit. */
  CompletableFuture<Boolean> stage(
      SessionContext session, DmlPlan.Insert plan, List<Batch> rows, List<Vector> parameters) {
    TableInfo table = plan.table();
    EvalContext context = dml.evalContext(session);
    var writes = new ArrayList<TableWrite>(rows.size());
    for (Batch b : rows) {
      RowChecks.notNull(table, b, context.format());
      RowChecks.checks(table, plan.checks(), b, parameters, dml.services().evaluator(), context);
      Stored stored = stored(table, b);
      writes.add(new TableWrite(table, OpType.PUT, stored.columnIds(), stored.rows()));
    }
    return dml.stage(session, writes);
  }

  private static boolean needsKeys(DmlPlan.Insert plan) {
    if (plan.conflict().isPresent()) {
      return true;
    }
    TableInfo t = plan.table();
    return t.regionOptions().keyMode() != KeyMode.TIME_INDEX
        && UniqueKeys.of(t).stream().anyMatch(u -> true)
        && !(plan.replace() && onlyStorageKey(t));
  }

  private static boolean onlyStorageKey(TableInfo t) {
    return t.regionOptions().keyMode() == KeyMode.UNIQUE_KEY && UniqueKeys.of(t).size() == 1;
  }

  /** Buffers visible rows with the hidden part of the key added. */
  private void put(SessionContext session, TableInfo table, OpType op, Batch rows) {
    Stored stored = stored(table, rows);
    dml.buffer(session, table, op, stored.columnIds(), stored.rows());
  }

  /** Rows as the regions take them. */
  record Stored(List<Integer> columnIds, Batch rows) {}

  /** Visible rows with the hidden part of the key added. */
  Stored stored(TableInfo table, Batch rows) {
    var ids = new ArrayList<>(DmlSupport.visibleIds(table));
    Batch full = rows;
    switch (table.regionOptions().keyMode()) {
      case TIME_INDEX -> {
        for (int id : UniqueKeys.hiddenTags(table)) {
          ids.add(id);
          full = DmlSupport.join(full, new Batch(List.of(ownKeys(rows.rows())), rows.rows()));
        }
      }
      case UNIQUE_KEY -> {
        ids.add(table.storage().timeIndexId());
        full =
            DmlSupport.join(
                rows,
                new Batch(List.of(DmlSupport.constant(SqlType.INT8, 0, rows.rows())), rows.rows()));
      }
      case ROW_ID -> {
        ids.add(table.storage().timeIndexId());
        long first = dml.services().rowIds().reserve(table, rows.rows());
        var b = (VectorBuilder.Longs) VectorBuilder.of(SqlType.INT8, rows.rows());
        for (int i = 0; i < rows.rows(); i++) {
          b.append(first + i);
        }
        full = DmlSupport.join(rows, new Batch(List.of(b.build()), rows.rows()));
      }
    }
    return new Stored(ids, full);
  }

  /** Hidden keys for rows of a user's own: each row is another one, as in a table without a key. */
  private Vector ownKeys(int rows) {
    var random = dml.services().random().get();
    var out = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.BYTEA, rows);
    byte[] key = new byte[16];
    for (int i = 0; i < rows; i++) {
      random.nextBytes(key);
      out.append(key);
    }
    return out.build();
  }

  /**
   * One INSERT whose rows are held against unique keys: first those that ON CONFLICT is about,
   * since a row that gives way there is held against no other, then the rest, one key after the
   * other.
   */
  private final class Keyed {
    private final SessionContext session;
    private final DmlPlan.Insert plan;
    private final TableInfo table;
    private final Batch rows;
    private final List<Vector> parameters;
    private final EvalContext context;
    private final List<UniqueKeys.Unique> arbiters = new ArrayList<>();
    private final List<UniqueKeys.Unique> others = new ArrayList<>();
    private final RowChecks.Origin origin;

    /** Keys of the statement's earlier rows; null = they need not be known. */
    private final @Nullable KeyHashes before;

    /** Rows that are still to be inserted. */
    private final boolean[] live;

    private final List<Batch> returned = new ArrayList<>();
    private long affected;

    Keyed(
        SessionContext session,
        DmlPlan.Insert plan,
        Batch rows,
        List<Vector> parameters,
        EvalContext context,
        RowChecks.Origin origin,
        @Nullable KeyHashes before) {
      this.session = session;
      this.before = before;
      this.origin = origin;
      this.plan = plan;
      this.table = plan.table();
      this.rows = rows;
      this.parameters = parameters;
      this.context = context;
      for (UniqueKeys.Unique key : UniqueKeys.of(table)) {
        (conflictFor(key) == null ? others : arbiters).add(key);
      }
      this.live = new boolean[rows.rows()];
      java.util.Arrays.fill(live, true);
    }

    CompletableFuture<Written> run() {
      boolean passing = plan.conflict().filter(DmlPlan.Conflict::doNothing).isPresent();
      return passing
          ? find(new ArrayList<>())
          : Async.then(session, hold(arbiters, 0), _ -> heldAgainstOthers());
    }

    /** Finds what exists of every key that a row gives way to. */
    private CompletableFuture<Written> find(List<UniqueKeys.Existing> found) {
      if (found.size() == arbiters.size()) {
        giveWay(found);
        return heldAgainstOthers();
      }
      return Async.then(
          session,
          uniques.lockAndFind(session, table, arbiters.get(found.size()), rows),
          existing -> {
            found.add(existing);
            return find(found);
          });
    }

    private CompletableFuture<Written> heldAgainstOthers() {
      return Async.then(session, hold(others, 0), _ -> CompletableFuture.completedFuture(finish()));
    }

    private CompletableFuture<Boolean> hold(List<UniqueKeys.Unique> keys, int index) {
      if (index == keys.size() || nothingLive()) {
        return CompletableFuture.completedFuture(true);
      }
      UniqueKeys.Unique key = keys.get(index);
      return Async.then(
          session,
          uniques.lockAndFind(session, table, key, rows),
          existing -> Async.then(session, apply(key, existing), _ -> hold(keys, index + 1)));
    }

    private boolean nothingLive() {
      for (boolean x : live) {
        if (x) {
          return false;
        }
      }
      return true;
    }

    /** The values of a key, and which rows have the same ones. */
    private final class Keys {
      final Batch values;
      final boolean[] taken;
      private final int[] earlier;
      private final boolean plain = table.regionOptions().keyMode() != KeyMode.TIME_INDEX;

      Keys(UniqueKeys.Unique key) {
        values =
            key.storageKey()
                ? UniqueKeys.storageKey(table, rows)
                : UniqueKeys.project(table, key.columnIds(), rows);
        earlier = new RowIndex(values.width()).add(values);
        taken = new boolean[rows.rows()];
      }

      /** A row with a NULL in a key of plain tables is in nobody's way. */
      boolean binds(int row) {
        return !plain || !UniqueKeys.anyNull(values, row);
      }

      /** The first row with the row's values. */
      int first(int row) {
        return earlier[row] < 0 ? row : earlier[row];
      }
    }

    /**
     * DO NOTHING: a row stays if no existing row, and no row before it that stays, is in its way.
     */
    private void giveWay(List<UniqueKeys.Existing> found) {
      List<Keys> keys = arbiters.stream().map(Keys::new).toList();
      for (int r = 0; r < rows.rows(); r++) {
        for (int k = 0; k < keys.size() && live[r]; k++) {
          Keys x = keys.get(k);
          live[r] = !x.binds(r) || !(Bits.get(found.get(k).found(), r) || x.taken[x.first(r)]);
        }
        for (Keys x : keys) {
          x.taken[x.first(r)] |= live[r];
        }
      }
    }

    private CompletableFuture<Boolean> apply(UniqueKeys.Unique key, UniqueKeys.Existing existing) {
      var keys = new Keys(key);
      DmlPlan.Conflict conflict = conflictFor(key);
      KeyHashes known = conflict == null ? null : before;
      int[] update = new int[rows.rows()];
      int updates = 0;
      for (int r = 0; r < rows.rows(); r++) {
        if (!live[r] || !keys.binds(r)) {
          continue;
        }
        int first = keys.first(r);
        boolean repeated = known != null ? !known.add(keys.values, r) : keys.taken[first];
        keys.taken[first] = true;
        if (!repeated && !Bits.get(existing.found(), r)) {
          continue;
        }
        if (conflict == null) {
          refuse(key, r);
          continue;
        }
        if (repeated) {
          throw new MillraceException(
                  ErrorCode.CARDINALITY_VIOLATION,
                  "ON CONFLICT DO UPDATE command cannot affect row a second time")
              .withHint(
                  "Ensure that no rows proposed for insertion within the same command have"
                      + " duplicate constrained values.");
        }
        live[r] = false;
        update[updates++] = r;
      }
      return updates > 0
          ? update(java.util.Arrays.copyOf(update, updates), existing)
          : CompletableFuture.completedFuture(true);
    }

    /** A row whose key is there, unless it overwrites. */
    private void refuse(UniqueKeys.Unique key, int row) {
      boolean overwrites =
          (plan.replace() && key.storageKey())
              || table.regionOptions().keyMode() == KeyMode.TIME_INDEX;
      if (!overwrites) {
        throw origin.at(duplicate(key, row), row);
      }
    }

    private MillraceException duplicate(UniqueKeys.Unique key, int row) {
      Batch shown = UniqueKeys.project(table, key.columnIds(), rows);
      return new MillraceException(
              ErrorCode.UNIQUE_VIOLATION,
              "duplicate key value violates unique constraint \"" + key.name() + "\"")
          .withDetail(
              "Key "
                  + RowText.key(table, key.columnIds(), shown, row, context.format())
                  + " already exists.")
          .about(table.schema(), table.name(), null, key.name());
    }

    private DmlPlan.@org.jspecify.annotations.Nullable Conflict conflictFor(UniqueKeys.Unique key) {
      DmlPlan.Conflict c = plan.conflict().orElse(null);
      if (c == null) {
        return null;
      }
      boolean any = c.constraint().isEmpty();
      return any || c.constraint().equals(key.name()) ? c : null;
    }

    /** DO UPDATE of the existing rows. */
    private CompletableFuture<Boolean> update(int[] at, UniqueKeys.Existing existing) {
      DmlPlan.Conflict conflict = plan.conflict().orElseThrow();
      Batch proposed = rows.take(at, at.length);
      Batch old = existing.rows().take(at, at.length);
      Batch keyOf = existing.keys().take(at, at.length);
      Batch both = DmlSupport.join(old, proposed);
      if (conflict.where().isPresent()) {
        var wanted =
            (BoolVector)
                dml.services()
                    .evaluator()
                    .compile(conflict.where().get(), parameters, context)
                    .evaluate(both);
        int[] keep = new int[at.length];
        int n = 0;
        for (int i = 0; i < at.length; i++) {
          if (!wanted.isNull(i) && wanted.get(i)) {
            keep[n++] = i;
          }
        }
        old = old.take(keep, n);
        keyOf = keyOf.take(keep, n);
        both = both.take(keep, n);
      }
      if (both.rows() == 0) {
        return CompletableFuture.completedFuture(true);
      }
      var columns = new ArrayList<>(old.columns());
      for (int i = 0; i < conflict.values().size(); i++) {
        Expr e = conflict.values().get(i);
        int place = UniqueKeys.place(table, conflict.columnIds().get(i));
        columns.set(
            place, dml.services().evaluator().compile(e, parameters, context).evaluate(both));
      }
      var changed = new Batch(columns, both.rows());
      RowChecks.notNull(table, changed, context.format());
      RowChecks.checks(
          table, plan.checks(), changed, parameters, dml.services().evaluator(), context);
      Batch keys = keyOf;
      Batch was = old;
      return Async.map(
          session,
          uniques.requireFree(session, table, conflict.columnIds(), keys, changed),
          _ -> {
            new RowReplacement(dml, session, table)
                .replace(keys, was, changed, conflict.columnIds());
            affected += changed.rows();
            returned.add(changed);
            return true;
          });
    }

    private Written finish() {
      int[] at = new int[rows.rows()];
      int n = 0;
      for (int r = 0; r < rows.rows(); r++) {
        if (live[r]) {
          at[n++] = r;
        }
      }
      if (n > 0) {
        Batch inserted = n == rows.rows() ? rows : rows.take(at, n);
        put(session, table, plan.replace() ? OpType.REPLACE : OpType.PUT, inserted);
        affected += n;
        returned.add(inserted);
      }
      return new Written(returned, affected);
    }
  }
}
