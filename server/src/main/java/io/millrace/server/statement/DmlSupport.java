package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.server.session.TransactionBlock;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.RowCollector;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.write.TableWrite;
import io.millrace.sql.write.TableWriter.StagedWrite;
import io.millrace.storage.KeyLocks;
import io.millrace.storage.OpType;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What INSERT, UPDATE and DELETE share. */
final class DmlSupport {
  /** Rows above this size are written ahead of the commit. */
  private static final long STAGE_BYTES = 32L << 20;

  /** Rows of a piece at most; repeated values may need more memory than they seem to. */
  private static final int PIECE_ROWS = 1 << 18;

  private final StatementServices services;
  private final @Nullable Consumer<QueryEngine.ExecutionProfile> profiles;

  DmlSupport(StatementServices services) {
    this(services, null);
  }

  /**
   * The same for EXPLAIN ANALYZE.
   *
   * @param profiles takes the figures of every query that a statement runs; null = nobody does
   */
  DmlSupport(
      StatementServices services, @Nullable Consumer<QueryEngine.ExecutionProfile> profiles) {
    this.services = services;
    this.profiles = profiles;
  }

  StatementServices services() {
    return services;
  }

  /** Size of the pieces in which many rows are written ahead of the commit. */
  long pieceBytes() {
    return Math.min(STAGE_BYTES, services.memoryPerQuery() / 4);
  }

  static void requireWritable(SessionContext session, String command) {
    if (session.transaction().readOnly()) {
      throw new MillraceException(
          ErrorCode.READ_ONLY_SQL_TRANSACTION,
          "cannot execute " + command + " in a read-only transaction");
    }
  }

  /** Runs a template to its end and gathers the rows; cancellable. */
  CompletableFuture<List<Batch>> collect(
      SessionContext session,
      PlanTemplate template,
      List<Vector> parameters,
      @Nullable Snapshot snapshot) {
    return collect(session, session.catalog(), template, parameters, snapshot);
  }

  /** The same for rows of at most so many bytes; more fail with 53200. */
  CompletableFuture<List<Batch>> collect(
      SessionContext session,
      PlanTemplate template,
      List<Vector> parameters,
      @Nullable Snapshot snapshot,
      long bytes) {
    var sink = RowCollector.gather(bytes);
    return run(session, template, parameters, snapshot, sink, Long.MAX_VALUE, sink.result());
  }

  /** The same with another catalog than the session's. */
  CompletableFuture<List<Batch>> collect(
      SessionContext session,
      CatalogSnapshot catalog,
      PlanTemplate template,
      List<Vector> parameters,
      @Nullable Snapshot snapshot) {
    var sink = RowCollector.gather(services.memoryPerQuery());
    QueryEngine.QueryContext context = context(session, catalog, parameters, snapshot);
    QueryEngine.Query query = services.queries().open(template, context, sink);
    session.onCancel(query::cancel);
    query.demand(Long.MAX_VALUE);
    return closing(query, sink.result());
  }

  /** Runs a template into a sink until so many rows have come; cancellable. */
  <T> CompletableFuture<T> run(
      SessionContext session,
      PlanTemplate template,
      List<Vector> parameters,
      @Nullable Snapshot snapshot,
      QueryEngine.ResultSink sink,
      long rows,
      CompletableFuture<T> result) {
    QueryEngine.QueryContext context = context(session, session.catalog(), parameters, snapshot);
    QueryEngine.Query query = services.queries().open(template, context, sink);
    session.onCancel(query::cancel);
    query.demand(rows);
    return closing(query, result);
  }

  private static QueryEngine.QueryContext context(
      SessionContext session,
      CatalogSnapshot catalog,
      List<Vector> parameters,
      @Nullable Snapshot snapshot) {
    QueryEngine.QueryContext c = session.queryContext(parameters);
    return new QueryEngine.QueryContext(
        catalog,
        c.parameters(),
        c.format(),
        c.nowMicros(),
        c.statementMicros(),
        snapshot == null ? c.snapshot() : snapshot,
        c.overlays(),
        c.session(),
        c.background());
  }

  private <T> CompletableFuture<T> closing(QueryEngine.Query query, CompletableFuture<T> result) {
    return result.whenComplete(
        (r, e) -> {
          if (e == null && profiles != null) {
            profiles.accept(query.profile());
          }
          query.close();
        });
  }

  /** What {@link #collectLast} leaves: the last rows, and how many there were in all. */
  record Last(List<Batch> rows, long total) {}

  /** Runs a template to its end and gives full pieces of its rows away, all but the last. */
  CompletableFuture<Last> collectLast(
      SessionContext session,
      PlanTemplate template,
      List<Vector> parameters,
      @Nullable Snapshot snapshot,
      Function<List<Batch>, CompletableFuture<?>> away) {
    var sink = new PieceSink(pieceBytes(), PIECE_ROWS, away);
    QueryEngine.QueryContext context = context(session, session.catalog(), parameters, snapshot);
    QueryEngine.Query query = services.queries().open(template, context, sink);
    session.onCancel(query::cancel);
    sink.drive(query);
    return closing(query, sink.result().thenApply(rows -> new Last(rows, sink.rowCount())));
  }

  EvalContext evalContext(SessionContext session) {
    QueryEngine.QueryContext c = session.queryContext(List.of());
    return new EvalContext(
        c.catalog(),
        c.format(),
        c.session(),
        c.nowMicros(),
        c.statementMicros(),
        services.clock(),
        services.random().get(),
        () -> {});
  }

  /** Regions of the target and of every table that the template reads. */
  Set<RegionId> regions(SessionContext session, TableInfo target, PlanTemplate template) {
    Set<RegionId> out = regions(session, template);
    out.addAll(target.regions());
    return out;
  }

  /** Regions of every table that the template reads. */
  Set<RegionId> regions(SessionContext session, PlanTemplate template) {
    var out = new HashSet<RegionId>();
    for (TableId id : template.tables().keySet()) {
      session.catalog().table(id).ifPresent(t -> out.addAll(t.regions()));
    }
    return out;
  }

  /** Where the keys of a table's rows are locked, whichever region the rows are in. */
  static RegionId lockSpace(TableInfo table) {
    return table.regions().getFirst();
  }

  /** Locks keys for the transaction, honouring lock_timeout and cancel requests. */
  CompletableFuture<Void> lock(SessionContext session, RegionId region, Batch keys) {
    if (keys.rows() == 0) {
      return CompletableFuture.completedFuture(null);
    }
    KeyLocks.Owner owner = session.transaction().owner();
    return cancellable(
        session, services.engine().locks().lock(owner, region, keys, lockTimeout(session)));
  }

  /** The same for keys that several transactions may have. */
  CompletableFuture<Void> lockShared(SessionContext session, RegionId region, Batch keys) {
    if (keys.rows() == 0) {
      return CompletableFuture.completedFuture(null);
    }
    KeyLocks.Owner owner = session.transaction().owner();
    return cancellable(
        session, services.engine().locks().lockShared(owner, region, keys, lockTimeout(session)));
  }

  /** Locks all keys of a table in the same way. */
  CompletableFuture<Void> lockTable(SessionContext session, TableInfo table) {
    KeyLocks.Owner owner = session.transaction().owner();
    return cancellable(
        session, services.engine().locks().lockTable(owner, table.id(), lockTimeout(session)));
  }

  /** The same, or fails at once with 55P03 if others have keys of it. */
  CompletableFuture<Void> lockTable(SessionContext session, TableInfo table, boolean nowait) {
    if (!nowait) {
      return lockTable(session, table);
    }
    KeyLocks.Owner owner = session.transaction().owner();
    return services
        .engine()
        .locks()
        .lockTable(owner, table.id(), -1)
        .exceptionallyCompose(
            e ->
                CompletableFuture.failedFuture(
                    new MillraceException(
                        ErrorCode.LOCK_NOT_AVAILABLE,
                        "could not obtain lock on relation \"" + table.name() + "\"")));
  }

  private static long lockTimeout(SessionContext session) {
    return Long.parseLong(session.settings().get("lock_timeout").orElse("0")) * 1000;
  }

  private static CompletableFuture<Void> cancellable(
      SessionContext session, CompletableFuture<Void> locked) {
    session.onCancel(locked::completeExceptionally);
    return locked;
  }

  /** Buffers rows in the transaction; what the statement returns is committed at its end. */
  void buffer(
      SessionContext session, TableInfo table, OpType op, List<Integer> columnIds, Batch rows) {
    if (rows.rows() == 0) {
      return;
    }
    TransactionBlock t = session.transaction();
    if (t.bufferedBytes() > services.memoryPerQuery()) {
      throw new MillraceException(
              ErrorCode.OUT_OF_MEMORY,
              "the transaction's writes need more than "
                  + services.memoryPerQuery()
                  + " bytes of memory")
          .withHint("Commit more often, or raise query.memory_per_query.");
    }
    RowChecks.sizes(rows);
    var write = new TableWrite(table, op, columnIds, rows);
    t.buffer(write, services.writer().route(write));
  }

  /** Writes what the transaction has buffered ahead of its commit if that is much. */
  CompletableFuture<Boolean> spill(SessionContext session) {
    return spill(session, pieceBytes());
  }

  /** The same if it is more than so much. */
  CompletableFuture<Boolean> spill(SessionContext session, long bytes) {
    return session.transaction().bufferedBytes() > bytes
        ? stage(session, List.of())
        : CompletableFuture.completedFuture(true);
  }

  /**
   * Writes rows of the transaction ahead of its commit, and before them what it has buffered; so
   * they need no memory until then. False if the transaction has ended meanwhile.
   */
  CompletableFuture<Boolean> stage(SessionContext session, List<TableWrite> writes) {
    writes.forEach(w -> RowChecks.sizes(w.rows()));
    TransactionBlock t = session.transaction();
    List<List<TableWrite>> pieces = new ArrayList<>(t.pieces());
    int buffered = pieces.size();
    pieces.add(writes);
    CompletableFuture<List<List<StagedWrite>>> all =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (List<TableWrite> piece : pieces) {
      all =
          all.thenCompose(
              done ->
                  services
                      .writer()
                      .stage(piece)
                      .handle(
                          (more, failure) -> {
                            if (failure != null) {
                              done.forEach(services.writer()::discard);
                              throw new CompletionException(failure);
                            }
                            done.add(more);
                            return done;
                          }));
    }
    return Async.map(
        session,
        all,
        results -> {
          if (!session.running(t)) {
            results.forEach(services.writer()::discard);
            return false;
          }
          if (buffered > 0) {
            t.spilled(pieces.subList(0, buffered), results);
          }
          t.stage(results.getLast());
          return true;
        });
  }

  static List<Integer> visibleIds(TableInfo table) {
    return table.columns().stream().map(TableInfo.Column::id).toList();
  }

  /** A vector of one value repeated. */
  static Vector constant(SqlType type, long value, int rows) {
    var b = (VectorBuilder.Longs) VectorBuilder.of(type, rows);
    for (int i = 0; i < rows; i++) {
      b.append(value);
    }
    return b.build();
  }

  /** Rows of all batches as one. */
  static Batch concat(List<SqlType> types, List<Batch> batches) {
    if (batches.size() == 1) {
      return batches.getFirst();
    }
    int rows = batches.stream().mapToInt(Batch::rows).sum();
    var columns = new ArrayList<Vector>();
    for (int c = 0; c < types.size(); c++) {
      VectorBuilder b = VectorBuilder.of(types.get(c), rows);
      for (Batch x : batches) {
        b.append(x.column(c), 0, x.rows());
      }
      columns.add(b.build());
    }
    return new Batch(columns, rows);
  }

  static Batch join(Batch left, Batch right) {
    var out = new ArrayList<>(left.columns());
    out.addAll(right.columns());
    return new Batch(out, left.rows());
  }

  static Batch columns(Batch b, int from, int count) {
    return new Batch(b.columns().subList(from, from + count), b.rows());
  }

  /** The outcome with RETURNING's rows, if there is one. */
  Outcome outcome(
      SessionContext session,
      DmlPlan.Change plan,
      List<Batch> rows,
      List<Vector> parameters,
      String tag) {
    if (plan.returning().isEmpty()) {
      return new Outcome.Done(tag);
    }
    DmlPlan.Returning returning = plan.returning().get();
    EvalContext context = evalContext(session);
    var out = new ArrayList<Batch>();
    for (Batch b : rows) {
      var columns = new ArrayList<Vector>();
      for (Expr e : returning.exprs()) {
        columns.add(services.evaluator().compile(e, parameters, context).evaluate(b));
      }
      out.add(new Batch(columns, b.rows()));
    }
    return new Outcome.Rows(returning.columns(), out, tag);
  }
}
