package io.millrace.sql.plan;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.id.RegionId;
import io.millrace.common.id.TableId;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.PartitionReader;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionInfo;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionScanner;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.ScanStatistics;
import io.millrace.storage.Snapshot;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A catalog of tables with given rows, and regions that hold them. */
final class TestTables {
  private final Map<String, TableInfo> tables = new HashMap<>();
  private final Map<String, ViewInfo> views = new HashMap<>();
  private final Map<RegionId, Batch> data = new HashMap<>();
  private int next = 1;
  private long version;

  /**
   * Adds a table.
   *
   * @param columns "name type" each; tags carry a '#' before the name, the time index a '@'
   * @param rows fields parted by '|', the empty one is NULL
   */
  TestTables table(String name, List<String> columns, String... rows) {
    TableId id = new TableId(next++);
    var sql = new ArrayList<TableInfo.Column>();
    var stored = new ArrayList<ColumnSchema>();
    var tags = new ArrayList<Integer>();
    int time = -1;
    for (int i = 0; i < columns.size(); i++) {
      String[] c = columns.get(i).split(" ");
      char mark = c[0].charAt(0);
      String column = mark == '#' || mark == '@' ? c[0].substring(1) : c[0];
      SqlType type = type(c[1]);
      boolean nullable = mark != '@' && !(c.length > 2 && c[2].equals("!"));
      sql.add(
          new TableInfo.Column(
              i + 1, column, i + 1, type, c[1], nullable, Optional.empty(), Optional.empty(), ""));
      SemanticType semantic =
          mark == '#'
              ? SemanticType.TAG
              : mark == '@' ? SemanticType.TIMESTAMP : SemanticType.FIELD;
      if (mark == '#') {
        tags.add(i + 1);
      }
      if (mark == '@') {
        time = i + 1;
      }
      stored.add(new ColumnSchema(i + 1, column, type, semantic, nullable, null));
    }
    if (time < 0) {
      time = columns.size() + 1;
      stored.add(
          new ColumnSchema(time, "__rowid", SqlType.INT8, SemanticType.TIMESTAMP, false, null));
    }
    RegionId region = RegionId.of(id, 0);
    var info =
        new TableInfo(
            id,
            20_000 + id.value(),
            1,
            "millrace",
            "public",
            name,
            sql,
            new TableSchema(1, stored, tags, time),
            RegionOptions.DEFAULT,
            List.of(region),
            List.of(),
            Map.of(),
            Optional.empty(),
            0,
            false);
    tables.put(name, info);
    version++;
    data.put(region, batch(stored, rows));
    return this;
  }

  TestTables view(String name, String query, List<String> names, List<SqlType> types) {
    version++;
    views.put(
        name, new ViewInfo(30_000 + next++, 1, "millrace", "public", name, query, names, types));
    return this;
  }

  TableInfo info(String name) {
    return java.util.Objects.requireNonNull(tables.get(name));
  }

  private static SqlType type(String name) {
    return switch (name) {
      case "int4" -> SqlType.INT4;
      case "int8" -> SqlType.INT8;
      case "float8" -> SqlType.FLOAT8;
      case "text" -> SqlType.TEXT;
      case "bool" -> SqlType.BOOL;
      case "numeric" -> SqlType.NUMERIC;
      case "timestamp" -> SqlType.TIMESTAMP.withTypmod(3);
      case "date" -> SqlType.DATE;
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static Batch batch(List<ColumnSchema> columns, String... rows) {
    var out = new ArrayList<Vector>();
    for (int c = 0; c < columns.size(); c++) {
      SqlType type = columns.get(c).type();
      VectorBuilder b = VectorBuilder.of(type, rows.length);
      for (int r = 0; r < rows.length; r++) {
        String[] cells = rows[r].split("\\|", -1);
        String cell = c < cells.length ? cells[c].strip() : String.valueOf(r);
        if (cell.isEmpty()) {
          b.appendNull();
        } else {
          byte[] bytes = cell.getBytes(StandardCharsets.UTF_8);
          TypeCodecs.of(type).parseText(bytes, 0, bytes.length, b, SessionFormat.DEFAULT);
        }
      }
      out.add(b.build());
    }
    return new Batch(out, rows.length);
  }

  // ---- the catalog ----

  CatalogSnapshot catalog() {
    return catalog(version, Map.copyOf(tables), Map.copyOf(views));
  }

  private CatalogSnapshot catalog(
      long at, Map<String, TableInfo> tables, Map<String, ViewInfo> views) {
    return (CatalogSnapshot)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {CatalogSnapshot.class},
            (_, method, args) ->
                switch (method.getName()) {
                  case "version" -> at;
                  case "databases" -> List.of(new DatabaseInfo(1, "millrace"));
                  case "database" -> Optional.of(new DatabaseInfo(1, "millrace"));
                  case "schemas" -> List.of(new SchemaInfo(2, "millrace", "public"));
                  case "table" ->
                      args.length == 1
                          ? tables.values().stream().filter(t -> t.id().equals(args[0])).findFirst()
                          : args[1].equals("public")
                              ? Optional.ofNullable(tables.get((String) args[2]))
                              : Optional.empty();
                  case "tables" -> tables.values();
                  case "view" ->
                      args[1].equals("public")
                          ? Optional.ofNullable(views.get((String) args[2]))
                          : Optional.empty();
                  case "views" -> views.values();
                  case "flow", "sequence", "type" -> Optional.empty();
                  case "flows", "hiddenTables", "sequences", "types" -> List.of();
                  case "comments" -> Map.of();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  // ---- the regions ----

  RegionEngine regions() {
    return (RegionEngine)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {RegionEngine.class},
            (_, method, args) ->
                switch (method.getName()) {
                  case "snapshot" -> snapshot(regionIds((Collection<?>) args[0]));
                  case "scan" -> scan((ScanRequest) args[1]);
                  case "info" ->
                      new RegionInfo(
                          (RegionId) args[0],
                          tables.values().iterator().next().storage(),
                          RegionOptions.DEFAULT,
                          1,
                          1,
                          0,
                          10,
                          0,
                          0,
                          0,
                          0,
                          0,
                          Long.MIN_VALUE);
                  case "hashCode" -> 1;
                  case "equals" -> false;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static Set<RegionId> regionIds(Collection<?> regions) {
    var out = new HashSet<RegionId>();
    regions.forEach(r -> out.add((RegionId) r));
    return out;
  }

  private static Snapshot snapshot(Set<RegionId> regions) {
    return new Snapshot() {
      @Override
      public Set<RegionId> regions() {
        return regions;
      }

      @Override
      public long sequence(RegionId region) {
        return 1;
      }

      @Override
      public long position() {
        return 1;
      }

      @Override
      public long pinnedBytes() {
        return 0;
      }

      @Override
      public void close() {}
    };
  }

  private RegionScanner scan(ScanRequest request) {
    Batch rows = selected(java.util.Objects.requireNonNull(data.get(request.region())), request);
    return new RegionScanner() {
      @Override
      public int partitions() {
        return 1;
      }

      @Override
      public PartitionReader open(int partition) {
        return new PartitionReader() {
          private @Nullable Batch rest = rows;

          @Override
          public @Nullable Batch next() {
            Batch out = rest;
            rest = null;
            return out;
          }

          @Override
          public void close() {}
        };
      }

      @Override
      public ScanStatistics statistics() {
        return new ScanStatistics(1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
      }

      @Override
      public void close() {}
    };
  }

  private Batch selected(Batch all, ScanRequest r) {
    TableInfo table =
        tables.values().stream()
            .filter(t -> t.regions().contains(r.region()))
            .findFirst()
            .orElseThrow();
    int time = table.storage().indexOf(table.storage().timeIndexId());
    int[] at = new int[all.rows()];
    int n = 0;
    for (int i = 0; i < all.rows(); i++) {
      boolean keep = true;
      long t = ((LongVector) all.column(time)).get(i);
      keep &= t >= r.minTime() && t <= r.maxTime();
      for (ColumnPredicate p : r.predicates()) {
        keep &= holds(p, all.column(table.storage().indexOf(p.columnId())), i);
      }
      if (keep) {
        at[n++] = i;
      }
    }
    Batch kept = all.take(at, n);
    if (r.selector() == ScanRequest.RowSelector.LAST_ROW) {
      kept = last(kept, table, time);
    }
    if (r.order() == ScanRequest.Order.TIME_ASC || r.order() == ScanRequest.Order.TIME_DESC) {
      kept = byTime(kept, time, r.order() == ScanRequest.Order.TIME_DESC);
    }
    var out = new ArrayList<Vector>();
    for (int id : r.columnIds()) {
      out.add(kept.column(table.storage().indexOf(id)));
    }
    return new Batch(out, kept.rows());
  }

  private static Batch byTime(Batch rows, int time, boolean descending) {
    var times = (LongVector) rows.column(time);
    Comparator<Integer> order = Comparator.comparing(times::get);
    int[] at =
        IntStream.range(0, rows.rows())
            .boxed()
            .sorted(descending ? order.reversed() : order)
            .mapToInt(i -> i)
            .toArray();
    return rows.take(at, at.length);
  }

  private static Batch last(Batch rows, TableInfo table, int time) {
    var newest = new HashMap<List<Object>, Integer>();
    var times = (LongVector) rows.column(time);
    for (int i = 0; i < rows.rows(); i++) {
      var key = new ArrayList<Object>();
      for (int tag : table.storage().tagIds()) {
        Vector v = rows.column(table.storage().indexOf(tag));
        key.add(v.isNull(i) ? "" : v.hash(i));
      }
      Integer old = newest.get(key);
      if (old == null || times.get(i) > times.get(old)) {
        newest.put(key, i);
      }
    }
    int[] at = newest.values().stream().mapToInt(i -> i).toArray();
    return rows.take(at, at.length);
  }

  private static boolean holds(ColumnPredicate p, Vector v, int row) {
    boolean isNull = v.isNull(row);
    return switch (p) {
      case ColumnPredicate.IsNull _ -> isNull;
      case ColumnPredicate.IsNotNull _ -> !isNull;
      case ColumnPredicate.Text t -> !isNull && t.match().matches(((BytesColumn) v).string(row));
      case ColumnPredicate.In in -> {
        boolean hit = false;
        for (int k = 0; k < in.values().length() && !isNull; k++) {
          hit |= v.compare(row, in.values(), k) == 0;
        }
        yield hit;
      }
      case ColumnPredicate.Compare c -> {
        int o = isNull ? 0 : v.compare(row, c.constant(), 0);
        yield !isNull
            && switch (c.op()) {
              case EQ -> o == 0;
              case NE -> o != 0;
              case LT -> o < 0;
              case LE -> o <= 0;
              case GT -> o > 0;
              case GE -> o >= 0;
            };
      }
    };
  }
}
