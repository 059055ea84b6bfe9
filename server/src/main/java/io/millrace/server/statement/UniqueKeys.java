package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.exec.RowIndex;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.KeyRows;
import io.millrace.storage.Overlay;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionOptions.KeyMode;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.Snapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/*
 * Finding the rows that stand in the way of new ones.
 *
 * The storage key is looked up by key. Another UNIQUE constraint of a plain table is checked by a scan with
 * an IN predicate on its first column. Either way the keys concerned are locked first (a constraint that is
 * not the storage key under a region number of its own, which only the lock table knows), and the answer is
 * read from a snapshot taken after the locks were had, so that two sessions that insert one key meet here.
 */
/** Looks up existing rows by unique keys, under locks. */
final class UniqueKeys {
  private static final int LOCK_SPACE = 0x4000_0000;

  private final DmlSupport dml;

  UniqueKeys(DmlSupport dml) {
    this.dml = dml;
  }

  /** A unique key of a table: the storage key, or a UNIQUE constraint of a plain table. */
  record Unique(String name, List<Integer> columnIds, boolean storageKey, int ordinal) {}

  /**
   * Existing rows that equal the given ones in the key.
   *
   * @param keys columns as {@link DmlPlan#keyColumnIds}, one row per given row
   * @param rows the table's visible columns
   * @param found which of the given rows have one
   */
  record Existing(Batch keys, Batch rows, long[] found) {}

  /** The enforced unique keys of a table, the storage key first. */
  static List<Unique> of(TableInfo table) {
    var out = new ArrayList<Unique>();
    KeyMode mode = table.regionOptions().keyMode();
    Optional<TableInfo.Constraint> primary =
        table.constraints().stream().filter(c -> c.kind() == 'p').findFirst();
    if (mode == KeyMode.UNIQUE_KEY) {
      out.add(
          new Unique(
              primary.map(TableInfo.Constraint::name).orElse(table.name() + "_pkey"),
              table.storage().tagIds(),
              true,
              0));
    } else if (mode == KeyMode.TIME_INDEX && hiddenTags(table).isEmpty()) {
      out.add(
          new Unique(
              primary.map(TableInfo.Constraint::name).orElse(table.name() + "_pkey"),
              DmlPlan.keyColumnIds(table),
              true,
              0));
    }
    if (mode != KeyMode.TIME_INDEX) {
      int n = 1;
      for (TableInfo.Constraint c : table.constraints()) {
        if (c.kind() == 'u') {
          out.add(new Unique(c.name(), c.columnIds(), false, n++));
        }
      }
      for (TableInfo.Index x : table.indexes()) {
        if (x.enforceable()) {
          out.add(new Unique(x.name(), x.columnIds(), false, n++));
        }
      }
    }
    return out;
  }

  /** Tags that no user sees: the key that flows give the rows of their automatic sinks. */
  static List<Integer> hiddenTags(TableInfo table) {
    return table.storage().tagIds().stream().filter(id -> place(table, id) < 0).toList();
  }

  /** The storage key columns of visible rows; UNIQUE_KEY tables get their constant row id. */
  static Batch storageKey(TableInfo table, Batch rows) {
    var columns = new ArrayList<Vector>();
    for (int id : DmlPlan.keyColumnIds(table)) {
      int place = place(table, id);
      columns.add(
          place >= 0 ? rows.column(place) : DmlSupport.constant(SqlType.INT8, 0, rows.rows()));
    }
    return new Batch(columns, rows.rows());
  }

  static Batch project(TableInfo table, List<Integer> columnIds, Batch rows) {
    return rows.project(columnIds.stream().mapToInt(id -> place(table, id)).toArray());
  }

  /** Place of a column among the visible ones; -1 if hidden. */
  static int place(TableInfo table, int columnId) {
    for (int i = 0; i < table.columns().size(); i++) {
      if (table.columns().get(i).id() == columnId) {
        return i;
      }
    }
    return -1;
  }

  /** Locks the rows' keys, then finds what exists. */
  CompletableFuture<Existing> lockAndFind(
      SessionContext session, TableInfo table, Unique unique, Batch rows) {
    if (unique.storageKey()) {
      Batch keys = storageKey(table, rows);
      return Async.map(
          session,
          dml.lock(session, DmlSupport.lockSpace(table), keys),
          v -> findByKey(session, table, keys));
    }
    Batch keys = project(table, unique.columnIds(), rows);
    RegionId lockSpace = RegionId.of(table.id(), LOCK_SPACE + unique.ordinal());
    return Async.then(
        session,
        dml.lock(session, lockSpace, withoutNulls(keys)),
        v -> scan(session, table, unique, keys));
  }

  /** Whether a column of a unique key is among those assigned. */
  static boolean anyAssigned(TableInfo table, List<Integer> assigned) {
    return nextAssigned(of(table), assigned, 0) >= 0;
  }

  private static int nextAssigned(List<Unique> keys, List<Integer> assigned, int from) {
    for (int i = from; i < keys.size(); i++) {
      if (keys.get(i).columnIds().stream().anyMatch(assigned::contains)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * New values of unique columns must not meet rows other than those that the statement changes.
   *
   * @param keys of the changed rows, as they were
   * @param changed visible columns after
   */
  CompletableFuture<Void> requireFree(
      SessionContext session, TableInfo table, List<Integer> assigned, Batch keys, Batch changed) {
    return requireFree(session, table, assigned, keys, changed, 0);
  }

  private CompletableFuture<Void> requireFree(
      SessionContext session,
      TableInfo table,
      List<Integer> assigned,
      Batch keys,
      Batch changed,
      int from) {
    if (changed.rows() == 0 || table.regionOptions().keyMode() == KeyMode.TIME_INDEX) {
      return CompletableFuture.completedFuture(null);
    }
    List<Unique> all = of(table);
    int i = nextAssigned(all, assigned, from);
    if (i < 0) {
      return CompletableFuture.completedFuture(null);
    }
    Unique key = all.get(i);
    return Async.then(
        session,
        lockAndFind(session, table, key, changed),
        existing -> {
          requireFree(session, table, key, keys, changed, existing);
          return requireFree(session, table, assigned, keys, changed, i + 1);
        });
  }

  private static void requireFree(
      SessionContext session,
      TableInfo table,
      Unique key,
      Batch keys,
      Batch changed,
      Existing existing) {
    RowIndex mine = RowIndex.of(keys);
    Batch shown = project(table, key.columnIds(), changed);
    int[] earlier = new RowIndex(shown.width()).add(shown);
    for (int r = 0; r < changed.rows(); r++) {
      boolean clash =
          !anyNull(shown, r)
              && (earlier[r] >= 0
                  || (Bits.get(existing.found(), r) && mine.first(existing.keys(), r) < 0));
      if (clash) {
        throw new MillraceException(
                ErrorCode.UNIQUE_VIOLATION,
                "duplicate key value violates unique constraint \"" + key.name() + "\"")
            .withDetail(
                "Key "
                    + RowText.key(table, key.columnIds(), shown, r, session.settings().format())
                    + " already exists.")
            .about(table.schema(), table.name(), null, key.name());
      }
    }
  }

  /** What the storage key finds, in the newest snapshot with the transaction's own rows on top. */
  Existing findByKey(SessionContext session, TableInfo table, Batch keys) {
    var lookup = new KeyLookup(dml.services().engine(), table, session.transaction().overlays());
    try (Snapshot snapshot = dml.services().engine().snapshot(table.regions())) {
      KeyRows found = lookup.find(snapshot, keys);
      return new Existing(keys, found.rows(), found.found());
    }
  }

  private static Batch withoutNulls(Batch keys) {
    int[] rows = IntStream.range(0, keys.rows()).filter(r -> !anyNull(keys, r)).toArray();
    return keys.take(rows, rows.length);
  }

  static boolean anyNull(Batch keys, int row) {
    return keys.columns().stream().anyMatch(v -> v.isNull(row));
  }

  private CompletableFuture<Existing> scan(
      SessionContext session, TableInfo table, Unique unique, Batch keys) {
    List<Integer> keyIds = DmlPlan.keyColumnIds(table);
    var ids = new ArrayList<>(keyIds);
    ids.addAll(DmlSupport.visibleIds(table));
    Vector options = sortedDistinct(keys.column(0));
    var wanted = new RowIndex(keys.width());
    int[] firstOf = wanted.add(keys);
    var hit = new Found(table, keyIds.size(), keys.rows());
    if (options.length() == 0) {
      return CompletableFuture.completedFuture(hit.build());
    }
    int[] places =
        unique.columnIds().stream().mapToInt(id -> keyIds.size() + place(table, id)).toArray();
    var predicate = new ColumnPredicate.In(unique.columnIds().getFirst(), options);
    var search =
        new Search(session, table, ids, predicate, b -> hit.offer(wanted, firstOf, b, places));
    return search.start().thenApply(v -> hit.build());
  }

  /** Reads what satisfies a predicate in all regions, a batch per task of the session. */
  private final class Search implements Runnable {
    private final SessionContext session;
    private final Consumer<Batch> rows;
    private final Snapshot snapshot;
    private final List<RegionScanner> scanners = new ArrayList<>();
    private final Deque<Supplier<PartitionReader>> readers = new ArrayDeque<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private @Nullable PartitionReader reader;

    Search(
        SessionContext session,
        TableInfo table,
        List<Integer> columnIds,
        ColumnPredicate predicate,
        Consumer<Batch> rows) {
      this.session = session;
      this.rows = rows;
      RegionEngine engine = dml.services().engine();
      this.snapshot = engine.snapshot(table.regions());
      Map<RegionId, Overlay> overlays = session.transaction().overlays();
      boolean failed = true;
      try {
        for (RegionId region : table.regions(List.of(predicate))) {
          RegionScanner scanner =
              engine.scan(snapshot, request(region, columnIds, predicate, overlays.get(region)));
          scanners.add(scanner);
          for (int p = 0; p < scanner.partitions(); p++) {
            int number = p;
            readers.add(() -> scanner.open(number));
          }
        }
        failed = false;
      } finally {
        if (failed) {
          close();
        }
      }
    }

    private static ScanRequest request(
        RegionId region,
        List<Integer> columnIds,
        ColumnPredicate predicate,
        @Nullable Overlay overlay) {
      return new ScanRequest(
          region,
          columnIds,
          List.of(predicate),
          Long.MIN_VALUE,
          Long.MAX_VALUE,
          -1,
          ScanRequest.Order.ANY,
          0,
          overlay,
          ScanRequest.RowSelector.ALL,
          false,
          1);
    }

    CompletableFuture<Void> start() {
      session.serial(this);
      return done;
    }

    @Override
    public void run() {
      try {
        PartitionReader r = reader;
        if (r == null) {
          Supplier<PartitionReader> next = readers.poll();
          if (next == null) {
            close();
            done.complete(null);
            return;
          }
          reader = next.get();
        } else {
          Batch b = r.next();
          if (b == null) {
            reader = null;
            r.close();
          } else {
            rows.accept(b);
          }
        }
        session.serial(this);
      } catch (RuntimeException | Error e) {
        close();
        done.completeExceptionally(e);
      }
    }

    private void close() {
      PartitionReader r = reader;
      reader = null;
      if (r != null) {
        r.close();
      }
      scanners.forEach(RegionScanner::close);
      snapshot.close();
    }
  }

  private static Vector sortedDistinct(Vector v) {
    Integer[] order =
        IntStream.range(0, v.length()).filter(r -> !v.isNull(r)).boxed().toArray(Integer[]::new);
    Arrays.sort(order, (a, b) -> v.compare(a, v, b));
    int[] take = new int[order.length];
    int n = 0;
    for (int i = 0; i < order.length; i++) {
      if (n == 0 || v.compare(order[i], v, take[n - 1]) != 0) {
        take[n++] = order[i];
      }
    }
    return v.take(take, n);
  }

  /** Gathers, per wanted row, the existing row that equals it. */
  private static final class Found {
    private final TableInfo table;
    private final int keyWidth;
    private final int wantedRows;
    private final List<Batch> pieces = new ArrayList<>();
    private final int[] piece;
    private final int[] rowOf;
    private final int[] canonical;

    Found(TableInfo table, int keyWidth, int wantedRows) {
      this.table = table;
      this.keyWidth = keyWidth;
      this.wantedRows = wantedRows;
      this.piece = new int[wantedRows];
      this.rowOf = new int[wantedRows];
      this.canonical = new int[wantedRows];
      Arrays.fill(piece, -1);
      for (int i = 0; i < wantedRows; i++) {
        canonical[i] = i;
      }
    }

    void offer(RowIndex wanted, int[] firstOf, Batch b, int[] places) {
      for (int i = 0; i < wantedRows; i++) {
        canonical[i] = firstOf[i] < 0 ? i : firstOf[i];
      }
      Batch key = b.project(places);
      boolean kept = false;
      for (int r = 0; r < b.rows(); r++) {
        if (anyNull(key, r)) {
          continue;
        }
        int n = wanted.first(key, r);
        if (n >= 0) {
          piece[n] = pieces.size();
          rowOf[n] = r;
          kept = true;
        }
      }
      if (kept) {
        pieces.add(b);
      }
    }

    Existing build() {
      var types = new ArrayList<SqlType>(DmlPlan.keyTypes(table));
      table.columns().forEach(c -> types.add(c.type()));
      long[] found = new long[Bits.words(Math.max(1, wantedRows))];
      var columns = new ArrayList<Vector>();
      for (int c = 0; c < types.size(); c++) {
        VectorBuilder out = VectorBuilder.of(types.get(c), wantedRows);
        for (int i = 0; i < wantedRows; i++) {
          int from = canonical[i];
          if (piece[from] < 0) {
            out.appendNull();
          } else {
            out.append(pieces.get(piece[from]).column(c), rowOf[from]);
            Bits.set(found, i);
          }
        }
        columns.add(out.build());
      }
      return new Existing(
          new Batch(columns.subList(0, keyWidth), wantedRows),
          new Batch(columns.subList(keyWidth, columns.size()), wantedRows),
          found);
    }
  }
}
