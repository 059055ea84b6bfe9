package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.write.TableWrite;
import io.millrace.storage.OpType;
import io.millrace.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/*
 * Writing a table's rows anew, in another shape:
 *
 *   new regions beside the old ones ─► INSERT INTO (the new shape) SELECT … FROM (the old) over one snapshot
 *     ─► the old regions have not moved since ─► the catalog names the new regions ─► the old ones are dropped
 *
 * The new shape is planned as a table of its own in a preview of the catalog, so casts, checks and computed
 * columns are those of any INSERT. A crash leaves regions that no table names, which a start drops. A row that
 * is committed while the rows are copied makes the statement fail with 55006; nothing has changed then.
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
    TableInfo next = withNewRegion(d.before, d.table);
    TableInfo scratch =
        next.edit().id(services.catalog().nextTableId()).name(SCRATCH).indexes(List.of()).build();
    var actions = new ArrayList<>(d.more);
    actions.add(new CatalogChange.Action.PutTable(scratch));
    CatalogSnapshot preview = d.session.catalog().preview(new CatalogChange(actions));
    Copy copy = plan(d, scratch, preview);
    Snapshot snapshot = services.engine().snapshot(d.before.regions());
    return Async.then(
            d.session,
            services.tables().createRegions(next),
            v ->
                Async.then(
                    d.session,
                    dml.collect(
                        d.session, preview, copy.insert().source(), copy.literals(), snapshot),
                    rows -> write(d.session, scratch, copy, rows)))
        .thenCompose(
            v ->
                services
                    .tables()
                    .replaceRegions(d.before, next, () -> unmoved(d.before, snapshot), t -> d.more))
        .handle((t, failure) -> failure)
        .thenCompose(
            failure -> {
              snapshot.close();
              return failure == null
                  ? CompletableFuture.<Void>completedFuture(null)
                  : services
                      .tables()
                      .dropRegions(next.regions())
                      .handle(
                          (v, x) -> {
                            throw failure instanceof CompletionException c
                                ? c
                                : new CompletionException(failure);
                          });
            });
  }

  private static TableInfo withNewRegion(TableInfo before, TableInfo t) {
    int number = 1 + before.regions().stream().mapToInt(RegionId::number).max().orElse(0);
    TableSchema s = t.storage();
    return t.edit()
        .regions(List.of(RegionId.of(before.id(), number)))
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

  private CompletableFuture<Void> write(
      SessionContext session, TableInfo scratch, Copy copy, List<Batch> rows) {
    EvalContext context = dml.evalContext(session);
    var writes = new ArrayList<TableWrite>();
    for (Batch b : rows) {
      RowChecks.notNull(scratch, b, context.format());
      RowChecks.checks(
          scratch, copy.insert().checks(), b, copy.literals(), services.evaluator(), context);
      InsertExecutor.Stored stored = insert.stored(scratch, b);
      writes.add(new TableWrite(scratch, OpType.PUT, stored.columnIds(), stored.rows()));
    }
    return writes.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : services.writer().commit(writes, List.of()).thenAccept(r -> {});
  }

  private boolean unmoved(TableInfo before, Snapshot snapshot) {
    return before.regions().stream()
        .allMatch(r -> services.engine().info(r).committedSequence() == snapshot.sequence(r));
  }
}
