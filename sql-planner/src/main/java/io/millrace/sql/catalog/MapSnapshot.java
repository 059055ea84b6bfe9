package io.millrace.sql.catalog;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** A catalog version as maps by identity and by name. */
final class MapSnapshot implements CatalogSnapshot {
  static final MapSnapshot EMPTY =
      new MapSnapshot(0, Map.of(), Map.of(), Map.of(), Map.of(), Map.of());

  private record Name(String database, String schema, String name) {}

  private final long version;
  private final Map<Integer, DatabaseInfo> databases;
  private final Map<Integer, SchemaInfo> schemas;
  private final Map<Integer, TableInfo> tables;
  private final Map<Integer, ViewInfo> views;
  private final Map<Integer, FlowInfo> flows;
  private final Map<Name, TableInfo> tablesByName;
  private final Map<Name, ViewInfo> viewsByName;
  private final Map<Name, FlowInfo> flowsByName;
  private final Map<String, List<TableInfo>> tablesByDatabase;

  private MapSnapshot(
      long version,
      Map<Integer, DatabaseInfo> databases,
      Map<Integer, SchemaInfo> schemas,
      Map<Integer, TableInfo> tables,
      Map<Integer, ViewInfo> views,
      Map<Integer, FlowInfo> flows) {
    this.version = version;
    this.databases = databases;
    this.schemas = schemas;
    this.tables = tables;
    this.views = views;
    this.flows = flows;
    this.tablesByName =
        index(tables.values(), t -> true, t -> new Name(t.database(), t.schema(), t.name()));
    this.viewsByName =
        index(views.values(), v -> true, v -> new Name(v.database(), v.schema(), v.name()));
    this.flowsByName =
        index(flows.values(), f -> true, f -> new Name(f.database(), f.schema(), f.name()));
    var byDatabase = new HashMap<String, List<TableInfo>>();
    for (DatabaseInfo d : databases.values()) {
      byDatabase.put(
          d.name(),
          tables.values().stream()
              .filter(t -> !t.hidden() && t.database().equals(d.name()))
              .toList());
    }
    this.tablesByDatabase = byDatabase;
  }

  private static <K, T> Map<K, T> index(
      Collection<T> values, Predicate<T> wanted, Function<T, K> key) {
    var out = new HashMap<K, T>();
    for (T v : values) {
      if (wanted.test(v)) {
        out.put(key.apply(v), v);
      }
    }
    return out;
  }

  MapSnapshot with(CatalogChange change) {
    var b = new Builder(this);
    for (CatalogChange.Action a : change.actions()) {
      switch (a) {
        case CatalogChange.Action.PutTable(var t) -> b.put(t);
        case CatalogChange.Action.RemoveTable(var id) -> b.tables.remove(id.value());
        case CatalogChange.Action.PutFlow(var f) -> b.put(f);
        case CatalogChange.Action.RemoveFlow(var id) -> b.flows.remove(id.value());
        case CatalogChange.Action.PutView(var v) -> b.put(v);
        case CatalogChange.Action.RemoveView(var oid) -> b.views.remove(oid);
        case CatalogChange.Action.PutSchema(var s) -> b.put(s);
        case CatalogChange.Action.RemoveSchema(var oid) -> b.schemas.remove(oid);
        case CatalogChange.Action.PutDatabase(var d) -> b.put(d);
        case CatalogChange.Action.RemoveDatabase(var oid) -> b.databases.remove(oid);
      }
    }
    return b.build();
  }

  /** Collects entries; tree maps, so that listings come in order of creation. */
  static final class Builder {
    private final long version;
    private final Map<Integer, DatabaseInfo> databases;
    private final Map<Integer, SchemaInfo> schemas;
    private final Map<Integer, TableInfo> tables;
    private final Map<Integer, ViewInfo> views;
    private final Map<Integer, FlowInfo> flows;

    Builder(MapSnapshot from) {
      version = from.version + 1;
      databases = new TreeMap<>(from.databases);
      schemas = new TreeMap<>(from.schemas);
      tables = new TreeMap<>(from.tables);
      views = new TreeMap<>(from.views);
      flows = new TreeMap<>(from.flows);
    }

    void put(DatabaseInfo d) {
      databases.put(d.oid(), d);
    }

    void put(SchemaInfo s) {
      schemas.put(s.oid(), s);
    }

    void put(TableInfo t) {
      tables.put(t.id().value(), t);
    }

    void put(ViewInfo v) {
      views.put(v.oid(), v);
    }

    void put(FlowInfo f) {
      flows.put(f.id().value(), f);
    }

    MapSnapshot build() {
      return new MapSnapshot(version, databases, schemas, tables, views, flows);
    }
  }

  @Override
  public long version() {
    return version;
  }

  @Override
  public Collection<DatabaseInfo> databases() {
    return databases.values();
  }

  @Override
  public Optional<DatabaseInfo> database(String name) {
    Optional<DatabaseInfo> exact =
        databases.values().stream().filter(d -> d.name().equals(name)).findFirst();
    return exact.isPresent() || !(name.equals("postgres") || name.equals("public"))
        ? exact
        : database(Catalog.DEFAULT_DATABASE);
  }

  @Override
  public Collection<SchemaInfo> schemas(String database) {
    return schemas.values().stream().filter(s -> s.database().equals(database)).toList();
  }

  @Override
  public Optional<TableInfo> table(String database, String schema, String name) {
    return Optional.ofNullable(tablesByName.get(new Name(database, schema, name)));
  }

  @Override
  public Optional<TableInfo> table(TableId id) {
    return Optional.ofNullable(tables.get(id.value()));
  }

  @Override
  public Collection<TableInfo> tables(String database) {
    return tablesByDatabase.getOrDefault(database, List.of());
  }

  @Override
  public Collection<TableInfo> hiddenTables() {
    return tables.values().stream().filter(TableInfo::hidden).toList();
  }

  @Override
  public Optional<ViewInfo> view(String database, String schema, String name) {
    return Optional.ofNullable(viewsByName.get(new Name(database, schema, name)));
  }

  @Override
  public Collection<ViewInfo> views(String database) {
    return views.values().stream().filter(v -> v.database().equals(database)).toList();
  }

  @Override
  public Optional<FlowInfo> flow(String database, String schema, String name) {
    return Optional.ofNullable(flowsByName.get(new Name(database, schema, name)));
  }

  @Override
  public Optional<FlowInfo> flow(FlowId id) {
    return Optional.ofNullable(flows.get(id.value()));
  }

  @Override
  public Collection<FlowInfo> flows() {
    return flows.values();
  }
}
