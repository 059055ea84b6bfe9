package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.write.TableWrite;
import io.millrace.sql.write.TableWriter.StagedWrite;
import io.millrace.storage.OpType;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/*
 * Writing a table's rows anew, in another shape:
 *
 *   new regions beside the old ones ─► commits to the old ones wait ─► INSERT INTO (the new shape) SELECT …
 *     FROM (the old), in pieces written ahead of one commit ─► the catalog names the new regions
 *     ─► the old ones are closed: who waited is refused ─► they are dropped
 *
 * The new shape is planned as a table of its own in a preview of the catalog, so casts, checks and computed
 * columns are those of any INSERT. The table can be read all the time. A crash leaves regions that no table
 * names, which a start drops; the catalog's change is the moment that counts.
 */
/** Copies the rows of an altered table into new regions. */
final class TableRewrite {
  private static final String SCRATCH = "__rewritten";

  private final StatementServices services;
  private final DmlSupport dml;
  private final InsertExecutor insert;

  TableRewrite(DmlSupport dml, InsertExecutor insert) {
    this.services = dml.services();
    this.dml = dml;
    this.insert = insert;
  }

  CompletableFuture<Void> run(TableDraft d) {
    TableInfo next = withNewRegions(d.before, d.table);
    TableInfo scratch =
        next.edit().id(services.catalog().nextTableId()).name(SCRATCH).indexes(List.of()).build();
    var actions = new ArrayList<>(d.more);
    actions.add(new CatalogChange.Action.PutTable(scratch));
    CatalogSnapshot preview = d.session.catalog().preview(new CatalogChange(actions));
    Copy copy = plan(d, scratch, preview);
    var filling = new Filling(d, scratch, copy, preview);
    d.session.onCancel(filling::cancel);
    return services
        .tables()
        .replaceRegions(d.before, next, filling::run, t -> d.more)
        .thenAccept(t -> {});
  }

  private static TableInfo withNewRegions(TableInfo before, TableInfo t) {
    int first = 1 + before.regions().stream().mapToInt(RegionId::number).max().orElse(0);
    PartitionRule rule = t.partitions();
    int count = rule == null ? 1 : rule.partitions();
    TableSchema s = t.storage();
    return t.edit()
        .regions(
            IntStream.range(first, first + count)
                .mapToObj(n -> RegionId.of(before.id(), n))
                .toList())
        .storage(
            new TableSchema(
                before.storage().version() + 1, s.columns(), s.tagIds(), s.timeIndexId()))
        .build();
  }

  private Copy plan(TableDraft d, TableInfo scratch, CatalogSnapshot preview) {
    List<TableInfo.Column> given = scratch.columns().stream().filter(c -> !c.isComputed()).toList();
    String sql =
        "INSERT INTO "
            + TableChecks.from(scratch)
            + " ("
            + given.stream()
                .map(c -> TableChecks.quoted(c.name()))
                .collect(Collectors.joining(", "))
            + ") OVERRIDING SYSTEM VALUE SELECT "
            + given.stream().map(d::source).collect(Collectors.joining(", "))
            + " FROM "
            + TableChecks.from(d.before);
    Planner.Planned planned = services.planner().plan(sql, Ddl.context(d.session, preview));
    if (planned instanceof Planner.PlannedDml p && p.plan() instanceof DmlPlan.Insert i) {
      return new Copy(i, p.literals());
    }
    throw new MillraceException(ErrorCode.INTERNAL_ERROR, "a rewrite that is no INSERT");
  }

  /** The statement that copies, and the values of its literals. */
  private record Copy(DmlPlan.Insert insert, List<Vector> literals) {}

  /** The copying, away from the session's tasks: it must end even if the session does. */
  private final class Filling {
    private final List<RegionId> from;
    private final TableInfo scratch;
    private final Copy copy;
    private final EvalContext evalContext;
    private final QueryEngine.QueryContext context;
    private final List<StagedWrite> staged = new CopyOnWriteArrayList<>();
    private final CompletableFuture<QueryEngine.Query> query = new CompletableFuture<>();

    Filling(TableDraft d, TableInfo scratch, Copy copy, CatalogSnapshot preview) {
      this.from = d.before.regions();
      this.scratch = scratch;
      this.copy = copy;
      this.evalContext = dml.evalContext(d.session);
      QueryEngine.QueryContext c = d.session.queryContext(copy.literals());
      this.context =
          new QueryEngine.QueryContext(
              preview,
              c.parameters(),
              c.format(),
              c.nowMicros(),
              c.statementMicros(),
              null,
              Map.of(),
              c.session(),
              c.background());
    }

    void cancel(MillraceException reason) {
      if (!query.completeExceptionally(reason) && !query.isCompletedExceptionally()) {
        query.resultNow().cancel(reason);
      }
    }

    CompletableFuture<Void> run() {
      Snapshot snapshot = services.engine().snapshot(from);
      var result = new CompletableFuture<Void>();
      services
          .queries()
          .execute(
              () -> {
                try {
                  var _ = start(snapshot).whenComplete((v, e) -> pass(result, e));
                } catch (RuntimeException | Error e) {
                  result.completeExceptionally(e);
                }
              });
      return result.whenComplete((v, e) -> snapshot.close());
    }

    private static void pass(CompletableFuture<Void> to, @Nullable Throwable failure) {
      if (failure == null) {
        to.complete(null);
      } else {
        to.completeExceptionally(failure);
      }
    }

    private CompletableFuture<Void> start(Snapshot snapshot) {
      var sink = new PieceSink(dml.pieceBytes(), Integer.MAX_VALUE, this::stage);
      var at =
          new QueryEngine.QueryContext(
              context.catalog(),
              context.parameters(),
              context.format(),
              context.nowMicros(),
              context.statementMicros(),
              snapshot,
              context.overlays(),
              context.session(),
              context.background());
      QueryEngine.Query q = services.queries().open(copy.insert().source(), at, sink);
      if (!query.complete(q)) { // cancelled before
        q.close();
        return query.thenAccept(x -> {});
      }
      sink.drive(q);
      return sink.result()
          .thenComposeAsync(this::commit, services.queries()::execute)
          .whenComplete(
              (v, e) -> {
                q.close();
                if (e != null) {
                  services.writer().discard(staged);
                }
              });
    }

    private CompletableFuture<?> stage(List<Batch> rows) {
      return services.writer().stage(writes(rows)).thenAccept(staged::addAll);
    }

    private CompletableFuture<Void> commit(List<Batch> rows) {
      List<TableWrite> writes = writes(rows);
      List<StagedWrite> ahead = List.copyOf(staged);
      if (writes.isEmpty() && ahead.isEmpty()) {
        return CompletableFuture.completedFuture(null);
      }
      staged.clear(); // the commit has them, whatever comes of it
      return services.writer().commit(ahead, writes, List.of()).thenAccept(r -> {});
    }

    private List<TableWrite> writes(List<Batch> rows) {
      var writes = new ArrayList<TableWrite>();
      for (Batch b : rows) {
        RowChecks.notNull(scratch, b, evalContext.format());
        RowChecks.checks(
            scratch, copy.insert().checks(), b, copy.literals(), services.evaluator(), evalContext);
        InsertExecutor.Stored stored = insert.stored(scratch, b);
        writes.add(new TableWrite(scratch, OpType.PUT, stored.columnIds(), stored.rows()));
      }
      return writes;
    }
  }
}
