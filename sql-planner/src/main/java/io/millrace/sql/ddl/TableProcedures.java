package io.millrace.sql.ddl;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Clock;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/*
 * Changes of tables over catalog and regions, so ordered that a crash between the two leaves nothing that
 * a start does not mend: CREATE makes the regions first and then the catalog entry (regions that no entry
 * names are dropped at start); DROP removes the entry first and then the regions; ALTER changes the
 * regions first, which take any schema whose version is newer, and then the entry (an interrupted ALTER
 * leaves regions ahead of the catalog, which may name columns that no one asks for).
 */
/** CREATE, ALTER, DROP and TRUNCATE of tables. Futures fail with MillraceException. */
public final class TableProcedures {
  private final Catalog catalog;
  private final RegionEngine engine;
  private final Clock clock;

  public TableProcedures(Catalog catalog, RegionEngine engine, Clock clock) {
    this.catalog = catalog;
    this.engine = engine;
    this.clock = clock;
  }

  /**
   * At start: opens the regions of every table, creates those that are missing and drops those that
   * no table names.
   */
  public CompletableFuture<Void> openAll() {
    CatalogSnapshot snapshot = catalog.snapshot();
    var named = new HashSet<RegionId>();
    var work = new ArrayList<CompletableFuture<?>>();
    for (TableInfo t : allTables(snapshot)) {
      for (RegionId r : t.regions()) {
        named.add(r);
        work.add(engine.request(new RegionRequest.Create(r, t.storage(), t.regionOptions())));
      }
    }
    for (RegionId r : engine.regions()) {
      if (!named.contains(r)) {
        work.add(engine.request(new RegionRequest.Drop(r)));
      }
    }
    return CompletableFuture.allOf(work.toArray(CompletableFuture[]::new));
  }

  private static List<TableInfo> allTables(CatalogSnapshot snapshot) {
    var out = new ArrayList<>(snapshot.hiddenTables());
    snapshot.databases().forEach(d -> out.addAll(snapshot.tables(d.name())));
    return out;
  }

  /**
   * Creates a table.
   *
   * @throws MillraceException (in the future) DUPLICATE_TABLE, INVALID_SCHEMA_NAME, and what the
   *     definition's faults are
   */
  public CompletableFuture<TableInfo> create(TableDefinition definition) {
    TableInfo table;
    try {
      checkFree(catalog.snapshot(), definition);
      table = TableInfos.build(definition, catalog, clock.wallMicros());
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
    return all(
            table.regions(),
            r -> new RegionRequest.Create(r, table.storage(), table.regionOptions()))
        .thenCompose(
            rows ->
                catalog.change(
                    s -> {
                      checkFree(s, definition);
                      return CatalogChange.of(new CatalogChange.Action.PutTable(table));
                    }))
        .thenApply(s -> table)
        .exceptionallyCompose(
            failure ->
                all(table.regions(), RegionRequest.Drop::new)
                    .handle((rows, e) -> rethrow(failure)));
  }

  private static TableInfo rethrow(Throwable failure) {
    throw failure instanceof CompletionException c ? c : new CompletionException(failure);
  }

  private static void checkFree(CatalogSnapshot s, TableDefinition d) {
    if (s.schemas(d.database()).stream().noneMatch(x -> x.name().equals(d.schema()))) {
      throw new MillraceException(
          ErrorCode.INVALID_SCHEMA_NAME, "schema \"" + d.schema() + "\" does not exist");
    }
    if (s.table(d.database(), d.schema(), d.name()).isPresent()
        || s.view(d.database(), d.schema(), d.name()).isPresent()) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_TABLE, "relation \"" + d.name() + "\" already exists");
    }
  }

  /**
   * Drops tables: entries first, then regions. Flows that read or feed them must be gone; callers
   * with CASCADE drop them before.
   *
   * @throws MillraceException (in the future) DEPENDENT_OBJECTS_STILL_EXIST naming the flows
   */
  public CompletableFuture<Void> drop(List<TableId> ids) {
    var dropped = new ArrayList<TableInfo>();
    return catalog
        .change(
            s -> {
              dropped.clear();
              var actions = new ArrayList<CatalogChange.Action>();
              for (TableId id : ids) {
                TableInfo t = s.table(id).orElseThrow(() -> gone(id));
                List<String> users = flowsReading(s, id);
                if (!users.isEmpty()) {
                  throw new MillraceException(
                          ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
                          "cannot drop table " + t.name() + " because other objects depend on it")
                      .withDetail(
                          users.stream()
                              .map(f -> "flow " + f + " depends on table " + t.name())
                              .reduce((a, b) -> a + "\n" + b)
                              .orElse(""))
                      .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
                }
                dropped.add(t);
                actions.add(new CatalogChange.Action.RemoveTable(id));
              }
              return new CatalogChange(actions);
            })
        .thenCompose(
            s ->
                all(
                    dropped.stream().flatMap(t -> t.regions().stream()).toList(),
                    RegionRequest.Drop::new))
        .thenAccept(rows -> {});
  }

  /** Names of the flows that read a table and do not wait for it to come back. */
  public static List<String> flowsReading(CatalogSnapshot snapshot, TableId id) {
    return snapshot.flows().stream()
        .filter(f -> f.sources().contains(id))
        .filter(f -> !"true".equals(f.options().get("defer_on_missing_source")))
        .map(FlowInfo::name)
        .toList();
  }

  /**
   * Alters a table: the change sees the newest info and gives the next (same id; the version is
   * raised here, that of the storage schema too if it differs).
   */
  public CompletableFuture<TableInfo> alter(TableId id, UnaryOperator<TableInfo> change) {
    TableInfo before;
    TableInfo next;
    try {
      before = catalog.snapshot().table(id).orElseThrow(() -> gone(id));
      next = withVersion(change.apply(before), before);
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
    boolean regions =
        !next.storage().equals(before.storage())
            || !next.regionOptions().equals(before.regionOptions());
    CompletableFuture<?> first =
        regions
            ? engine.request(
                new RegionRequest.Alter(next.regions(), next.storage(), next.regionOptions()))
            : CompletableFuture.completedFuture(null);
    return first
        .thenCompose(
            r ->
                catalog.change(
                    s -> {
                      TableInfo now = s.table(id).orElseThrow(() -> gone(id));
                      if (now.version() != before.version()) {
                        throw new MillraceException(
                            ErrorCode.OBJECT_IN_USE,
                            "table \"" + now.name() + "\" was changed at the same time; try again");
                      }
                      return CatalogChange.of(new CatalogChange.Action.PutTable(next));
                    }))
        .thenApply(s -> next);
  }

  private static TableInfo withVersion(TableInfo t, TableInfo before) {
    var storage =
        t.storage().equals(before.storage())
            ? t.storage()
            : new io.millrace.common.type.TableSchema(
                before.storage().version() + 1,
                t.storage().columns(),
                t.storage().tagIds(),
                t.storage().timeIndexId());
    return new TableInfo(
        t.id(),
        t.oid(),
        before.version() + 1,
        t.database(),
        t.schema(),
        t.name(),
        t.columns(),
        storage,
        t.regionOptions(),
        t.regions(),
        t.constraints(),
        t.options(),
        t.comment(),
        t.createdMicros(),
        t.hidden());
  }

  /** Empties a table in one commit; completes with the number of rows that were there. */
  public CompletableFuture<Long> truncate(TableInfo table) {
    return engine
        .request(new RegionRequest.Truncate(table.regions()))
        .thenApply(RegionResponse::rows);
  }

  /** Flushes a table's regions; completes with the rows written. */
  public CompletableFuture<Long> flush(TableInfo table) {
    return all(table.regions(), r -> new RegionRequest.Flush(r, "manual"));
  }

  private CompletableFuture<Long> all(
      List<RegionId> regions, Function<RegionId, RegionRequest> request) {
    List<CompletableFuture<RegionResponse>> work =
        regions.stream().map(r -> engine.request(request.apply(r))).toList();
    return CompletableFuture.allOf(work.toArray(CompletableFuture[]::new))
        .thenApply(v -> work.stream().mapToLong(f -> f.resultNow().rows()).sum());
  }

  private static MillraceException gone(TableId id) {
    return new MillraceException(
        ErrorCode.UNDEFINED_TABLE, "the table with id " + id.value() + " does not exist any more");
  }

  /** The table of a name, for messages of IF EXISTS and the like. */
  public Optional<TableInfo> find(String database, String schema, String name) {
    return catalog.snapshot().table(database, schema, name);
  }
}
