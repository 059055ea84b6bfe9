package io.millrace.sql.ddl;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.time.Clock;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.CommentKey;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionResponse;
import io.millrace.storage.Truncation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Changes of tables over catalog and regions, so ordered that a crash between the two leaves nothing that
 * a start does not mend: CREATE makes the regions first and then the catalog entry (regions that no entry
 * names are dropped at start); DROP removes the entry first and then the regions; ALTER changes the
 * regions first, which take any schema whose version is newer, and then the entry (an interrupted ALTER
 * leaves regions ahead of the catalog, which may name columns that no one asks for).
 */
/** CREATE, ALTER, DROP and TRUNCATE of tables. Futures fail with MillraceException. */
public final class TableProcedures {
  private static final Logger LOG = LoggerFactory.getLogger(TableProcedures.class);

  /** Schemas of temporary tables begin so; the process id of their session follows. */
  public static final String TEMPORARY_SCHEMA = "pg_temp_";

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
    return dropLeftovers().thenCompose(v -> openTables());
  }

  private CompletableFuture<Void> openTables() {
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
      checkFree(catalog.snapshot(), definition.database(), definition.schema(), definition.name());
      table = prepare(definition);
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
    return create(table, List.of());
  }

  /**
   * The table that a definition describes, with its identities but not yet stored.
   *
   * @throws MillraceException what the definition's faults are
   */
  public TableInfo prepare(TableDefinition definition) {
    return TableInfos.build(definition, catalog, clock.wallMicros());
  }

  /** Creates a prepared table, and what goes with it in the catalog. */
  public CompletableFuture<TableInfo> create(TableInfo prepared, List<CatalogChange.Action> more) {
    TableInfo table = TableIndexes.applied(prepared);
    return all(
            table.regions(),
            r -> new RegionRequest.Create(r, table.storage(), table.regionOptions()))
        .thenCompose(
            rows ->
                catalog.change(
                    s -> {
                      checkFree(s, table.database(), table.schema(), table.name());
                      var actions = new ArrayList<CatalogChange.Action>();
                      actions.add(new CatalogChange.Action.PutTable(table));
                      actions.addAll(more);
                      return new CatalogChange(actions);
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

  /** Refuses a name that a relation of the schema has, and a schema that is not there. */
  public static void checkFree(CatalogSnapshot s, String database, String schema, String name) {
    if (s.schemas(database).stream().noneMatch(x -> x.name().equals(schema))) {
      throw new MillraceException(
          ErrorCode.INVALID_SCHEMA_NAME, "schema \"" + schema + "\" does not exist");
    }
    if (RelationNames.taken(s, database, schema, name)) {
      throw new MillraceException(
          ErrorCode.DUPLICATE_TABLE, "relation \"" + name + "\" already exists");
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
                for (SequenceInfo q : ownedSequences(s, t)) {
                  actions.add(new CatalogChange.Action.RemoveSequence(q.oid()));
                }
              }
              Set<Integer> gone = new HashSet<>();
              dropped.forEach(t -> gone.addAll(oids(t)));
              for (CommentKey k : s.comments().keySet()) {
                if (gone.contains(k.oid())) {
                  actions.add(new CatalogChange.Action.RemoveComment(k));
                }
              }
              actions.addAll(withoutReferences(s, dropped));
              return new CatalogChange(actions);
            })
        .thenCompose(
            s ->
                all(
                    dropped.stream().flatMap(t -> t.regions().stream()).toList(),
                    RegionRequest.Drop::new))
        .thenAccept(rows -> {});
  }

  /** Sequences that columns of a table own. */
  public static List<SequenceInfo> ownedSequences(CatalogSnapshot s, TableInfo t) {
    return s.sequences(t.database()).stream()
        .filter(q -> q.owner().filter(o -> o.table().equals(t.id())).isPresent())
        .toList();
  }

  private static Set<Integer> oids(TableInfo t) {
    var out = new HashSet<Integer>();
    out.add(t.oid());
    t.constraints().forEach(c -> out.add(c.oid()));
    t.indexes().forEach(x -> out.add(x.oid()));
    return out;
  }

  /** Other tables without the foreign keys that point to what is dropped. */
  private static List<CatalogChange.Action> withoutReferences(
      CatalogSnapshot s, List<TableInfo> dropped) {
    Set<TableId> ids = new HashSet<>();
    dropped.forEach(t -> ids.add(t.id()));
    var out = new ArrayList<CatalogChange.Action>();
    for (TableInfo t : dropped) {
      for (TableInfo other : s.tables(t.database())) {
        if (!ids.contains(other.id()) && other.constraints().stream().anyMatch(c -> refers(c, t))) {
          out.add(
              new CatalogChange.Action.PutTable(
                  other
                      .edit()
                      .version(other.version() + 1)
                      .constraints(
                          other.constraints().stream()
                              .filter(c -> dropped.stream().noneMatch(d -> refers(c, d)))
                              .toList())
                      .build()));
        }
      }
    }
    return out;
  }

  /** Whether a constraint is a foreign key that refers to the table. */
  public static boolean refers(TableInfo.Constraint c, TableInfo t) {
    return c.foreignKey().filter(f -> f.table().equals(RelationNames.text(t))).isPresent();
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
    return alter(id, change, t -> List.of());
  }

  /**
   * The same, with more that changes in the catalog with it.
   *
   * @param more given the table as it will be
   */
  public CompletableFuture<TableInfo> alter(
      TableId id,
      UnaryOperator<TableInfo> change,
      Function<TableInfo, List<CatalogChange.Action>> more) {
    TableInfo before;
    TableInfo next;
    try {
      before = catalog.snapshot().table(id).orElseThrow(() -> gone(id));
      next = withVersion(TableIndexes.applied(change.apply(before)), before);
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
    boolean regions =
        next.regions().equals(before.regions()) && !next.storage().equals(before.storage())
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
                      var actions = new ArrayList<CatalogChange.Action>();
                      actions.add(new CatalogChange.Action.PutTable(next));
                      actions.addAll(more.apply(next));
                      return new CatalogChange(actions);
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
    return t.edit().version(before.version() + 1).storage(storage).build();
  }

  /**
   * Puts other regions in the place of a table's own, which are dropped then. Nothing is committed
   * to the table from before the filling until the catalog names the new regions; what waits for
   * that is refused.
   *
   * @param fill writes the rows into the new regions, which are there and empty
   * @param more given the table as it will be
   */
  public CompletableFuture<TableInfo> replaceRegions(
      TableInfo before,
      TableInfo changed,
      Supplier<CompletableFuture<Void>> fill,
      Function<TableInfo, List<CatalogChange.Action>> more) {
    TableInfo next = TableIndexes.applied(changed);
    TableInfo raised = next.edit().version(before.version() + 1).build();
    return createRegions(next)
        .thenCompose(
            v ->
                engine.retire(
                    before.regions(), () -> fill.get().thenCompose(f -> put(raised, more))))
        .handle((s, failure) -> failure)
        .thenCompose(
            failure ->
                dropRegions(failure == null ? before.regions() : next.regions())
                    .handle((v, x) -> replaced(raised, failure, x)));
  }

  private CompletableFuture<CatalogSnapshot> put(
      TableInfo raised, Function<TableInfo, List<CatalogChange.Action>> more) {
    return catalog.change(
        s -> {
          TableInfo now = s.table(raised.id()).orElseThrow(() -> gone(raised.id()));
          if (now.version() != raised.version() - 1) {
            throw changed(now);
          }
          var actions = new ArrayList<CatalogChange.Action>();
          actions.add(new CatalogChange.Action.PutTable(raised));
          actions.addAll(more.apply(raised));
          return new CatalogChange(actions);
        });
  }

  /** Regions that could not be dropped are named by no table: the next start drops them. */
  private static TableInfo replaced(
      TableInfo table, @Nullable Throwable failure, @Nullable Throwable leftover) {
    if (leftover != null) {
      LOG.warn("regions of table {} are not dropped yet: {}", table.name(), leftover.toString());
    }
    if (failure == null) {
      return table;
    }
    Throwable cause =
        failure instanceof CompletionException c && c.getCause() != null ? c.getCause() : failure;
    if (cause instanceof MillraceException m
        && (m.code() == ErrorCode.REGION_NOT_READY || m.code() == ErrorCode.REGION_NOT_FOUND)) {
      throw changed(table);
    }
    throw new CompletionException(cause);
  }

  private static MillraceException changed(TableInfo t) {
    return new MillraceException(
        ErrorCode.OBJECT_IN_USE,
        "table \"" + t.name() + "\" was changed at the same time; try again");
  }

  /**
   * A table with options changed. Where that changes how rows are merged, they must be written
   * anew.
   *
   * @throws MillraceException for unknown options, bad values, and options that are fixed
   */
  public static TableInfo withOptions(TableInfo t, Map<String, String> options) {
    Map<String, String> next = TableOptions.normalise(options);
    RegionOptions wanted = TableOptions.regionOptions(next, t.regionOptions().keyMode());
    RegionOptions now = t.regionOptions();
    if (now.appendMode() && !wanted.appendMode()) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED,
              "append_mode of table \"" + t.name() + "\" cannot be switched off")
          .withHint(
              "Which of several rows with one key would be kept? Copy the rows into another"
                  + " table.");
    }
    return t.edit()
        .options(next)
        .comment(Optional.ofNullable(next.get("comment")).or(t::comment))
        .regionOptions(
            new RegionOptions(
                now.keyMode(),
                wanted.appendMode(),
                wanted.mergeMode(),
                wanted.ttlMicros(),
                wanted.skipWal() || t.temporary(),
                wanted.writeBufferBytes(),
                wanted.compaction(),
                now.index(),
                wanted.files()))
        .build();
  }

  /** Creates regions that no table names yet. */
  private CompletableFuture<Void> createRegions(TableInfo table) {
    return all(
            table.regions(),
            r -> new RegionRequest.Create(r, table.storage(), table.regionOptions()))
        .thenAccept(n -> {});
  }

  /** Drops regions that no table names. */
  private CompletableFuture<Void> dropRegions(List<RegionId> regions) {
    return all(regions, RegionRequest.Drop::new).thenAccept(n -> {});
  }

  /** Drops every table, view and sequence of a temporary schema, and the schema. */
  public CompletableFuture<Void> dropTemporary(String database, String schema) {
    var dropped = new ArrayList<TableInfo>();
    return catalog
        .change(
            s -> {
              var actions = new ArrayList<CatalogChange.Action>();
              dropped.clear();
              for (TableInfo t : s.tables(database)) {
                if (t.schema().equals(schema)) {
                  dropped.add(t);
                  actions.add(new CatalogChange.Action.RemoveTable(t.id()));
                }
              }
              s.views(database).stream()
                  .filter(v -> v.schema().equals(schema))
                  .forEach(v -> actions.add(new CatalogChange.Action.RemoveView(v.oid())));
              s.sequences(database).stream()
                  .filter(q -> q.schema().equals(schema))
                  .forEach(q -> actions.add(new CatalogChange.Action.RemoveSequence(q.oid())));
              s.schemas(database).stream()
                  .filter(x -> x.name().equals(schema))
                  .forEach(x -> actions.add(new CatalogChange.Action.RemoveSchema(x.oid())));
              return new CatalogChange(actions);
            })
        .thenCompose(
            s ->
                all(
                    dropped.stream().flatMap(t -> t.regions().stream()).toList(),
                    RegionRequest.Drop::new))
        .thenAccept(n -> {});
  }

  /** Removes what sessions of a server that was killed left behind; before any session comes. */
  private CompletableFuture<Void> dropLeftovers() {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    CatalogSnapshot s = catalog.snapshot();
    for (DatabaseInfo d : s.databases()) {
      for (SchemaInfo x : s.schemas(d.name())) {
        if (x.name().startsWith(TEMPORARY_SCHEMA)) {
          all = all.thenCompose(v -> removeEntries(d.name(), x));
        }
      }
    }
    return all;
  }

  /** The entries only: the regions are found to have no table when they are opened. */
  private CompletableFuture<Void> removeEntries(String database, SchemaInfo schema) {
    return catalog
        .change(
            s -> {
              var actions = new ArrayList<CatalogChange.Action>();
              s.tables(database).stream()
                  .filter(t -> t.schema().equals(schema.name()))
                  .forEach(t -> actions.add(new CatalogChange.Action.RemoveTable(t.id())));
              s.views(database).stream()
                  .filter(v -> v.schema().equals(schema.name()))
                  .forEach(v -> actions.add(new CatalogChange.Action.RemoveView(v.oid())));
              s.sequences(database).stream()
                  .filter(q -> q.schema().equals(schema.name()))
                  .forEach(q -> actions.add(new CatalogChange.Action.RemoveSequence(q.oid())));
              actions.add(new CatalogChange.Action.RemoveSchema(schema.oid()));
              return new CatalogChange(actions);
            })
        .thenAccept(s -> {});
  }

  /** Empties a table in one commit; completes with the number of rows that were there. */
  public CompletableFuture<Long> truncate(TableInfo table) {
    return truncate(table, new Truncation.All());
  }

  /** Takes a part of a table's rows away in one commit; completes with their number. */
  public CompletableFuture<Long> truncate(TableInfo table, Truncation what) {
    return engine
        .request(new RegionRequest.Truncate(table.regions(), what))
        .thenApply(RegionResponse::rows);
  }

  /** Flushes a table's regions; completes with the rows written. */
  public CompletableFuture<Long> flush(TableInfo table) {
    return all(table.regions(), r -> new RegionRequest.Flush(r, "manual"));
  }

  /**
   * Merges each region's files; the rows written.
   *
   * @param strict every file gets rows of one compaction window only
   */
  public CompletableFuture<Long> compact(TableInfo table, boolean strict) {
    return all(table.regions(), r -> new RegionRequest.Compact(r, strict));
  }

  /** Builds the indexes that files lack; the number of files changed. */
  public CompletableFuture<Long> buildIndex(TableInfo table) {
    return all(table.regions(), r -> new RegionRequest.BuildIndex(r, List.of()));
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
